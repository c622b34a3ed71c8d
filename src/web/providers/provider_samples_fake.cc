#include "web/sample_parts_fake.h"

#include <fmt/format.h>

#include <utility>

#include "web/providers/provider_docs_pages.h"
#include "web/providers/provider_history_pages.h"

namespace koya::web {
namespace {

constexpr UnixSeconds kSampleNow = 1'795'279'270;  // 2026-11-21
constexpr UnixSeconds kOneSampleDay = 86'400;

// A frame for a signed-in user, at that path.
PageFrame At(PageFrame frame, const FillText& texts, const ProviderHead& head,
             const std::string& path) {
  frame.account = texts("mika.tanaka");
  frame.sections = {Section::kModules, Section::kProviders, Section::kMirror, Section::kDocs};
  frame.has_search = true;
  frame.path = path;
  PlaceProviderPage(frame, head, path);
  return frame;
}

ShownRelease Release(const FillText& texts, std::string version, int days, bool latest = false) {
  return {.version = texts(std::move(version)),
          .published_at = kSampleNow - days * kOneSampleDay,
          .is_latest = latest,
          .is_deprecated = days > 200};
}

std::string FakeHash(int seed, std::size_t length, std::string_view digits) {
  std::string hash;
  std::uint64_t state = static_cast<std::uint64_t>(seed) * 2654435761U + 12345;
  for (std::size_t i = 0; i < length; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    hash += digits[(state >> 33) % digits.size()];
  }
  return hash;
}

ShownKey SampleShownKey(const FillText& texts) {
  return {.record = {.fingerprint = texts("9D2C51F07A3B4E6681C07B210FA49E5CD3889A10"),
                     .key_id = texts("7B210FA49E5CD388"),
                     .user_ids = {texts("Kumo Release 2026 <release@kumo.example>"),
                                  texts("Kumo Works")},
                     .algorithm = texts("RSA 4096"),
                     .created_at = kSampleNow - 400 * kOneSampleDay,
                     .expires_at = kSampleNow + 71 * kOneSampleDay,
                     .added_at = kSampleNow - 317 * kOneSampleDay,
                     .added_by = texts("mika.tanaka")},
          .releases = 17,
          .newest_signed = {texts("2.3.1"), texts("2.3.0"), texts("2.2.4")}};
}

void AddOverviews(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  ProviderPage page = SampleProviderPage(texts);
  pages.push_back(
      {"provider", RenderProvider(At(frame, texts, page.head, "/providers/kumo/inventory"), page)});
  page.head.version = texts("1.9.8");
  page.head.deprecation = texts("It forgets tags when it is run twice; use 2.0.0 or newer.");
  page.head.signature = ShownSignature::kRemoved;
  page.key->record.removed_at = kSampleNow - kOneSampleDay;
  page.more_platforms = 3;
  pages.push_back(
      {"provider-older",
       RenderProvider(At(frame, texts, page.head, "/providers/kumo/inventory/1.9.8"), page)});
  page = SampleProviderPage(texts);
  page.head.is_prerelease = true;
  page.head.version = texts("3.0.0-rc.1");
  page.head.signature = ShownSignature::kServer;
  page.key->record.server_made = true;
  page.key->record.expires_at = 0;
  pages.push_back(
      {"provider-prerelease",
       RenderProvider(At(frame, texts, page.head, "/providers/kumo/inventory/3.0.0-rc.1"), page)});
  page = SampleProviderPage(texts);
  page.head.name.host = texts("registry.opentofu.org");
  page.head.docs.reset();
  page.head.keys.reset();
  page.head.signature = ShownSignature::kUpstream;
  page.head.published_by.clear();
  page.doc_kinds.clear();
  page.packages[1].h1.clear();
  page.packages[1].size = 0;
  page.packages[1].is_here = false;
  page.rows[1].states[2] = PlatformState::kElsewhere;
  pages.push_back({"provider-mirrored",
                   RenderProvider(At(frame, texts, page.head,
                                     "/-/mirror/providers/registry.opentofu.org/kumo/inventory"),
                                  page)});
  ProviderPage bare = page;
  bare.packages.clear();
  bare.key.reset();
  bare.head.published_at = 0;
  bare.head.signature = ShownSignature::kUnknown;
  pages.push_back(
      {"provider-unfetched",
       RenderProvider(At(frame, texts, bare.head, "/-/mirror/providers/a.example/b/c"), bare)});
  page.key.reset();
  page.head.signature = ShownSignature::kNone;
  pages.push_back({"provider-unsigned",
                   RenderProvider(At(frame, texts, page.head, "/providers/kumo/inventory"), page)});
  page.head.signature = ShownSignature::kEnded;
  page.key = SampleShownKey(texts);
  page.key->record.expires_at = kSampleNow - kOneSampleDay;
  pages.push_back({"provider-ended",
                   RenderProvider(At(frame, texts, page.head, "/providers/kumo/inventory"), page)});
}

void AddLists(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  const std::string path = "/providers/kumo/inventory/versions";
  ProviderVersionsPage page{.head = SampleProviderHead(texts), .path = path};
  int days = 4;
  for (const char* version : {"2.3.1", "2.3.0", "2.2.4", "2.2.3", "2.1.0", "2.0.0", "1.9.8"}) {
    const bool old = std::string_view(version) == "1.9.8";
    page.rows.push_back({.release = Release(texts, version, days, days == 4),
                         .published_by = texts("ci-inventory"),
                         .platforms = 6,
                         .is_here = true,
                         .deprecation = old ? texts("It forgets tags; use 2.0.0 or newer.") : "",
                         .key_id = old ? "" : texts("7B210FA49E5CD388"),
                         .key_fingerprint = texts("9D2C51F07A3B4E6681C07B210FA49E5CD3889A10")});
    days += 40;
  }
  page.part = {.offset = 0, .shown = 7, .size = 7, .total = 22, .more = true};
  page.head.rights = {.may_deprecate = true, .may_withdraw = true};
  page.head.owners.owners = {{texts("engineering"), GranteeKind::kGroup}};
  page.withdrawn = {{texts("2.2.2"), kSampleNow - 60 * kOneSampleDay,
                     texts("A package held somebody's credentials.")}};
  page.all_withdrawn = 1;
  pages.push_back(
      {"provider_versions", RenderProviderVersions(At(frame, texts, page.head, path), page)});
  page.rows.clear();
  page.withdrawn.clear();
  page.filter = texts("~> 7.0");
  page.part = {.offset = 0, .shown = 0, .size = 50, .total = 0, .more = false};
  pages.push_back(
      {"provider_versions-none", RenderProviderVersions(At(frame, texts, page.head, path), page)});
  page.head.rights = {};
  page.head.owners = {};
  page.head.name.host = texts("registry.opentofu.org");
  page.rows.push_back({.release = Release(texts, "1.0.0", 3, true), .is_here = false});
  page.rows.back().release.published_at = 0;
  page.rows.back().hold = ShownHold{.is_refused = true, .path = "/-/mirror/explain"};
  page.head.hold = ShownHold{.path = "/-/mirror/explain"};
  page.checked_at = kSampleNow - 120;
  pages.push_back({"provider_versions-mirrored",
                   RenderProviderVersions(At(frame, texts, page.head, path), page)});
  page.checked_at = 0;
  pages.push_back({"provider_versions-imported",
                   RenderProviderVersions(At(frame, texts, page.head, path), page)});
}

void AddKeyPages(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  ProviderKeysPage page{
      .head = SampleProviderHead(texts), .keys = {}, .all_keys = 2, .now = kSampleNow};
  page.keys = {SampleShownKey(texts), SampleShownKey(texts), SampleShownKey(texts)};
  page.keys[1].record.fingerprint += "B";
  page.keys[1].record.removed_at = kSampleNow - 20 * kOneSampleDay;
  page.keys[1].releases = 0;
  page.keys[1].newest_signed.clear();
  page.keys[2].record.fingerprint += "C";
  page.keys[2].record.server_made = true;
  page.keys[2].record.expires_at = 0;
  pages.push_back(
      {"provider_keys",
       RenderProviderKeys(At(frame, texts, page.head, "/providers/kumo/inventory/keys"), page)});
  page.keys.resize(1);
  page.keys[0].record.expires_at = kSampleNow - kOneSampleDay;
  page.all_keys = 60;
  pages.push_back(
      {"provider_keys-many",
       RenderProviderKeys(At(frame, texts, page.head, "/providers/kumo/inventory/keys"), page)});
}

void AddMissing(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  ProviderVersionMissingPage page{.head = SampleProviderHead(texts),
                                  .wanted = texts("2.9.0"),
                                  .nearest = texts("2.2.4"),
                                  .withdrawn = std::nullopt};
  const PageFrame at = At(frame, texts, page.head, "/providers/kumo/inventory/2.9.0");
  pages.push_back({"provider_missing", RenderProviderVersionMissing(at, page)});
  page.nearest.clear();
  page.withdrawn = WithdrawnRow{texts("2.9.0"), kSampleNow, texts("It leaked a secret.")};
  pages.push_back({"provider_missing-withdrawn", RenderProviderVersionMissing(at, page)});
}

DocListing SampleListing(const FillText& texts) {
  std::vector<DocIndexEntry> entries{
      {.kind = "guides", .name = texts("first-steps"), .title = texts("First steps")},
      {.kind = "resources",
       .name = texts("server"),
       .title = texts("inventory_server Resource"),
       .subcategory = texts("Servers")},
      {.kind = "data-sources",
       .name = texts("server"),
       .title = texts("inventory_server Data Source"),
       .subcategory = texts("Servers"),
       .is_deprecated = true},
      {.kind = "resources",
       .name = texts("tag"),
       .title = texts("inventory_tag"),
       .has_markdown = false},
      {.kind = "functions", .name = texts("owner_of"), .title = texts("owner_of")}};
  return ListDocs(entries, {.docs_path = "/providers/kumo/inventory/2.3.1/docs",
                            .page_path = "/providers/kumo/inventory/2.3.1/docs/resources/server",
                            .type = texts("inventory"),
                            .kind = "resources",
                            .name = texts("server"),
                            .filter = "",
                            .group = ""});
}

void AddDocs(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  const std::string path = "/providers/kumo/inventory/2.3.1/docs/resources/server";
  ProviderDocsPage page{.head = SampleProviderHead(texts),
                        .listing = SampleListing(texts),
                        .path = path,
                        .title = texts("inventory_server Resource"),
                        .html = markup::Fragment::Kept(
                            "<h2 id=\"user-server\">inventory_server</h2><p>A server of the "
                            "inventory.</p><pre><code>resource</code></pre>")};
  const PageFrame at = At(frame, texts, page.head, path);
  page.used_type = texts("inventory_server");
  page.users = {{texts("kumo/rack/inventory"), "/modules/kumo/rack/inventory", texts("3.1.0"),
                 texts("Servers of a rack, with their tags.")},
                {texts("kumo/lab/inventory"), "/modules/kumo/lab/inventory", texts("0.4.2"), ""}};
  pages.push_back({"provider_docs", RenderProviderDocs(at, page)});
  page.users.clear();
  page.html.reset();
  page.filter = texts("server");
  page.is_list_open = true;
  page.is_deprecated = true;
  page.listing.left_out = 12;
  page.listing.groups[0].links.clear();
  page.schema = ShownSchema{
      .name = texts("inventory_server"),
      .description = texts("A server of the inventory."),
      .is_deprecated = true,
      .deprecation = texts("Use inventory_machine."),
      .returns = texts("string"),
      .attributes = {{.path = texts("name"),
                      .type = texts("string"),
                      .is_required = true,
                      .description = texts("What people call it.")},
                     {.path = texts("disk"), .is_block = true},
                     {.path = texts("disk.size"),
                      .type = texts("number"),
                      .is_optional = true,
                      .is_deprecated = true,
                      .deprecation = texts("Use bytes.")},
                     {.path = texts("password"),
                      .type = texts("string"),
                      .is_optional = true,
                      .is_sensitive = true,
                      .is_write_only = true},
                     {.path = texts("id"), .type = texts("string"), .is_computed = true}},
      .left_out = 7};
  pages.push_back({"provider_docs-schema", RenderProviderDocs(at, page)});
  page.schema->attributes.clear();
  pages.push_back({"provider_docs-bare", RenderProviderDocs(at, page)});
  page.schema.reset();
  page.is_missing = true;
  page.html = markup::Fragment::Kept("<h2>Inventory</h2>");
  page.wanted = texts("resources/server");
  page.elsewhere = {{texts("2.2.4"), "/providers/kumo/inventory/2.2.4/docs/resources/server"}};
  pages.push_back({"provider_docs-missing", RenderProviderDocs(at, page)});
  page.is_missing = false;
  page.html.reset();
  page.filter.clear();
  page.title.clear();
  pages.push_back({"provider_docs-no_overview", RenderProviderDocs(at, page)});
  page.listing = {};
  pages.push_back({"provider_docs-none", RenderProviderDocs(at, page)});
}

void AddHistory(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  const std::string path = "/providers/kumo/inventory/changes";
  ProviderChangesPage page{
      .head = SampleProviderHead(texts),
      .from = texts("2.2.4"),
      .to = texts("2.3.1"),
      .compared = wire::Comparison{.verdict = "major",
                                   .agrees = false,
                                   .wanted = texts("3.0.0"),
                                   .changes = std::vector<wire::ComparedChange>(
                                       6, {.section = "docs",
                                           .kind = "moved",
                                           .what = texts("guides/first-steps"),
                                           .severity = "safe",
                                           .text = texts("It has another name.")})},
      .most_changes = 4};
  std::vector<wire::ComparedChange>& changes = page.compared->changes;
  const auto add = [&](std::string section, std::string kind, std::string severity,
                       std::string what, std::string text) {
    changes.insert(changes.begin(), {.section = std::move(section),
                                     .kind = std::move(kind),
                                     .what = texts(std::move(what)),
                                     .severity = std::move(severity),
                                     .text = texts(std::move(text))});
  };
  add("platforms", "removed", "breaking", "platform windows_386",
      "Removed: the provider can no longer be installed there.");
  add("schema", "added", "compatible", "resource inventory_machine", "It is new.");
  add("schema", "changed", "read", "resource inventory_server: disk.size", "It is deprecated.");
  const PageFrame at = At(frame, texts, page.head, path);
  pages.push_back({"provider_changes", RenderProviderChanges(at, page)});
  page.compared = wire::Comparison{.verdict = "patch"};
  pages.push_back({"provider_changes-none", RenderProviderChanges(at, page)});
  page.is_judged = false;
  pages.push_back({"provider_changes-back", RenderProviderChanges(at, page)});
  page.compared.reset();
  page.problem = Refusal{.text = texts("the parameter \"from\" isn't a version")};
  pages.push_back({"provider_changes-bad", RenderProviderChanges(at, page)});
  page.problem = {};
  page.from.clear();
  page.to.clear();
  pages.push_back({"provider_changes-one", RenderProviderChanges(at, page)});
}

void AddUsage(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  ProviderUsagePage page{.head = SampleProviderHead(texts), .used = SampleUsedBy(texts)};
  const PageFrame at = At(frame, texts, page.head, "/providers/kumo/inventory/usage");
  pages.push_back({"provider_usage-named", RenderProviderUsage(at, page)});
  page.used.used.named = false;
  page.used.used.consumers.clear();
  page.used.used.dependents.clear();
  pages.push_back({"provider_usage", RenderProviderUsage(at, page)});
  page.used.used = {.counted = true, .partial = true};
  pages.push_back({"provider_usage-none", RenderProviderUsage(at, page)});
}

}  // namespace

UsedByPage SampleUsedBy(const FillText& texts) {
  UsedByPage page{.used = {.address = "kumo/inventory",
                           .since = "2026-10-25",
                           .counted_since = "2026-11-01",
                           .counted = true,
                           .named = true,
                           .total = 894,
                           .archives = 311,
                           .bots = 40,
                           .people = 5,
                           .behind = 12,
                           .dependents_more = true,
                           .days = {{"2026-11-01", 4}, {"2026-11-02", 9}, {"2026-11-20", 41}}},
                  .package = "/providers/kumo/inventory",
                  .path = "/providers/kumo/inventory/usage",
                  .command = "koya usage used-by " + texts("kumo/inventory")};
  page.used.versions = {{.name = texts("2.3.1"),
                         .count = 640,
                         .archives = 200,
                         .consumers = 12,
                         .people = 3,
                         .last_day = "2026-11-21"},
                        {.name = texts("1.0.0"), .count = 4, .archives = 1, .consumers = 1}};
  page.used.consumers = {
      {.name = texts("payments-prod"),
       .principal = texts("service:deploy"),
       .label = texts("payments-prod"),
       .versions = {{texts("2.3.0"), "2026-11-20"}, {texts("1.0.0"), "2026-11-02"}},
       .behind = 1},
      {.name = texts("service:ci"), .versions = {{texts("2.3.1"), "2026-11-21"}}}};
  page.used.dependents = {
      {texts("kumo/network/aws"), texts("2.0.0"), texts("modules/a"), texts("~> 2.0")},
      {texts("registry.example.org/acme/net/aws"), "1.0.0", "", ""}};
  page.used.meta = {.limit = 50, .current_offset = 0, .total = 64};
  return page;
}

ProviderHead SampleProviderHead(const FillText& texts) {
  return {
      .name = {.host = "", .ns = texts("kumo"), .type = texts("inventory")},
      .description = texts("Look-ups against the asset inventory: owners, cost centres, service "
                           "tiers and address ranges."),
      .version = texts("2.3.1"),
      .latest = texts("2.3.1"),
      .is_prerelease = false,
      .menu = {Release(texts, "2.3.1", 4, true), Release(texts, "2.3.0", 23),
               Release(texts, "2.2.4", 67), Release(texts, "1.9.8", 258)},
      .menu_end = "",
      .versions = 22,
      .signature = ShownSignature::kValid,
      .published_at = kSampleNow - 4 * kOneSampleDay,
      .published_by = texts("ci-inventory"),
      .protocols = {texts("5.0"), texts("6.0")},
      .fetches = 894,
      .deprecation = "",
      .docs = 41,
      .keys = 2};
}

ProviderPage SampleProviderPage(const FillText& texts) {
  constexpr std::string_view kBase64 =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  ProviderPage page{
      .head = SampleProviderHead(texts),
      .source = texts("registry.kumo.example/kumo/inventory"),
      .constraint = texts("~> 2.3"),
      .platforms = {texts("darwin_amd64"), texts("darwin_arm64"), texts("linux_amd64"),
                    texts("linux_arm64"), texts("windows_amd64"), texts("freebsd_amd64")},
      .key = SampleShownKey(texts),
      .now = kSampleNow,
      .doc_kinds = {{"data-sources", 19},
                    {"functions", 4},
                    {"guides", 3},
                    {"overview", 1},
                    {"resources", 14}}};
  for (const ShownRelease& release : page.head.menu) {
    MatrixRow row{.release = release, .states = std::vector(6, PlatformState::kHere)};
    row.states[5] = release.is_deprecated ? PlatformState::kHere : PlatformState::kNotBuilt;
    page.rows.push_back(std::move(row));
  }
  int seed = 1;
  for (const std::string& platform : page.platforms) {
    page.packages.push_back({.platform = platform,
                             .size = 17'000'000U + static_cast<std::uint64_t>(seed) * 123'457U,
                             .h1 = {texts("h1:" + FakeHash(seed, 43, kBase64) + "=")},
                             .sha256 = texts(FakeHash(seed + 50, 64, "0123456789abcdef")),
                             .is_here = true});
    ++seed;
  }
  return page;
}

void AddProviderSamples(const PageFrame& frame, const FillText& texts,
                        std::vector<SamplePage>& pages) {
  AddOverviews(frame, texts, pages);
  AddLists(frame, texts, pages);
  AddKeyPages(frame, texts, pages);
  AddMissing(frame, texts, pages);
  AddDocs(frame, texts, pages);
  AddHistory(frame, texts, pages);
  AddUsage(frame, texts, pages);
}

}  // namespace koya::web
