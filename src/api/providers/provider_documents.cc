#include "api/providers/provider_documents.h"

#include <utility>

#include "api/common/call.h"
#include "api/common/package_urls.h"
#include "api/common/provenance.h"
#include "api/common/query.h"
#include "api/common/repository_url.h"
#include "base/clock.h"
#include "domain/provider_docs_record.h"
#include "domain/provider_record.h"
#include "http/server/message.h"
#include "service/providers/provider_docs.h"
#include "wire/providers.h"

namespace koya::api {
namespace {

// What documents call the language of configurations, which has no name among those of cdktf.
constexpr std::string_view kConfigurations = "hcl";

std::string LanguageText(const std::string& language) {
  return language.empty() ? std::string(kConfigurations) : language;
}

wire::DocEntry DocEntryOf(DocRecord record) {
  return {.kind = std::move(record.name.kind),
          .name = std::move(record.name.name),
          .language = LanguageText(record.name.language),
          .title = std::move(record.title),
          .subcategory = std::move(record.subcategory),
          .description = std::move(record.description),
          .deprecated = record.deprecated};
}

}  // namespace

// The path alone names the configurations' page.
Result<std::string> ReadDocLanguage(const http::Request& request) {
  ASSIGN_OR_RETURN(std::optional<std::string> language, QueryParameter(request.query, "language"));
  if (!language || *language == kConfigurations) return std::string();
  return *std::move(language);
}

wire::DocList DocListOf(service::DocList found) {
  wire::DocList list;
  list.is_signed = found.is_signed;
  list.docs.reserve(found.pages.size());
  for (DocRecord& page : found.pages) list.docs.push_back(DocEntryOf(std::move(page)));
  return list;
}

wire::DocPage DocPageOf(service::DocPage page) {
  wire::DocEntry entry = DocEntryOf(std::move(page.record));
  std::vector<wire::ReadmeHeading> contents;
  for (markup::Heading& each : page.contents) {
    contents.push_back({each.level, std::move(each.name), std::move(each.text)});
  }
  return {.kind = std::move(entry.kind),
          .name = std::move(entry.name),
          .language = std::move(entry.language),
          .title = std::move(entry.title),
          .subcategory = std::move(entry.subcategory),
          .description = std::move(entry.description),
          .deprecated = entry.deprecated,
          .is_signed = page.is_signed,
          .html = std::move(page.html),
          .contents = std::move(contents)};
}

wire::ProviderDetails DetailsOf(const ProviderRelease& release, Visibility visibility) {
  wire::ProviderDetails details{.ns = release.address.ns(),
                                .type = release.address.type(),
                                .version = release.version.ToString(),
                                .owner = release.published_by,
                                .source = {},
                                .published_at = FormatRfc3339(release.published_at),
                                .deprecation = release.deprecation,
                                .deprecated = !release.deprecation.empty(),
                                .protocols = release.protocols,
                                .platforms = {},
                                .shasums_digest = release.sums.digest.ToString(),
                                .key_fingerprint = release.key_fingerprint,
                                .versions = {},
                                .provenance = ProvenanceToWire(release.provenance),
                                .attachments = {},
                                .visibility = std::string(VisibilityName(visibility))};
  details.source = UrlOf(SourceOf(release));
  details.source_url = SourceUrl(SourceOf(release), details.provenance);
  for (const ProviderPackage& package : release.packages) {
    details.platforms.push_back({package.platform.os(), package.platform.arch()});
  }
  return details;
}

}  // namespace koya::api
