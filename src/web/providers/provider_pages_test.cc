// Pages of providers and of the mirror: what they say of what they are given.
#include "web/providers/provider_pages.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "web/common/html_page_fake.h"
#include "web/common/view.h"
#include "web/mirror/mirror_pages.h"
#include "web/providers/provider_docs_pages.h"
#include "web/sample_parts_fake.h"

namespace koya::web {
namespace {

std::string AsItIs(std::string text) { return text; }

std::string Text(const std::string& html) { return ReadHtml(html).text; }

bool LinksTo(const HtmlPage& page, std::string_view path) {
  return std::ranges::any_of(
      page.All("a"), [path](const HtmlElement& link) { return link.Value("href") == path; });
}

TEST(ProviderPathTest, EncodesEveryPart) {
  EXPECT_EQ(ProviderPath(ProviderName{"", "acme", "demo"}), "/providers/acme/demo");
  EXPECT_EQ(ProviderPath(ProviderName{"registry.example.org:8443", "größe", "demo"}),
            "/-/mirror/providers/registry.example.org%3A8443/gr%C3%B6%C3%9Fe/demo");
  EXPECT_EQ(ProviderVersionPath(ProviderName{"", "acme", "demo"}, "1.0.0+b"),
            "/providers/acme/demo/1.0.0%2Bb");
}

TEST(ProviderPageTest, TellsTheStateOfASignatureInWords) {
  struct Row {
    ShownSignature signature;
    std::string_view words;
  };
  for (const Row& row : {Row{ShownSignature::kValid, "a key that the namespace trusts"},
                         Row{ShownSignature::kServer, "this server signed"},
                         Row{ShownSignature::kEnded, "The key has expired since"},
                         Row{ShownSignature::kRemoved, "has removed the key since"},
                         Row{ShownSignature::kUpstream, "the key from its registry"},
                         Row{ShownSignature::kNone, "Not signed by its author"},
                         Row{ShownSignature::kUnknown, "was not fetched yet"}}) {
    ProviderPage page = SampleProviderPage(AsItIs);
    page.head.signature = row.signature;
    const std::string html = RenderProvider(SampleFrame(Language::kEnglish), page);
    EXPECT_NE(Text(html).find(row.words), std::string::npos) << row.words;
  }
}

TEST(ProviderPageTest, HasALockEntryForAllPlatforms) {
  ProviderPage page = SampleProviderPage(AsItIs);
  const std::string entry = LockEntry(page);
  EXPECT_TRUE(
      entry.starts_with("provider \"registry.kumo.example/kumo/inventory\" {\n"
                        "  version     = \"2.3.1\"\n  constraints = \"~> 2.3\"\n"))
      << entry;
  for (const ShownPackage& package : page.packages) {
    EXPECT_NE(entry.find("\"" + package.h1[0] + "\","), entry.npos);
    EXPECT_NE(entry.find("\"zh:" + package.sha256 + "\","), entry.npos);
  }
  EXPECT_LT(entry.rfind("h1:"), entry.find("zh:")) << "as clients order them";
  page.packages[1] = page.packages[0];
  const std::string once = LockEntry(page);
  EXPECT_EQ(once.find(page.packages[0].h1[0]), once.rfind(page.packages[0].h1[0]));
}

TEST(ProviderPageTest, ALocalNameBeginsWithNoDigit) {
  ProviderPage page = SampleProviderPage(AsItIs);
  page.head.name.type = "3par";
  const std::string block = "    provider-3par = {\n";
  EXPECT_NE(Text(RenderProvider(SampleFrame(Language::kEnglish), page)).find("provider-3par"),
            std::string::npos);
  EXPECT_NE(ProviderMarkdown(page, "https://registry.kumo.example").find(block), std::string::npos);
}

TEST(ProviderPageTest, CellsOfTheMatrixHaveWords) {
  ProviderPage page = SampleProviderPage(AsItIs);
  page.rows[0].states[0] = PlatformState::kElsewhere;
  const std::string html = RenderProvider(SampleFrame(Language::kEnglish), page);
  for (std::string_view words : {"available", "at its registry", "not built"}) {
    EXPECT_NE(html.find(fmt::format("<b class=\"vh\">{}</b>", words)), html.npos) << words;
  }
}

TEST(ProviderPageTest, SaysHowLongAKeyLasts) {
  ProviderPage page = SampleProviderPage(AsItIs);
  const PageFrame frame = SampleFrame(Language::kEnglish);
  EXPECT_NE(Text(RenderProvider(frame, page)).find("71 days left"), std::string::npos);
  page.key->record.expires_at = page.now + 91 * 86'400;
  EXPECT_EQ(Text(RenderProvider(frame, page)).find("days left"), std::string::npos);
}

TEST(ProviderPageTest, LeadsFromAnOlderVersionToWhatChanged) {
  ProviderPage page = SampleProviderPage(AsItIs);
  page.head.version = "1.9.8";
  const HtmlPage read = ReadHtml(RenderProvider(SampleFrame(Language::kEnglish), page));
  EXPECT_TRUE(LinksTo(read, "/providers/kumo/inventory/changes?from=1.9.8&amp;to=2.3.1"));
  EXPECT_TRUE(LinksTo(read, "/providers/kumo/inventory/1.9.8/docs"));
}

TEST(ProviderPageTest, OfAnotherRegistryHasNoPagesThatThereAreNot) {
  ProviderPage page = SampleProviderPage(AsItIs);
  page.head.name.host = "registry.opentofu.org";
  page.head.docs.reset();
  page.doc_kinds.clear();
  const HtmlPage read = ReadHtml(RenderProvider(SampleFrame(Language::kEnglish), page));
  const std::string base = "/-/mirror/providers/registry.opentofu.org/kumo/inventory";
  EXPECT_TRUE(LinksTo(read, base + "/versions"));
  EXPECT_FALSE(LinksTo(read, base + "/keys"));
  EXPECT_FALSE(LinksTo(read, base + "/changes"));
  EXPECT_FALSE(LinksTo(read, base + "/2.3.1/docs"));
  page.head.docs = 0;
  const HtmlPage with_docs = ReadHtml(RenderProvider(SampleFrame(Language::kEnglish), page));
  EXPECT_TRUE(LinksTo(with_docs, base + "/2.3.1/docs")) << "which come when somebody reads them";
}

TEST(ProviderPageTest, TellsProgramsOfItsFeedAndItsTwins) {
  ProviderPage page = SampleProviderPage(AsItIs);
  PageFrame frame = SampleFrame(Language::kEnglish);
  PlaceProviderPage(frame, page.head, "/providers/kumo/inventory");
  const std::string own = RenderProvider(frame, page);
  for (std::string_view path :
       {"/-/feeds/providers/kumo/inventory.atom", "/providers/kumo/inventory/2.3.1.json",
        "/providers/kumo/inventory/2.3.1.md"}) {
    EXPECT_TRUE(own.contains(fmt::format("href=\"{}\"", path))) << path;
  }
  page.head.name.host = "registry.opentofu.org";
  frame = SampleFrame(Language::kEnglish);
  PlaceProviderPage(frame, page.head, "");
  const std::string mirrored = RenderProvider(frame, page);
  EXPECT_FALSE(mirrored.contains(".atom"));
  EXPECT_FALSE(mirrored.contains("text/markdown"));
}

TEST(ProviderPageTest, TheListOfVersionsSaysHowOneIsDeprecatedOrWithdrawn) {
  ProviderVersionsPage page{.head = SampleProviderPage(AsItIs).head,
                            .filter = "",
                            .rows = {},
                            .part = {},
                            .path = "",
                            .withdrawn = {},
                            .all_withdrawn = 0,
                            .checked_at = 0};
  page.part.size = ProviderVersionsPage::kMostRows;
  PageFrame frame = SampleFrame(Language::kEnglish);
  PlaceProviderPage(frame, page.head, "");
  const HtmlPage own = ReadHtml(RenderProviderVersions(frame, page));
  EXPECT_TRUE(own.text.contains("koya deprecate kumo/inventory 2.3.1 --message"));
  EXPECT_TRUE(own.text.contains("koya withdraw kumo/inventory 2.3.1 --reason"));
  EXPECT_TRUE(LinksTo(own, "/-/feeds/providers/kumo/inventory.atom"));
  page.head.name.host = "registry.opentofu.org";
  frame = SampleFrame(Language::kEnglish);
  PlaceProviderPage(frame, page.head, "");
  const HtmlPage mirrored = ReadHtml(RenderProviderVersions(frame, page));
  EXPECT_FALSE(mirrored.text.contains("koya withdraw"));
  EXPECT_FALSE(LinksTo(mirrored, "/-/feeds/providers/kumo/inventory.atom"));
}

TEST(ProviderPageTest, AKeyNamesTheNewestVersionsThatItSigned) {
  ProviderKeysPage page{.head = SampleProviderHead(AsItIs), .all_keys = 1, .now = 1};
  page.keys = {{.record = {.fingerprint = "9D2C51F07A3B4E66", .key_id = "9D2C51F07A3B4E66"},
                .releases = 3,
                .newest_signed = {"2.0.0", "1.0.0"}}};
  const PageFrame frame = SampleFrame(Language::kEnglish);
  const HtmlPage cut = ReadHtml(RenderProviderKeys(frame, page));
  EXPECT_TRUE(LinksTo(cut, "/providers/kumo/inventory/2.0.0"));
  EXPECT_TRUE(LinksTo(cut, "/providers/kumo/inventory/1.0.0"));
  const std::string_view rest = "/providers/kumo/inventory/versions?filter=key%3A9D2C51F07A3B4E66";
  EXPECT_TRUE(LinksTo(cut, rest));
  page.keys[0].releases = 2;
  EXPECT_FALSE(LinksTo(ReadHtml(RenderProviderKeys(frame, page)), rest));
  page.keys[0].releases = 0;
  page.keys[0].newest_signed.clear();
  EXPECT_TRUE(Text(RenderProviderKeys(frame, page)).contains("No version of this provider"));
}

TEST(ProviderPageTest, AVersionNamesTheKeyThatSignedIt) {
  ProviderVersionsPage page{.head = SampleProviderHead(AsItIs)};
  page.part.size = ProviderVersionsPage::kMostRows;
  page.rows = {{.release = {.version = "2.0.0"},
                .key_id = "7B210FA49E5CD388",
                .key_fingerprint = "9D2C 7B210FA49E5CD388"},
               {.release = {.version = "1.0.0"}, .key_fingerprint = "9D2C"}};
  const PageFrame frame = SampleFrame(Language::kEnglish);
  const HtmlPage own = ReadHtml(RenderProviderVersions(frame, page));
  EXPECT_TRUE(own.text.contains("7B21 0FA4 9E5C D388"));
  EXPECT_TRUE(LinksTo(own, "/providers/kumo/inventory/keys#key-9D2C7B210FA49E5CD388"));
  EXPECT_FALSE(LinksTo(own, "/providers/kumo/inventory/keys#key-9D2C")) << "nobody knows that key";
  page.head.name.host = "registry.opentofu.org";
  EXPECT_FALSE(Text(RenderProviderVersions(frame, page)).contains("Signed with key"))
      << "another registry's keys are not this one's";
}

TEST(ProviderPageTest, MarkdownMeansItself) {
  ProviderPage page = SampleProviderPage(AsItIs);
  page.head.description = "a [link](javascript:alert(1)) | <b>\n# heading";
  const std::string text = ProviderMarkdown(page, "https://registry.kumo.example");
  EXPECT_TRUE(
      text.starts_with("# kumo/inventory 2.3.1\n\n"
                       "a \\[link\\](javascript:alert(1)) \\| \\<b\\> \\# heading\n"))
      << text;
  EXPECT_NE(text.find("| linux\\_amd64 |"), text.npos);
  EXPECT_NE(text.find(LockEntry(page)), text.npos);
  EXPECT_NE(text.find("https://registry.kumo.example/providers/kumo/inventory/2.3.1/docs\n"),
            text.npos);
}

// ---- docs

std::vector<DocIndexEntry> ManyEntries(std::size_t count) {
  std::vector<DocIndexEntry> entries;
  for (std::size_t i = 0; i < count; ++i) {
    entries.push_back({.kind = "resources",
                       .name = fmt::format("thing_{}", i),
                       .title = "",
                       .subcategory = fmt::format("Group {}", i % 10)});
  }
  return entries;
}

DocQuery WishFor(std::string kind, std::string name) {
  const std::string docs = "/providers/acme/demo/1.0.0/docs";
  return {.docs_path = docs,
          .page_path = DocPath(docs, kind, name),
          .type = "demo",
          .kind = std::move(kind),
          .name = std::move(name),
          .filter = "",
          .group = ""};
}

std::size_t LinksIn(const DocListing& listing) {
  std::size_t links = 0;
  for (const DocGroup& group : listing.groups) links += group.links.size();
  return links;
}

TEST(DocGroupsTest, NamesPagesAsPeopleLookForThem) {
  EXPECT_EQ(DocLabel({.kind = "resources", .name = "thing", .title = "x"}, "demo"), "demo_thing");
  EXPECT_EQ(DocLabel({.kind = "resources", .name = "demo_thing"}, "demo"), "demo_thing");
  EXPECT_EQ(DocLabel({.kind = "resources",
                      .name = "other_thing",
                      .title = "other_thing",
                      .has_markdown = false},
                     "demo"),
            "other_thing");
  EXPECT_EQ(DocLabel({.kind = "functions", .name = "upper"}, "demo"), "upper");
  EXPECT_EQ(DocLabel({.kind = "guides", .name = "start", .title = "First steps"}, "demo"),
            "First steps");
  EXPECT_EQ(DocPath("/d", "resources", "a b"), "/d/resources/a%20b");
  EXPECT_EQ(DocPath("/d", "overview", "index"), "/d");
}

TEST(DocGroupsTest, ListsAllGroupsWhileTheyFit) {
  DocListing listing = ListDocs(ManyEntries(250), WishFor("resources", "thing_13"));
  EXPECT_EQ(listing.groups.size(), 10U);
  EXPECT_EQ(LinksIn(listing), 250U);
  EXPECT_EQ(std::ranges::count(listing.groups, true, &DocGroup::is_open), 1);
  EXPECT_EQ(listing.groups[3].title, "Group 3");
  EXPECT_TRUE(listing.groups[3].is_open);
}

TEST(DocGroupsTest, ListsTheOpenGroupAloneWhenTheyDoNot) {
  DocQuery wish = WishFor("overview", "index");
  DocListing listing = ListDocs(ManyEntries(400), wish);
  EXPECT_EQ(LinksIn(listing), 0U) << "no group is open";
  EXPECT_EQ(listing.groups[2].path, "?group=2");
  wish.group = "1";
  EXPECT_EQ(LinksIn(ListDocs(ManyEntries(400), wish)), 40U);
  EXPECT_EQ(ListDocs(ManyEntries(400), wish).groups[0].title, "Group 1");
  for (const char* none : {"10", "-1", "99999999999999999999", "group:Group 1", "1 "}) {
    wish.group = none;
    EXPECT_EQ(LinksIn(ListDocs(ManyEntries(400), wish)), 0U) << none;
  }
}

TEST(DocGroupsTest, KeepsTheCurrentPageInTheListBeyondItsBound) {
  for (int at : {0, 7, 700, 1493, 1499}) {
    DocListing listing =
        ListDocs(ManyEntries(15'000), WishFor("resources", fmt::format("thing_{}", at * 10)));
    EXPECT_GT(LinksIn(listing), 200U);
    EXPECT_EQ(listing.left_out, 1500 - LinksIn(listing));
    EXPECT_EQ(std::ranges::count(listing.groups[0].links, true, &DocLink::is_current), 1) << at;
  }
  std::vector<DocIndexEntry> entries = ManyEntries(1500);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].subcategory = fmt::format("Group {:04}", i);
  }
  DocListing listing = ListDocs(entries, WishFor("resources", "thing_1400"));
  EXPECT_GT(listing.groups.size(), 200U);
  EXPECT_EQ(listing.left_out, 1500 - listing.groups.size());
  EXPECT_EQ(LinksIn(listing), 1U);
}

TEST(DocGroupsTest, LinksAreRelativeToThePage) {
  std::vector<DocIndexEntry> entries{{.kind = "resources", .name = "a"}};
  DocQuery wish = WishFor("overview", "index");
  EXPECT_EQ(ListDocs(entries, wish).groups[0].links[0].path, "./docs/resources/a");
  wish.page_path = wish.docs_path + "/cdktf/python";
  EXPECT_EQ(ListDocs(entries, wish).groups[0].links[0].path, "../resources/a");
  wish.page_path += "/resources/b";
  EXPECT_EQ(ListDocs(entries, wish).groups[0].links[0].path, "../../../resources/a");
}

TEST(DocGroupsTest, NamesTheNeighboursInTheOrderOfTheList) {
  const std::vector<DocIndexEntry> entries{
      {.kind = "overview", .name = "index"},
      {.kind = "data-sources", .name = "disk", .subcategory = "Disks"},
      {.kind = "resources", .name = "disk", .subcategory = "Disks"},
      {.kind = "resources", .name = "zone"},
      {.kind = "guides", .name = "start", .title = "First steps"}};
  struct Row {
    std::string kind, name, previous, next;
  };
  const std::string docs = "/providers/acme/demo/1.0.0/docs";
  for (const Row& row : {Row{"overview", "index", "none", "./docs/guides/start"},
                         Row{"guides", "start", docs, "../resources/disk"},
                         Row{"resources", "disk", "../guides/start", "../data-sources/disk"},
                         Row{"data-sources", "disk", "../resources/disk", "../resources/zone"},
                         Row{"resources", "zone", "../data-sources/disk", "none"},
                         Row{"resources", "nothing", "none", "none"}}) {
    DocQuery wish = WishFor(row.kind, row.name);
    wish.filter = "zone";  // does not count
    const DocListing listing = ListDocs(entries, wish);
    EXPECT_EQ(listing.previous ? listing.previous->path : "none", row.previous) << row.kind;
    EXPECT_EQ(listing.next ? listing.next->path : "none", row.next) << row.kind;
  }
  const DocListing listing = ListDocs(entries, WishFor("resources", "disk"));
  EXPECT_EQ(listing.found, 5U) << "with the overview";
  EXPECT_EQ(listing.groups[1].links[0].kind, "resources");
  EXPECT_EQ(listing.groups[1].links[1].kind, "data-sources");
}

TEST(DocGroupsTest, FindsWhatHasEveryWord) {
  DocQuery wish = WishFor("overview", "index");
  wish.filter = " THING 39  demo ";
  DocListing listing = ListDocs(ManyEntries(1000), wish);
  EXPECT_EQ(listing.found, 20U) << "39, 139 … 939 and 390 … 399";
  EXPECT_EQ(LinksIn(listing), listing.found);
  wish.filter = "nothing like it";
  EXPECT_TRUE(ListDocs(ManyEntries(1000), wish).groups.empty());
  wish.filter = std::string(100'000, 'x');
  EXPECT_EQ(ListDocs(ManyEntries(10), wish).found, 0U);
}

TEST(ProviderDocsPageTest, StaysBoundedWithAnyNumberOfPages) {
  ProviderDocsPage page{.head = SampleProviderHead(AsItIs), .path = "/providers/a/b/1.0.0/docs"};
  std::vector<DocIndexEntry> entries = ManyEntries(1500);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].name = fmt::format("service{}_some_thing_{}", i % 230, i);
    entries[i].subcategory =
        i < 150 ? "EC2 (Elastic Compute)" : fmt::format("S{} (Some Service)", i % 230);
  }
  for (const char* name : {"service1_some_thing_1", "service29_some_thing_1409", "nothing"}) {
    for (const char* filter : {"", "thing", "service1 some_thing_1"}) {
      DocQuery wish = WishFor("resources", name);
      wish.filter = filter;
      page.listing = ListDocs(entries, wish);
      for (Language language : kLanguages) {
        EXPECT_LT(RenderProviderDocs(SampleFrame(language), page).size(), 32'000U)
            << name << " " << filter;
      }
    }
  }
}

TEST(ProviderDocsPageTest, ShowsTheOverviewInPlaceOfAMissingPage) {
  ProviderDocsPage page{.head = SampleProviderHead(AsItIs),
                        .path = "/providers/a/b/1.0.0/docs/r/x"};
  page.is_missing = true;
  page.wanted = "resources/x";
  const PageFrame frame = SampleFrame(Language::kEnglish);
  EXPECT_FALSE(Text(RenderProviderDocs(frame, page)).contains("first page"));
  page.html = markup::Fragment::Kept("<p>Clouds of tofu.</p>");
  const std::string text = Text(RenderProviderDocs(frame, page));
  EXPECT_LT(text.find("resources/x is not in this version. This is the first page"),
            text.find("Clouds of tofu."));
}

TEST(ProviderDocsPageTest, TellsWhoUsesIt) {
  ProviderDocsPage page{.head = SampleProviderHead(AsItIs), .path = "/providers/a/b/1.0.0/docs"};
  page.html = markup::Fragment::Kept("<p>Words.</p>");
  const PageFrame frame = SampleFrame(Language::kEnglish);
  EXPECT_FALSE(Text(RenderProviderDocs(frame, page)).contains("Used by these modules"));
  page.used_type = "inventory_server";
  page.users = {{"kumo/rack/inventory", "/modules/kumo/rack/inventory", "3.1.0", "a <b> title"}};
  const HtmlPage read = ReadHtml(RenderProviderDocs(frame, page));
  EXPECT_TRUE(LinksTo(read, "/modules/kumo/rack/inventory"));
  EXPECT_TRUE(LinksTo(read, "/search?q=uses%3Ainventory_server"));
}

// ---- lists, the mirror

TEST(ProviderVersionsPageTest, OffersTheNextPartWithItsFilter) {
  ProviderVersionsPage page{.head = SampleProviderHead(AsItIs)};
  page.filter = "~> 2.0";
  page.path = "/providers/kumo/inventory/versions?filter=~%3E%202.0";
  page.rows.resize(50, {.release = {.version = "2.0.0"}});
  page.part = {.offset = 50, .shown = 50, .size = 50, .total = 120, .more = false};
  const HtmlPage read = ReadHtml(RenderProviderVersions(SampleFrame(Language::kEnglish), page));
  EXPECT_TRUE(LinksTo(read, "/providers/kumo/inventory/versions?filter=~%3E%202.0&amp;page=3"));
  EXPECT_TRUE(LinksTo(read, "/providers/kumo/inventory/versions?filter=~%3E%202.0"));
}

TEST(MirrorPageTest, DrawsNothingWhereThereIsNoSeries) {
  MirrorPage page{.upstreams = {{.host = "a.example"}}, .since = 1, .now = 2};
  const std::string html = RenderMirror(SampleFrame(Language::kEnglish), page);
  EXPECT_EQ(html.find("preserveAspectRatio"), html.npos);
  page.upstreams[0].hours = {{.asked = 0}, {.asked = 3}};
  const std::string drawn = RenderMirror(SampleFrame(Language::kEnglish), page);
  EXPECT_NE(drawn.find("preserveAspectRatio"), drawn.npos);
}

TEST(BarsTest, DrawsSeriesOutOfAttributes) {
  View view;
  AddBars(view, {});
  const std::vector<std::uint64_t> zeros(24, 0);
  const std::vector<std::uint64_t> series{1, 0, 1'000'000};
  View flat;
  AddBars(flat, zeros);
  View drawn;
  AddBars(drawn, series);
  EXPECT_EQ(std::get<bool>(view.fields()[0].value), false);
  EXPECT_EQ(std::get<bool>(flat.fields()[0].value), false);
  EXPECT_EQ(std::get<bool>(drawn.fields()[0].value), true);
  EXPECT_EQ(std::get<std::vector<View>>(drawn.fields()[2].value).size(), 2U)
      << "of nothing there is nothing, of little there is something";
}

TEST(MirrorPageTest, NamesWhatFailsAndSaysWhatThatMeans) {
  MirrorPage page{.since = 1'795'000'000, .now = 1'795'279'270};
  for (int i = 0; i < 5; ++i) {
    page.upstreams.push_back({.host = fmt::format("host{}.example", i),
                              .kind = ShownUpstream::Kind::kFailing,
                              .failing_since = 1'795'270'000,
                              .cause = "no such host"});
  }
  const std::string text = Text(RenderMirror(SampleFrame(Language::kEnglish), page));
  EXPECT_NE(text.find("host2.example has not responded since"), text.npos) << text;
  EXPECT_EQ(text.find("host3.example has not responded since"), text.npos);
  EXPECT_NE(text.find("More registries that do not respond: 2"), text.npos);
  EXPECT_NE(text.find("keep working"), text.npos);
  EXPECT_NE(text.find("no such host"), text.npos);
}

TEST(MirrorPageTest, LeadsNowhereThatIsNotThere) {
  for (const char* later : {"decisions", "bundles", "approvals", "requests"}) {
    for (const SamplePage& page : SamplePages(SampleFrame(Language::kEnglish))) {
      for (const HtmlElement& link : ReadHtml(page.html).All("a")) {
        EXPECT_FALSE(link.Value("href").contains(later)) << page.name;
      }
    }
  }
}

}  // namespace
}  // namespace koya::web
