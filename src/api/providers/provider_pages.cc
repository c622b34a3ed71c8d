#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/common/audience.h"
#include "api/common/page_answer.h"
#include "api/common/page_form.h"
#include "api/common/paging.h"
#include "api/common/route.h"
#include "api/common/version_query.h"
#include "api/providers/attachments.h"
#include "api/providers/provider_documents.h"
#include "api/providers/provider_page_data.h"
#include "base/encoding.h"
#include "domain/topic.h"
#include "domain/usage_record.h"
#include "service/providers/providers.h"
#include "service/usage/usage.h"
#include "service/usage/usage_counter.h"
#include "web/providers/provider_pages.h"
#include "wire/providers.h"

namespace koya::api {
namespace {

bool IsNowhere(const Error& error) {
  return error.kind == ErrorKind::kNotFound || error.kind == ErrorKind::kGone;
}

// The number of fetches for the page's head, if counting is on.
Task<std::optional<std::uint64_t>> FetchesOfProvider(Call& call, ProviderAddress address) {
  if (!call.services.usage.counter.on()) co_return std::optional<std::uint64_t>();
  const UsageItem item = UsageItem::OfAll(address);
  ASSIGN_OR_CO_RETURN(std::uint64_t fetches,
                      co_await call.services.usage.reports.FetchesOf(
                          {.kind = item.kind, .address = item.address, .ns = item.ns}));
  co_return std::optional(fetches);
}

Task<http::Response> SendOverview(Call& call, PageAnswer& answer, const ProviderView& view) {
  web::ProviderPage page = OverviewOf(call.services, view);
  ASSIGN_OR_CO_RETURN(page.head.fetches, co_await FetchesOfProvider(call, view.address));
  ASSIGN_OR_CO_RETURN(page.attachments,
                      co_await ShowAttachments(call, {view.address, view.release.version}));
  const std::string path = page.head.version == page.head.latest
                               ? web::ProviderPath(page.head.name)
                               : web::ProviderVersionPath(page.head.name, page.head.version);
  web::PlaceProviderPage(answer.frame, page.head, path);
  co_return co_await answer.SendBriefly(web::RenderProvider(answer.frame, page));
}

// The page of a version, or a twin of it.
Task<http::Response> AnswerOverview(Call& call, ProviderAddress address, std::string wanted,
                                    Representation twin) {
  PageAnswer answer(call);
  Result<std::optional<Version>> version = VersionOfPage(wanted);
  if (!version) co_return co_await AnswerMissingVersion(call, std::move(address), wanted);
  Result<ProviderView> view = co_await ReadProviderView(call, address, *std::move(version));
  if (!view && IsNowhere(view.error()) && twin == Representation::kPage) {
    co_return co_await AnswerMissingVersion(call, std::move(address), std::move(wanted));
  }
  if (!view) co_return Failure(std::move(view).error());
  switch (twin) {
    case Representation::kMarkdown:
      co_return MarkdownReply(
          web::ProviderMarkdown(OverviewOf(call.services, *view), call.services.url));
    case Representation::kJson: {
      wire::ProviderDetails details = DetailsOf(view->release, call.visibility);
      ASSIGN_OR_CO_RETURN(details.attachments,
                          co_await ListAttachments(call, {view->address, view->release.version}));
      co_return JsonRepresentationReply(wire::Encode(details));
    }
    case Representation::kPage:
      break;
  }
  co_return co_await SendOverview(call, answer, *view);
}

// ---- versions

web::VersionRow RowOf(const ProviderView& view, const ReleaseSummary& release) {
  const SigningKeyRecord* key = view.KeyOf(release.key_fingerprint);
  return {.release = {.version = release.version.ToString(),
                      .published_at = release.published_at,
                      .is_latest = release.version == view.latest,
                      .is_deprecated = !release.deprecation.empty()},
          .published_by = release.published_by,
          .platforms = release.platforms.size(),
          .is_here = true,
          .deprecation = release.deprecation,
          .key_id = key == nullptr ? "" : key->key_id,
          .key_fingerprint = release.key_fingerprint};
}

// Besides what a VersionFilter takes, "key:7B210FA49E5CD388": what that key signed.
class ReleaseFilter {
 public:
  // Fails: kInvalid.
  static Result<ReleaseFilter> Read(const http::Request& request) {
    ASSIGN_OR_RETURN(VersionFilter versions, VersionFilter::Read(request));
    ReleaseFilter filter;
    if (versions.text().starts_with(web::kSignedByKey)) {
      ASSIGN_OR_RETURN(filter.key_, ReadKeyName(versions.text()));
    }
    filter.versions_ = std::move(versions);
    return filter;
  }

  bool Takes(const ReleaseSummary& release) const {
    if (key_.empty()) return versions_.Takes(release.version);
    const std::string& signer = release.key_fingerprint;
    return signer.starts_with(key_) || signer.ends_with(key_);
  }
  // As it was asked for; "": everything.
  const std::string& text() const { return versions_.text(); }

 private:
  // In capitals and without the blanks that people see it with. Ids are the end of older keys'
  // fingerprints, and the beginning of newer ones'.
  static Result<std::string> ReadKeyName(std::string_view text) {
    constexpr std::size_t kShortest = 8;
    std::string name;
    bool is_hexadecimal = true;
    for (char c : text.substr(web::kSignedByKey.size())) {
      if (c == ' ') continue;
      is_hexadecimal = is_hexadecimal && HexDigit(c) >= 0;
      name += c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    if (is_hexadecimal && name.size() >= kShortest) return name;
    return FailInvalid(
        "the text after \"key:\" isn't a key: write its fingerprint or key ID, in "
        "hexadecimal digits");
  }

  VersionFilter versions_;
  std::string key_;  // "": any key
};

// The part of the list that `number` asks for; what lies behind its end is its last part.
void AddRows(const ProviderView& view, const ReleaseFilter& filter, std::uint64_t number,
             web::ProviderVersionsPage& page) {
  constexpr std::uint64_t kRows = web::ProviderVersionsPage::kMostRows;
  std::vector<const ReleaseSummary*> found;
  for (const ReleaseSummary& each : view.releases) {
    if (filter.Takes(each)) found.push_back(&each);
  }
  page.part = PartOf(found.size(), number, kRows);
  for (std::uint64_t i = page.part.offset; i < page.part.offset + page.part.shown; ++i) {
    page.rows.push_back(RowOf(view, *found[i]));
  }
}

void AddWithdrawn(const std::vector<WithdrawnRelease>& withdrawn, web::ProviderVersionsPage& page) {
  page.all_withdrawn = withdrawn.size();
  for (const WithdrawnRelease& each : withdrawn) {
    if (page.withdrawn.size() == web::ProviderVersionsPage::kMostRows) break;
    page.withdrawn.push_back({.version = each.version.ToString(),
                              .withdrawn_at = each.withdrawal.at,
                              .reason = each.withdrawal.reason});
  }
}

Task<http::Response> ShowProvider(Call& call) {
  const RepresentationName asked = ReadRepresentation(call.path("type"));
  ASSIGN_OR_CO_RETURN(ProviderAddress address, ProviderOfPage(call, asked.name));
  co_return co_await AnswerOverview(call, std::move(address), "", asked.twin);
}

Task<http::Response> ShowProviderVersion(Call& call) {
  ASSIGN_OR_CO_RETURN(ProviderAddress address, ProviderOfPage(call, call.path("type")));
  const RepresentationName asked = ReadRepresentation(call.path("version"));
  co_return co_await AnswerOverview(call, std::move(address), std::string(asked.name), asked.twin);
}

Task<http::Response> ShowProviderVersions(Call& call) {
  PageAnswer answer(call);
  ASSIGN_OR_CO_RETURN(ProviderAddress address, ProviderOfPage(call, call.path("type")));
  ASSIGN_OR_CO_RETURN(ReleaseFilter filter, ReleaseFilter::Read(call.request()));
  ASSIGN_OR_CO_RETURN(std::uint64_t number, ReadPageNumber(call.request()));
  ASSIGN_OR_CO_RETURN(ProviderView view, co_await ReadProviderView(call, address, std::nullopt));
  ASSIGN_OR_CO_RETURN(std::vector<WithdrawnRelease> withdrawn,
                      co_await call.services.providers.published.ListWithdrawn(address));
  web::ProviderVersionsPage page{.head = HeadOf(view, call.services.clock.Now()),
                                 .filter = filter.text()};
  AddRows(view, filter, number, page);
  AddWithdrawn(withdrawn, page);
  const std::string path = web::ProviderPath(page.head.name) + "/versions";
  page.path = filter.text().empty() ? path : web::PathWith(path, "filter", filter.text());
  web::PlaceProviderPage(answer.frame, page.head, path);
  co_return co_await answer.Send(web::RenderProviderVersions(answer.frame, page),
                                 ProviderTopic(address));
}

Task<http::Response> ShowProviderKeys(Call& call) {
  PageAnswer answer(call);
  ASSIGN_OR_CO_RETURN(ProviderAddress address, ProviderOfPage(call, call.path("type")));
  ASSIGN_OR_CO_RETURN(ProviderView view, co_await ReadProviderView(call, address, std::nullopt));
  const UnixSeconds now = call.services.clock.Now();
  web::ProviderKeysPage page{
      .head = HeadOf(view, now), .keys = {}, .all_keys = view.keys.size(), .now = now};
  for (const SigningKeyRecord& key : view.keys) {
    if (page.keys.size() == web::ProviderKeysPage::kMostKeys) break;
    page.keys.push_back(ShownKeyOf(key, view.releases));
  }
  web::PlaceProviderPage(answer.frame, page.head, web::ProviderPath(page.head.name) + "/keys");
  // Keys come and go without a word about the provider.
  co_return co_await answer.SendBriefly(web::RenderProviderKeys(answer.frame, page));
}

}  // namespace

// A provider, for people. A provider and a version of it have twins for programs: the same path
// with .md or .json; a page of documentation has .md. See page_twins.h.
std::span<const Route> ProviderPageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/providers/{namespace}/{type}", Access::kBrowse, ResourceScope::kNamespace,
                 ShowProvider, "Show a provider", KeptPage),
      Route::Get("/providers/{namespace}/{type}/{version}", Access::kBrowse,
                 ResourceScope::kNamespace, ShowProviderVersion, "Show a provider version",
                 KeptPage),
      Route::Get("/providers/{namespace}/{type}/versions", Access::kBrowse,
                 ResourceScope::kNamespace, ShowProviderVersions, "Show all versions of a provider",
                 KeptPage),
      Route::Get("/providers/{namespace}/{type}/keys", Access::kBrowse, ResourceScope::kNamespace,
                 ShowProviderKeys, "Show the keys that sign a provider's releases", KeptPage),
  };
  return kRoutes;
}

}  // namespace koya::api
