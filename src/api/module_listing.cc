#include "api/module_listing.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/documents.h"
#include "api/query.h"
#include "base/text.h"
#include "wire/modules.h"

namespace koya::api {
namespace {

constexpr std::uint64_t kDefaultLimit = 15;
constexpr std::uint64_t kMostLimit = 100;

wire::ModuleDetails Details(const Services& services, const ModuleAddress& address,
                            const Version& version, std::string description,
                            UnixSeconds published_at) {
  return {.ns = address.ns(),
          .name = address.name(),
          .system = address.system(),
          .version = version.ToString(),
          .owner = "",
          .description = std::move(description),
          .source = fmt::format("{}/{}", services.host(), address.ToString()),
          .published_at = FormatRfc3339(published_at),
          .versions = {}};
}

wire::ModuleDetails Details(const Services& services, const ModuleVersionRecord& record) {
  wire::ModuleDetails details =
      Details(services, record.address, record.version, record.description, record.published_at);
  details.owner = record.published_by;
  return details;
}

// The URL of another page of the same listing: what was asked, with another offset.
Result<std::string> PageUrl(Call& call, PageRequest page, std::uint64_t offset) {
  std::string url = fmt::format("{}?limit={}&offset={}", call.request().path, page.limit, offset);
  for (std::string_view name : {"q", "provider", "namespace", "verified"}) {
    ASSIGN_OR_RETURN(std::optional<std::string> value, QueryParameter(call.request().query, name));
    if (value) url += fmt::format("&{}={}", name, EncodeQueryValue(*value));
  }
  return url;
}

Result<PageRequest> ReadPage(Call& call) {
  PageRequest page;
  std::string_view query = call.request().query;
  ASSIGN_OR_RETURN(page.offset, QueryNumber(query, "offset", 0));
  ASSIGN_OR_RETURN(std::uint64_t limit, QueryNumber(query, "limit", kDefaultLimit));
  page.limit = std::clamp<std::uint64_t>(limit, 1, kMostLimit);
  return page;
}

// Adds the filters that the query may carry: provider=, namespace=, and verified=, which nothing
// is. Returns whether anything can match.
Result<bool> ReadFilter(Call& call, ModuleFilter& filter) {
  std::string_view query = call.request().query;
  ASSIGN_OR_RETURN(std::optional<std::string> system, QueryParameter(query, "provider"));
  ASSIGN_OR_RETURN(std::optional<std::string> ns, QueryParameter(query, "namespace"));
  ASSIGN_OR_RETURN(std::optional<std::string> verified, QueryParameter(query, "verified"));
  if (system) filter.system = *std::move(system);
  if (ns && filter.ns.empty()) filter.ns = *std::move(ns);
  return verified != "true";
}

// A name that no module can have is not looked for.
Status CheckName(std::string_view name) {
  if (IsPlainText(name)) return {};
  return Fail(ErrorKind::kNotFound, "no module has such a name");
}

Task<http::Response> ReplyWithPage(Call& call, ModuleFilter filter) {
  ASSIGN_OR_CO_RETURN(PageRequest page, ReadPage(call));
  ASSIGN_OR_CO_RETURN(bool possible, ReadFilter(call, filter));
  Page<ModuleSummary> found;
  if (possible) {
    ASSIGN_OR_CO_RETURN(found, co_await call.services.modules.List(std::move(filter), page));
  }
  wire::ModuleList list{.limit = page.limit,
                        .current_offset = page.offset,
                        .next_offset = {},
                        .prev_offset = {},
                        .next_url = {},
                        .prev_url = {},
                        .modules = {}};
  for (ModuleSummary& item : found.items) {
    list.modules.push_back(Details(call.services, item.address, item.latest,
                                   std::move(item.description), item.published_at));
  }
  if (found.more) {
    list.next_offset = page.offset + page.limit;
    ASSIGN_OR_CO_RETURN(list.next_url, PageUrl(call, page, *list.next_offset));
  }
  if (page.offset > 0) {
    list.prev_offset = page.offset > page.limit ? page.offset - page.limit : 0;
    ASSIGN_OR_CO_RETURN(list.prev_url, PageUrl(call, page, *list.prev_offset));
  }
  // Not kept: there are as many pages as questions. It is a document all the same, for its ETag
  // and its gzip form.
  http::DocumentOptions options;
  auto document = http::MakeDocument(wire::EncodeModuleList(list), std::move(options));
  co_return http::Response::FromDocument(std::move(document));
}

std::string EncodeLatest(const Services& services,
                         const std::vector<ModuleVersionRecord>& records) {
  wire::ModuleDetails details = Details(services, service::Latest(records));
  for (const auto& record : records) details.versions.push_back(record.version.ToString());
  return wire::EncodeModuleDetails(details);
}

Task<Draft> DraftLatest(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.AddressFromPath());
  Draft draft{.topic = service::ModuleTopic(address)};
  ASSIGN_OR_CO_RETURN(std::vector<ModuleVersionRecord> records,
                      co_await call.services.modules.ListVersions(std::move(address)));
  draft.weight = records.size();
  draft.encode = [&services = call.services, records = std::move(records)] {
    return EncodeLatest(services, records);
  };
  co_return draft;
}

Task<Draft> DraftVersion(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.AddressFromPath());
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  Draft draft{.topic = service::ModuleTopic(address)};
  ASSIGN_OR_CO_RETURN(ModuleVersionRecord record, co_await call.services.modules.FindVersion(
                                                      std::move(address), std::move(version)));
  draft.encode = [&services = call.services, record = std::move(record)] {
    return wire::EncodeModuleDetails(Details(services, record));
  };
  co_return draft;
}

}  // namespace

Task<http::Response> ListModules(Call& call) {
  ModuleFilter filter;
  co_return co_await ReplyWithPage(call, std::move(filter));
}

Task<http::Response> SearchModules(Call& call) {
  ASSIGN_OR_CO_RETURN(std::optional<std::string> words, QueryParameter(call.request().query, "q"));
  if (!words || words->empty()) {
    co_return Fail(ErrorKind::kInvalid, "a search needs words: /v1/modules/search?q=vpc");
  }
  ModuleFilter filter;
  filter.query = *std::move(words);
  co_return co_await ReplyWithPage(call, std::move(filter));
}

Task<http::Response> ListModulesOfNamespace(Call& call) {
  CO_RETURN_IF_ERROR(CheckName(call.parameter(0)));
  ModuleFilter filter;
  filter.ns = call.parameter(0);
  co_return co_await ReplyWithPage(call, std::move(filter));
}

Task<http::Response> ListModulesOfName(Call& call) {
  CO_RETURN_IF_ERROR(CheckName(call.parameter(0)));
  CO_RETURN_IF_ERROR(CheckName(call.parameter(1)));
  ModuleFilter filter;
  filter.ns = call.parameter(0);
  filter.name = call.parameter(1);
  co_return co_await ReplyWithPage(call, std::move(filter));
}

Task<http::Response> GetLatestModule(Call& call) {
  co_return co_await CachedDocument(call, "", DraftLatest);
}

Task<http::Response> GetModuleVersion(Call& call) {
  co_return co_await CachedDocument(call, "", DraftVersion);
}

Task<http::Response> RedirectToLatestDownload(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.AddressFromPath());
  ASSIGN_OR_CO_RETURN(ModuleVersionRecord latest,
                      co_await call.services.modules.FindLatest(std::move(address)));
  http::Response reply;
  reply.status = 302;
  reply.fields = {{"Location", fmt::format("{}/v1/modules/{}/{}/download", call.services.url,
                                           latest.address.ToString(), latest.version.ToString())},
                  {"Cache-Control", "no-cache"}};
  co_return reply;
}

}  // namespace koya::api
