#include <utility>

#include "api/common/call.h"
#include "api/common/documents.h"
#include "api/common/route.h"
#include "api/common/version_query.h"
#include "api/providers/provider_documents.h"
#include "domain/provider_docs_record.h"
#include "domain/topic.h"
#include "http/server/router.h"
#include "service/modules/module_comparison.h"
#include "service/providers/provider_comparison.h"
#include "service/providers/provider_docs.h"
#include "wire/comparison.h"
#include "wire/provider_docs.h"

namespace koya::api {
namespace {

constexpr std::size_t kBytesOfRecord = 128;  // of HTML and schemas, to weigh them

std::vector<wire::KindCount> Counts(const std::map<std::string, std::uint64_t>& counts) {
  std::vector<wire::KindCount> out;
  out.reserve(counts.size());
  for (const auto& [kind, count] : counts) out.push_back({kind, count});
  return out;
}

wire::ProviderInside WireOf(const ProviderAddress& address, const Version& version,
                            const DocsSummary& summary) {
  wire::ProviderInside inside{.address = address.ToString(), .version = version.ToString()};
  if (summary.docs) {
    inside.docs = {.is_signed = summary.docs->is_signed,
                   .pages = Counts(summary.pages),
                   .languages = summary.languages};
  }
  if (summary.schema) {
    inside.schema = {.is_signed = summary.schema->is_signed, .items = Counts(summary.items)};
  }
  for (const ReadWarning& each : summary.warnings) {
    inside.warnings.push_back({each.file, each.line, each.text});
  }
  return inside;
}

// ---- preparation

Task<Rendering> RenderInside(Call& call) {
  ASSIGN_OR_CO_RETURN(ProviderAddress address, call.ProviderFromPath());
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  Rendering rendering{.topic = ProviderTopic(address)};
  ASSIGN_OR_CO_RETURN(DocsSummary summary,
                      co_await call.services.providers.docs.Summary(address, version));
  wire::ProviderInside inside = WireOf(address, version, summary);
  rendering.encode = [inside = std::move(inside)](const Links& /*links*/) {
    return wire::Encode(inside);
  };
  co_return rendering;
}

Task<Rendering> RenderDocList(Call& call) {
  ASSIGN_OR_CO_RETURN(ProviderAddress address, call.ProviderFromPath());
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  Rendering rendering{.topic = ProviderTopic(address)};
  ASSIGN_OR_CO_RETURN(service::DocList found,
                      co_await call.services.providers.docs.List(std::move(address),
                                                                 std::move(version), call.reading));
  rendering.weight = 1 + found.pages.size();
  wire::DocList list = DocListOf(std::move(found));
  rendering.encode = [list = std::move(list)](const Links& /*links*/) {
    return wire::Encode(list);
  };
  co_return rendering;
}

Task<Rendering> RenderDoc(Call& call) {
  ASSIGN_OR_CO_RETURN(ProviderAddress address, call.ProviderFromPath());
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  ASSIGN_OR_CO_RETURN(std::string language, ReadDocLanguage(call.request()));
  Rendering rendering{.topic = ProviderTopic(address)};
  DocName name{.language = std::move(language),
               .kind = std::string(call.path("kind")),
               .name = std::string(call.path("name"))};
  ASSIGN_OR_CO_RETURN(service::DocPage page,
                      co_await call.services.providers.docs.Page(
                          std::move(address), std::move(version), std::move(name), call.reading));
  rendering.weight = 1 + (page.html.size() + page.schema.size()) / kBytesOfRecord;
  std::string schema = std::move(page.schema);
  rendering.encode = [document = DocPageOf(std::move(page)), schema = std::move(schema)](
                         const Links& /*links*/) { return wire::EncodeDocPage(document, schema); };
  co_return rendering;
}

Task<Rendering> RenderSchemaList(Call& call) {
  ASSIGN_OR_CO_RETURN(ProviderAddress address, call.ProviderFromPath());
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  Rendering rendering{.topic = ProviderTopic(address)};
  ASSIGN_OR_CO_RETURN(std::vector<SchemaRecord> found,
                      co_await call.services.providers.docs.Schema(
                          std::move(address), std::move(version), call.reading));
  rendering.weight = 1 + found.size() / 4;
  std::vector<wire::SchemaEntry> items;
  items.reserve(found.size());
  for (SchemaRecord& item : found) {
    items.push_back({std::move(item.kind), std::move(item.name), item.deprecated});
  }
  rendering.encode = [items = std::move(items)](const Links& /*links*/) {
    return wire::Encode(wire::SchemaEntries{std::move(items)});
  };
  co_return rendering;
}

Task<Rendering> RenderSchema(Call& call) {
  ASSIGN_OR_CO_RETURN(ProviderAddress address, call.ProviderFromPath());
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  Rendering rendering{.topic = ProviderTopic(address)};
  std::string kind(call.path("kind"));
  std::string name(call.path("name"));
  if (kind == "provider" && name == address.type()) name.clear();  // the configuration has none
  ASSIGN_OR_CO_RETURN(std::string item, co_await call.services.providers.docs.SchemaItem(
                                            std::move(address), std::move(version), std::move(kind),
                                            std::move(name), call.reading));
  rendering.weight = 1 + item.size() / kBytesOfRecord;
  rendering.encode = [item = std::move(item)](const Links& /*links*/) { return item; };
  co_return rendering;
}

Task<http::Response> GetProviderInside(Call& call) {
  co_return co_await CachedDocument(call, "", RenderInside);
}

Task<http::Response> ListProviderDocs(Call& call) {
  co_return co_await CachedDocument(call, "", RenderDocList);
}

Task<http::Response> GetProviderDoc(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string language, ReadDocLanguage(call.request()));
  co_return co_await CachedDocument(call, language, RenderDoc);
}

Task<http::Response> ListProviderSchema(Call& call) {
  co_return co_await CachedDocument(call, "", RenderSchemaList);
}

Task<http::Response> GetProviderSchema(Call& call) {
  co_return co_await CachedDocument(call, "", RenderSchema);
}

Task<Rendering> RenderProviderDiff(Call& call) {
  ASSIGN_OR_CO_RETURN(ProviderAddress address, call.ProviderFromPath());
  ASSIGN_OR_CO_RETURN(ComparedVersions versions, ReadComparedVersions(call.request()));
  Rendering rendering{.topic = ProviderTopic(address)};
  ASSIGN_OR_CO_RETURN(
      service::SharedComparison comparison,
      co_await call.services.providers.comparison.Compare(
          std::move(address), std::move(versions.from), std::move(versions.to), call.reading));
  rendering.weight = comparison->changes.size();
  rendering.encode = [comparison = std::move(comparison)](const Links& /*links*/) {
    return wire::Encode(*comparison);
  };
  co_return rendering;
}

// What changed between two versions. Kept until the provider changes.
Task<http::Response> GetProviderDiff(Call& call) {
  ASSIGN_OR_CO_RETURN(ComparedVersions versions, ReadComparedVersions(call.request()));
  const std::string variant = versions.Variant();
  co_return co_await CachedDocument(call, variant, RenderProviderDiff);
}

std::optional<http::Response> KeptProviderDiff(const http::Exchange& exchange, Services& services) {
  Result<ComparedVersions> versions = ReadComparedVersions(exchange.request);
  if (!versions) return std::nullopt;
  return KeptDocument(exchange, services, versions->Variant());
}

}  // namespace

// Contents of providers that are published here.
std::span<const Route> ProviderDocsRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kGetProviderInside, Access::kRead, ResourceScope::kNamespace,
                 GetProviderInside, "Get the contents of a provider version", KeptDocument),
      Route::For(wire::kListProviderDocs, Access::kRead, ResourceScope::kNamespace,
                 ListProviderDocs, "List the documentation pages of a provider version",
                 KeptDocument),
      Route::Get("/api/v1/providers/{namespace}/{type}/{version}/docs/{kind}/{name}", Access::kRead,
                 ResourceScope::kNamespace, GetProviderDoc, "Get a documentation page",
                 KeptProviderDoc),
      Route::Get("/api/v1/providers/{namespace}/{type}/{version}/schema", Access::kRead,
                 ResourceScope::kNamespace, ListProviderSchema,
                 "List the items of a provider version's schema", KeptDocument),
      Route::Get("/api/v1/providers/{namespace}/{type}/{version}/schema/{kind}/{name}",
                 Access::kRead, ResourceScope::kNamespace, GetProviderSchema,
                 "Get the schema of one resource, data source or function", KeptDocument),
  };
  return kRoutes;
}

std::optional<http::Response> KeptProviderDoc(const http::Exchange& exchange, Services& services) {
  Result<std::string> language = ReadDocLanguage(exchange.request);
  if (!language) return std::nullopt;  // told when it is answered
  return KeptDocument(exchange, services, *language);
}

std::span<const Route> ProviderDiffRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kCompareProvider, Access::kRead, ResourceScope::kNamespace, GetProviderDiff,
                 "Compare two versions of a provider", KeptProviderDiff),
  };
  return kRoutes;
}

}  // namespace koya::api
