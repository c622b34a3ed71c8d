#include "api/providers/provider_page_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "api/common/call.h"
#include "api/common/package_urls.h"
#include "api/common/page_answer.h"
#include "api/common/page_form.h"
#include "api/common/query.h"
#include "api/common/repository_url.h"
#include "base/text.h"
#include "domain/access.h"
#include "domain/provider_docs_record.h"
#include "service/providers/docs_pages.h"
#include "service/providers/provider_docs.h"
#include "service/providers/providers.h"
#include "service/providers/signing_keys.h"
#include "service/search/search.h"
#include "web/common/page_paths.h"
#include "web/providers/provider_docs_pages.h"
#include "web/providers/provider_pages.h"

namespace koya::api {
namespace {

using web::PlatformState;
using web::ShownSignature;

constexpr std::size_t kMostWanted = 100;  // characters of a version that is not there

ShownSignature SignatureOf(const SigningKeyRecord* key, UnixSeconds now) {
  if (key == nullptr) return ShownSignature::kRemoved;
  if (key->removed_at) return ShownSignature::kRemoved;
  if (key->expires_at && *key->expires_at <= now) return ShownSignature::kEnded;
  return key->server_made ? ShownSignature::kServer : ShownSignature::kValid;
}

// Of both, whichever knows more: an author may have described a part, or the schema.
std::map<std::string, std::uint64_t> PagesByKind(const DocsSummary& docs, std::string_view type) {
  std::map<std::string, std::uint64_t> pages = docs.pages;
  for (const auto& [kind, count] : docs.items) {
    const DocName name = service::PageNameOf({.kind = kind, .name = "", .part = {}}, type);
    if (name.kind.empty()) continue;
    std::uint64_t& known = pages[name.kind];
    known = std::max(known, count);
  }
  return pages;
}

web::ShownRelease ShownOf(const ReleaseSummary& release, const Version& latest) {
  return {.version = release.version.ToString(),
          .published_at = release.published_at,
          .is_latest = release.version == latest,
          .is_deprecated = !release.deprecation.empty()};
}

std::vector<Version> VersionsOf(const std::vector<ReleaseSummary>& releases) {
  std::vector<Version> versions;
  versions.reserve(releases.size());
  for (const ReleaseSummary& each : releases) versions.push_back(each.version);
  return versions;
}

void AddMatrix(const ProviderView& view, web::ProviderPage& page) {
  const std::vector<std::size_t> few =
      FewOf(VersionsOf(view.releases), view.release.version, web::ProviderPage::kMostRows);
  std::set<Platform> platforms;
  for (std::size_t place : few) {
    const std::vector<Platform>& of = view.releases[place].platforms;
    platforms.insert(of.begin(), of.end());
  }
  std::vector<Platform> columns;
  for (const Platform& platform : platforms) {
    if (columns.size() < web::ProviderPage::kMostColumns) {
      columns.push_back(platform);
      page.platforms.push_back(platform.ToString());
    }
  }
  page.more_platforms = platforms.size() - columns.size();
  for (std::size_t place : few) {
    const ReleaseSummary& release = view.releases[place];
    web::MatrixRow row{.release = ShownOf(release, view.latest), .states = {}};
    for (const Platform& column : columns) {
      const bool built = std::ranges::binary_search(release.platforms, column);
      row.states.push_back(built ? PlatformState::kHere : PlatformState::kNotBuilt);
    }
    page.rows.push_back(std::move(row));
  }
}

web::ProviderVersionMissingPage MissingPage(const ProviderView& view, const std::string& wanted,
                                            UnixSeconds now) {
  web::ProviderVersionMissingPage page{.head = HeadOf(view, now),
                                       .wanted = Printable(wanted, kMostWanted),
                                       .nearest = "",
                                       .withdrawn = std::nullopt};
  Result<Version> version = Version::ParseLookup(wanted);
  if (!version) return page;
  auto near = std::ranges::find_if(view.releases, [&](const ReleaseSummary& each) {
    return !each.version.is_prerelease() && each.version.major() == version->major();
  });
  if (near != view.releases.end()) page.nearest = near->version.ToString();
  return page;
}

}  // namespace

std::string ConstraintFor(const Version& version, bool is_latest) {
  if (!is_latest || version.is_prerelease()) return version.ToString();
  if (version.major() == 0) return fmt::format("~> 0.{}.{}", version.minor(), version.patch());
  return fmt::format("~> {}.{}", version.major(), version.minor());
}

const SigningKeyRecord* ProviderView::SignedBy() const { return KeyOf(release.key_fingerprint); }

const SigningKeyRecord* ProviderView::KeyOf(const std::string& fingerprint) const {
  auto key = std::ranges::find(keys, fingerprint, &SigningKeyRecord::fingerprint);
  return key == keys.end() ? nullptr : &*key;
}

Result<ProviderAddress> ProviderOfPage(const Call& call, std::string_view type) {
  Result<ProviderAddress> address = ProviderAddress::FromParts(call.path("namespace"), type);
  if (address) return address;
  return Fail(ErrorKind::kNotFound, std::move(address).error().message);
}

Result<std::optional<Version>> VersionOfPage(std::string_view text) {
  if (text.empty() || text == "latest") return std::optional<Version>();
  Result<Version> version = Version::ParseLookup(text);
  if (version) return std::optional<Version>(*std::move(version));
  return Fail(ErrorKind::kNotFound, std::move(version).error().message);
}

Task<ProviderView> ReadProviderView(Call& call, ProviderAddress address,
                                    std::optional<Version> version) {
  Services& services = call.services;
  Result<std::vector<ReleaseSummary>> listed =
      co_await services.providers.published.ListVersions(address);
  if (!listed && version && listed.error().kind == ErrorKind::kNotFound) {
    // Of a provider of which nothing is left a version may have been withdrawn.
    Result<ProviderRelease> gone =
        co_await services.providers.published.FindVersion(address, *version);
    if (!gone && gone.error().kind == ErrorKind::kGone) co_return Failure(std::move(gone).error());
  }
  if (!listed) co_return Failure(std::move(listed).error());
  std::vector<ReleaseSummary> releases = *std::move(listed);
  Version latest = service::Latest(releases).version;
  Version shown = version.value_or(latest);
  ASSIGN_OR_CO_RETURN(ProviderRelease release,
                      co_await services.providers.published.FindVersion(address, shown));
  ASSIGN_OR_CO_RETURN(DocsSummary docs, co_await services.providers.docs.Summary(address, shown));
  std::string description;
  if (docs.docs) {
    ASSIGN_OR_CO_RETURN(description, co_await services.providers.docs.Description(address, shown));
  }
  ASSIGN_OR_CO_RETURN(std::vector<SigningKeyRecord> keys,
                      co_await services.providers.signing_keys.List(address.ns()));
  NamespaceOwners owners = co_await OwnersFor(call, address.ns());
  const web::VersionRights rights = VersionRightsOf(call, address.ns());
  co_return ProviderView{std::move(address),    std::move(releases),
                         std::move(latest),     std::move(release),
                         std::move(docs),       std::move(description),
                         std::move(keys),       std::move(owners),
                         VisibilityBadge(call), rights};
}

web::ProviderHead HeadOf(const ProviderView& view, UnixSeconds now) {
  const ProviderRelease& release = view.release;
  web::ProviderHead head{
      .name = {.host = "", .ns = view.address.ns(), .type = view.address.type()},
      .description = view.description,
      .version = release.version.ToString(),
      .latest = view.latest.ToString(),
      .is_prerelease = release.version.is_prerelease(),
      .versions = view.releases.size(),
      .signature = SignatureOf(view.SignedBy(), now),
      .published_at = release.published_at,
      .published_by = release.published_by,
      .protocols = release.protocols,
      .deprecation = release.deprecation,
      .keys = view.keys.size(),
      .owners = view.owners,
      .visibility = view.visibility,
      .rights = view.rights,
      .source = ShownSourceOf(SourceOf(release), ProvenanceToWire(release.provenance))};
  constexpr std::size_t kMostOfMenu = 8;
  for (std::size_t place : FewOf(VersionsOf(view.releases), release.version, kMostOfMenu)) {
    head.menu.push_back(ShownOf(view.releases[place], view.latest));
  }
  if (view.docs.docs || view.docs.schema) {
    std::uint64_t pages = 0;
    for (const auto& [kind, count] : PagesByKind(view.docs, view.address.type())) pages += count;
    head.docs = pages;
  }
  return head;
}

web::ShownKey ShownKeyOf(const SigningKeyRecord& key, const std::vector<ReleaseSummary>& releases) {
  web::ShownKey shown{.record = key};
  for (const ReleaseSummary& release : releases) {
    if (release.key_fingerprint != key.fingerprint) continue;
    ++shown.releases;
    if (shown.newest_signed.size() == web::ShownKey::kMostSigned) continue;
    shown.newest_signed.push_back(release.version.ToString());
  }
  return shown;
}

web::ProviderPage OverviewOf(const Services& services, const ProviderView& view) {
  const UnixSeconds now = services.clock.Now();
  const ProviderRelease& release = view.release;
  web::ProviderPage page{
      .head = HeadOf(view, now),
      .source = SourceAddress(services.host(), view.address),
      .constraint = ConstraintFor(release.version, release.version == view.latest),
      .now = now};
  AddMatrix(view, page);
  for (const ProviderPackage& package : release.packages) {
    page.packages.push_back({.platform = package.platform.ToString(),
                             .size = package.size,
                             .h1 = package.h1,
                             .sha256 = package.digest.hex(),
                             .is_here = true});
  }
  if (const SigningKeyRecord* key = view.SignedBy()) page.key = ShownKeyOf(*key, view.releases);
  for (const auto& [kind, count] : PagesByKind(view.docs, view.address.type())) {
    page.doc_kinds.push_back({kind, count});
  }
  return page;
}

std::vector<std::size_t> FewOf(const std::vector<Version>& versions, const Version& shown,
                               std::size_t most) {
  std::set<std::size_t> places;
  auto of_shown = std::ranges::find(versions, shown);
  if (of_shown != versions.end()) {
    places.insert(static_cast<std::size_t>(of_shown - versions.begin()));
  }
  std::set<std::pair<std::uint64_t, std::uint64_t>> minors;
  for (std::size_t i = 0; i < versions.size() && places.size() < most; ++i) {
    const Version& version = versions[i];
    // A short list is shown in full; the newest version is always shown.
    const bool is_first = minors.emplace(version.major(), version.minor()).second;
    const bool tells = versions.size() <= most || (is_first && !version.is_prerelease());
    if (tells || i == 0) places.insert(i);
  }
  return {places.begin(), places.end()};
}

Task<http::Response> AnswerMissingVersion(Call& call, ProviderAddress address, std::string wanted) {
  PageAnswer answer(call);
  Result<Version> version = Version::ParseLookup(wanted);
  Result<ProviderView> found = co_await ReadProviderView(call, address, std::nullopt);
  if (!found && version) {
    // There is no newer one to lead to: the reason alone.
    Result<ProviderRelease> gone =
        co_await call.services.providers.published.FindVersion(address, *version);
    if (!gone) co_return Failure(std::move(gone).error());
  }
  if (!found) co_return Failure(std::move(found).error());
  const ProviderView& view = *found;
  ASSIGN_OR_CO_RETURN(std::vector<WithdrawnRelease> withdrawn,
                      co_await call.services.providers.published.ListWithdrawn(std::move(address)));
  web::ProviderVersionMissingPage page = MissingPage(view, wanted, call.services.clock.Now());
  for (const WithdrawnRelease& each : withdrawn) {
    if (!version || each.version != *version) continue;
    page.withdrawn = web::WithdrawnRow{.version = each.version.ToString(),
                                       .withdrawn_at = each.withdrawal.at,
                                       .reason = each.withdrawal.reason,
                                       .successor = each.withdrawal.successor};
  }
  web::PlaceProviderPage(answer.frame, page.head, "");
  const unsigned status = page.withdrawn ? 410 : 404;
  co_return co_await answer.SendUnkept(web::RenderProviderVersionMissing(answer.frame, page),
                                       status);
}

namespace {

constexpr std::size_t kLongestDocsFilter = 200;

// As types are called in configurations, and searches take them.
bool IsTypeName(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  return !text.empty() && text.size() <= kLongest && std::ranges::all_of(text, [](char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

}  // namespace

Result<DocsQuestion> ReadDocsQuestion(const Call& call) {
  ASSIGN_OR_RETURN(std::optional<std::string> filter,
                   QueryParameter(call.request().query, "filter"));
  ASSIGN_OR_RETURN(std::optional<std::string> group, QueryParameter(call.request().query, "group"));
  DocsQuestion question{filter.value_or(""), group.value_or("")};
  if (question.filter.size() <= kLongestDocsFilter) return question;
  return FailInvalid("the parameter \"filter\" is too long: use a word of the page's name");
}

std::vector<web::DocIndexEntry> EntriesOf(std::vector<service::DocEntry> index) {
  std::vector<web::DocIndexEntry> entries;
  entries.reserve(index.size());
  for (service::DocEntry& each : index) {
    entries.push_back({.kind = std::move(each.name.kind),
                       .name = std::move(each.name.name),
                       .title = std::move(each.title),
                       .subcategory = std::move(each.subcategory),
                       .is_deprecated = each.deprecated,
                       .has_markdown = each.has_markdown});
  }
  return entries;
}

std::string UsedTypeOf(const DocName& name, std::string item, std::string_view type) {
  if (name.kind != "resources" && name.kind != "data-sources") return "";
  std::string used = item.empty()
                         ? web::DocLabel({.kind = name.kind, .name = name.name, .title = ""}, type)
                         : std::move(item);
  return IsTypeName(used) ? used : "";
}

Task<void> FillUsers(Call& call, std::string used_type, web::ProviderDocsPage& page) {
  // Submodules of one module are one of them.
  constexpr std::uint64_t kLookedAt = 3 * web::ProviderDocsPage::kMostUsers;
  page.used_type = std::move(used_type);
  if (page.used_type.empty()) co_return Status();
  std::string text = fmt::format("uses:{} kind:module,submodule host:here", page.used_type);
  Result<service::SearchAnswer> found = co_await call.services.search.index.FindUncounted(
      call.Readable(), std::move(text), {.offset = 0, .limit = kLookedAt}, SearchOrder::kNewest);
  if (!found) co_return Status();
  for (SearchHit& hit : found->page.items) {
    if (page.users.size() == web::ProviderDocsPage::kMostUsers) break;
    auto same = std::ranges::find(page.users, hit.address, &web::DocUser::address);
    if (same != page.users.end()) continue;
    const bool is_module = hit.kind == SearchKind::kModule;
    page.users.push_back({.address = hit.address,
                          .path = web::PackagePath(hit),
                          .version = std::move(hit.version),
                          .title = is_module ? std::move(hit.title) : ""});
  }
  co_return Status();
}

std::string EndOf(const DocName& name) {
  if (name.language.empty()) return web::DocPath("/docs", name.kind, name.name);
  return web::DocPath(web::DocPath("/docs", "cdktf", name.language), name.kind, name.name);
}

DocName DocNameOf(const Call& call, std::string_view name) {
  const std::string_view kind = call.path("kind");
  if (kind == "cdktf") return {.language = std::string(name), .kind = "overview", .name = "index"};
  return {.language = "", .kind = std::string(kind), .name = std::string(name)};
}

}  // namespace koya::api
