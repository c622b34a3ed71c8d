#include "web/modules/module_pages.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "hcl/hcl.h"
#include "web/common/assets.h"
#include "web/common/html_page_fake.h"
#include "web/modules/module_dependencies.h"
#include "web/modules/module_pages_fake.h"
#include "web/sample_parts_fake.h"

namespace koya::web {
namespace {

std::string ProblemList(const std::string& html) {
  std::string listing;
  for (const std::string& problem : PageProblems(ReadHtml(html))) listing += problem + "\n";
  return listing;
}

std::string TextOf(const std::string& html) { return ReadHtml(html).text; }

std::vector<std::string> LinksOf(const std::string& html) {
  std::vector<std::string> links;
  for (const HtmlElement& each : ReadHtml(html).All("a")) links.push_back(each.Value("href"));
  return links;
}

bool HasLink(const std::string& html, std::string_view href) {
  const std::vector<std::string> links = LinksOf(html);
  return std::ranges::find(links, href) != links.end();
}

// What is in the block to copy.
std::string BlockOf(const std::string& html) {
  const std::size_t begin = html.find("id=\"use-code\"");
  const std::size_t end = html.find("</pre>", begin);
  if (begin == html.npos || end == html.npos) return {};
  std::string text;
  bool in_tag = true;
  for (char c : html.substr(begin, end - begin)) {
    if (c == '<') in_tag = true;
    if (!in_tag) text += c;
    if (c == '>') in_tag = false;
  }
  for (const auto& [entity, character] :
       {std::pair("&quot;", "\""), std::pair("&gt;", ">"), std::pair("&lt;", "<"),
        std::pair("&#39;", "'"), std::pair("&amp;", "&")}) {
    for (std::size_t at = text.find(entity); at != text.npos; at = text.find(entity, at + 1)) {
      text.replace(at, std::string_view(entity).size(), character);
    }
  }
  return text;
}

PageFrame English() { return SampleFrame(Language::kEnglish); }

TEST(ModulePagesTest, AreWholeInEveryLanguage) {
  for (Language language : kLanguages) {
    for (const SamplePage& page : ModuleSamplePages(SampleFrame(language))) {
      SCOPED_TRACE(fmt::format("{} {}", page.name, LanguageCode(language)));
      EXPECT_EQ(ProblemList(page.html), "");
      EXPECT_EQ(page.html.find("{{"), page.html.npos);
      EXPECT_EQ(page.html.find("[["), page.html.npos);
      EXPECT_LT(page.html.size(), 20'000U);
    }
  }
}

TEST(ModulePagesTest, AreSaidInTheirLanguage) {
  auto english = ModuleSamplePages(SampleFrame(Language::kEnglish));
  auto japanese = ModuleSamplePages(SampleFrame(Language::kJapanese));
  ASSERT_EQ(english.size(), japanese.size());
  for (std::size_t i = 0; i < english.size(); ++i) {
    EXPECT_NE(TextOf(english[i].html), TextOf(japanese[i].html)) << english[i].name;
  }
}

constexpr std::string_view kHostileAuthors[] = {
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' autofocus onfocus='alert(1)",
    "</title></pre></code><svg onload=alert(1)>",
    "</form><form action=//evil.example method=post>",
    "[x](javascript:alert(1)) ![y](https://evil.example/y.png)",
    "{{csrf}}{{{csrf}}}{{>_foot}}",
    "[[frame.skip]]",
    "# a\n# a\n<a name=\"main\">x</a>",
    "\xE2\x80\xAE"
    "desrever \xE2\x81\xA9\xE2\x81\xA9 out",
    "\xFF\xFE\xC0\xAF broken",
    "\x01\x1B[31m",
};

TEST(ModulePagesTest, HoldHostileTextOfAuthors) {
  auto plain = ModuleSamplePages(English());
  for (std::string_view hostile : kHostileAuthors) {
    auto filled = ModuleSamplePages(English(), std::string(hostile));
    ASSERT_EQ(plain.size(), filled.size());
    for (std::size_t i = 0; i < filled.size(); ++i) {
      SCOPED_TRACE(fmt::format("{}: {}", filled[i].name, Printable(hostile)));
      HtmlPage page = ReadHtml(filled[i].html);
      std::erase_if(page.problems, [](const std::string& p) { return p.starts_with("a mark"); });
      std::string listing;
      for (const std::string& problem : PageProblems(page)) {
        // A link of an author may lead elsewhere, and says so.
        if (!problem.starts_with("href=\"https://evil.example")) listing += problem + "\n";
      }
      EXPECT_EQ(listing, "");
      EXPECT_TRUE(IsUtf8(filled[i].html));
      EXPECT_EQ(page.All("script").size(), 1U);
      EXPECT_TRUE(page.All("iframe").empty());
      for (const HtmlElement& image : page.All("img")) {
        EXPECT_TRUE(image.Value("src").starts_with("/modules/platform/")) << image.Value("src");
      }
      EXPECT_EQ(page.All("form").size(), ReadHtml(plain[i].html).All("form").size());
    }
  }
}

TEST(ModulePagesTest, DoNotGrowWithTheNumberOfVersions) {
  SampleModule sample = MakeSampleModule();
  SampleModule large = MakeSampleModule();
  const ModuleVersionRecord pattern = large.versions[5];
  large.versions.pop_back();
  for (int minor = 700; minor > 0; --minor) {
    for (int patch = 2; patch >= 0; --patch) {
      large.versions.push_back(pattern);
      large.versions.back().version = *Version::Parse(fmt::format("1.{}.{}", minor, patch));
    }
  }
  for (int i = 0; i < 500; ++i) large.withdrawn.push_back(sample.withdrawn[0]);
  const PageFrame frame = English();
  auto sizes = [&frame](const SampleModule& module) {
    const ModulePage page = module.Page(0, true);
    return std::vector<std::size_t>{
        RenderModuleReadme(frame, page).size(), RenderModuleInputs(frame, page, {}).size(),
        RenderModuleUsage(frame, page, {}).size(), RenderModuleFiles(frame, page, {}).size()};
  };
  const std::vector<std::size_t> small = sizes(sample);
  const std::vector<std::size_t> many = sizes(large);
  for (std::size_t i = 0; i < small.size(); ++i) EXPECT_LT(many[i], small[i] + 1500) << i;
  EXPECT_LT(RenderModuleChanges(frame, large.Page(0, true), {}).size(), 16'000U);
  const std::string versions = RenderModuleVersions(frame, large.Page(0, true), {});
  EXPECT_EQ(ReadHtml(versions).All("tr").size(), ModuleVersionsForm::kRows + 1);
  EXPECT_TRUE(HasLink(versions, "/modules/platform/network/aws/latest/versions?page=2"));
  EXPECT_LT(versions.size(), 60'000U);
}

TEST(ModuleHeadTest, ShowsAMenuOfTheNewestOfEachMinor) {
  SampleModule sample = MakeSampleModule();
  const std::string html = RenderModuleReadme(English(), sample.Page(3));
  EXPECT_TRUE(HasLink(html, "/modules/platform/network/aws"));
  EXPECT_TRUE(HasLink(html, "/modules/platform/network/aws/3.9.2"));
  EXPECT_TRUE(HasLink(html, "/modules/platform/network/aws/4.0.6/versions"));
  EXPECT_TRUE(HasLink(html, "/modules/platform/network/aws/4.0.6/inputs"));
}

TEST(ModuleHeadTest, SaysHowFarBehindAVersionIs) {
  SampleModule sample = MakeSampleModule();
  const PageFrame frame = English();
  EXPECT_NE(TextOf(RenderModuleReadme(frame, sample.Page(2))).find("4.1.3 is one version behind"),
            std::string::npos);
  const std::string two = RenderModuleReadme(frame, sample.Page(3));
  EXPECT_NE(TextOf(two).find("4.0.6 is 2 versions behind"), std::string::npos);
  EXPECT_TRUE(HasLink(two, "/modules/platform/network/aws/4.0.6/changes?from=4.0.6&amp;to=4.2.0"));
  EXPECT_EQ(TextOf(RenderModuleReadme(frame, sample.Page(1))).find("behind"), std::string::npos);
}

TEST(ModuleHeadTest, SaysWhatIsUnusualOfAVersion) {
  SampleModule sample = MakeSampleModule();
  const PageFrame frame = English();
  const std::string prerelease = TextOf(RenderModuleReadme(frame, sample.Page(0)));
  EXPECT_NE(prerelease.find("version = \"5.0.0-rc.1\""), std::string::npos);
  const std::string deprecated = TextOf(RenderModuleReadme(frame, sample.Page(4)));
  EXPECT_NE(deprecated.find("3.x gets no fixes"), std::string::npos);
  EXPECT_NE(deprecated.find("Use 4.2.0 instead"), std::string::npos);
}

TEST(ModuleReadmeTest, GivesABlockWithWhatIsRequired) {
  SampleModule sample = MakeSampleModule();
  const PageFrame frame = English();
  EXPECT_EQ(BlockOf(RenderModuleReadme(frame, sample.Page(0, true))), R"(module "network" {
  source  = "registry.kumo.example/platform/network/aws"
  version = "~> 4.2"

  name       = "" # string
  cidr_block = "" # string
  zones      = [] # list(string)
}
)");
  EXPECT_NE(BlockOf(RenderModuleReadme(frame, sample.Page(2))).find("version = \"4.1.3\""),
            std::string::npos);
  EXPECT_NE(BlockOf(RenderModuleReadme(frame, sample.Page(0))).find("version = \"5.0.0-rc.1\""),
            std::string::npos);
}

TEST(ModuleReadmeTest, TellsWhatChangedOnlyOfTheVersionBefore) {
  SampleModule sample = MakeSampleModule();
  const PageFrame frame = English();
  EXPECT_NE(TextOf(RenderModuleReadme(frame, sample.Page(1))).find("2 added"), std::string::npos);
  // What it was compared with is not here any more.
  sample.versions.erase(sample.versions.begin() + 2);
  const std::string html = RenderModuleReadme(frame, sample.Page(1));
  EXPECT_EQ(TextOf(html).find("2 added"), std::string::npos);
  EXPECT_NE(TextOf(html).find("Compare with 4.0.6"), std::string::npos);
}

TEST(ModuleReadmeTest, LeadsLinksOfTheReadmeIntoTheArchive) {
  SampleModule sample = MakeSampleModule();
  sample.contents.root.readme.text =
      "[a](docs/moving.md) [b](../../etc) ![logo](img/logo.png) [c](#there)";
  const std::string html = RenderModuleReadme(English(), sample.Page(0, true));
  EXPECT_TRUE(HasLink(html, "/modules/platform/network/aws/latest/files/docs/moving.md"));
  EXPECT_NE(html.find("src=\"/modules/platform/network/aws/latest/files/img/logo.png?raw=1\""),
            html.npos);
  EXPECT_EQ(html.find("/etc"), html.npos);
}

// Addresses are the web's, and begin where the text stands.
TEST(ModuleReadmeTest, ListsItsHeadings) {
  SampleModule sample = MakeSampleModule();
  struct Case {
    int headings;
    std::size_t listed;
    bool is_cut;
  };
  for (const Case& each : {Case{0, 0, false}, Case{2, 0, false}, Case{3, 3, false},
                           Case{200, 200, false}, Case{2000, 200, true}}) {
    std::string text;
    for (int i = 0; i < each.headings; ++i) text += i == 1 ? "## <b>A & b\n" : "# Setup\n";
    sample.contents.root.readme = {.file = "README.md", .text = text, .language = "en"};
    const std::string html = RenderModuleReadme(English(), sample.Page(0, true));
    EXPECT_EQ(ProblemList(html), "") << each.headings;
    const std::size_t begin = std::min(html.find("<nav aria-label=\"On this page\">"), html.size());
    const std::string list = html.substr(begin, html.find("</nav>", begin) - begin);
    EXPECT_EQ(LinksOf(list).size(), each.listed);
    EXPECT_EQ(list.contains("headings are listed."), each.is_cut);
    if (each.listed == 0) continue;
    EXPECT_EQ(LinksOf(list)[2], "#user-setup-1") << "each place has a name of its own";
    EXPECT_TRUE(list.contains("<bdi>A &amp; b</bdi>")) << list;
    EXPECT_TRUE(HasLink(html.substr(html.find("<article")), "#user-setup-1"));
  }
}

TEST(ModuleReadmeTest, LinksAreReadAsAddresses) {
  SampleModule sample = MakeSampleModule();
  const std::string files = "/modules/platform/network/aws/latest/files/";
  struct AddressRow {
    std::string_view address;
    std::string_view file;  // "": no link
  };
  const std::vector<AddressRow> kRows = {
      {"docs/my%20guide.md", "docs/my%20guide.md"},
      {"docs/g.md?plain=1", "docs/g.md"},
      {"./docs/../docs/d.png?raw=true", "docs/d.png"},
      {"docs/1.0..2.0.md", "docs/1.0..2.0.md"},
      {"docs/100%25.md", "docs/100%25.md"},
      {"docs/100%.md", "docs/100%25.md"},
      {"docs//d.md", "docs/d.md"},
      {"/docs/d.md", "docs/d.md"},
      {"docs/sub/", "docs/sub"},
      {"../etc", ""},
      {"docs/%2e%2e/%2e%2E/etc", ""},
  };
  for (const AddressRow& row : kRows) {
    sample.contents.root.readme.text =
        "[a](" + std::string(row.address) + ") ![b](" + std::string(row.address) + ")";
    const std::string html = RenderModuleReadme(English(), sample.Page(0, true));
    const bool links = !row.file.empty();
    EXPECT_EQ(HasLink(html, files + std::string(row.file)), links) << row.address;
    EXPECT_EQ(html.find("src=\"" + files + std::string(row.file) + "?raw=1\"") != html.npos, links)
        << row.address;
  }
  sample.contents.root.readme.text = "[a](README.md#usage) [b](main.tf#L3-L5)";
  const std::string html = RenderModuleReadme(English(), sample.Page(0, true));
  EXPECT_TRUE(HasLink(html, "/modules/platform/network/aws#user-usage"));
  EXPECT_TRUE(HasLink(html, files + "main.tf#L3"));
}

// They led to the list of the folder's files.
TEST(ModuleReadmeTest, FoldersThatHavePagesAreLinkedToThem) {
  SampleModule sample = MakeSampleModule();
  const std::string sub = sample.contents.submodules.front().path;
  const std::string example = sample.contents.examples.front().path;
  sample.contents.root.readme.text = "[a](" + sub + "/) [b](./" + example + ") [c](" + sub + "#x)";
  const std::string html = RenderModuleReadme(English(), sample.Page(0, true));
  const std::string here = "/modules/platform/network/aws/latest/";
  const std::string page = here + "submodules/" + sub.substr(std::string_view("modules/").size());
  EXPECT_TRUE(HasLink(html, page));
  EXPECT_TRUE(HasLink(html, page + "#user-x"));
  EXPECT_TRUE(HasLink(html, here + example));
}

TEST(ModuleReadmeTest, IsTextUnlessItsNameSaysMarkdown) {
  SampleModule sample = MakeSampleModule();
  inspect::Readme& readme = sample.contents.root.readme;
  readme.text = "# One\n\n*two* <b>\n```\n";
  for (std::string_view file : {"README.txt", "README", "README.rst"}) {
    readme.file = file;
    const std::string html = RenderModuleReadme(English(), sample.Page(0, true));
    EXPECT_NE(html.find("<pre tabindex=\"0\"># One\n\n*two* &lt;b&gt;\n```\n</pre>"), html.npos)
        << file;
    EXPECT_TRUE(ModuleMarkdown(sample.Page(0, true))
                    .ends_with("## README\n\n````\n# One\n\n*two* <b>\n```\n\n````\n"))
        << file;
  }
  for (std::string_view file : {"README.md", "readme.MARKDOWN"}) {
    readme.file = file;
    EXPECT_NE(RenderModuleReadme(English(), sample.Page(0, true)).find("<em>two</em>"),
              std::string::npos)
        << file;
  }
}

TEST(ModuleHeadTest, TheHeadlineIsNoLicenceAndNoBadge) {
  struct Row {
    std::string_view header;
    std::string readme;
    std::string_view said;
  };
  const std::string far(20'000, 'x');
  for (const Row& row : {
           Row{"Copyright 2022 Example\n\nLicensed under", "# A\n\nNets.\n", "Nets."},
           Row{"Copyright 2022 Example\n\nLicensed under", "", ""},
           Row{"From the comment.", "# A\n\nNets.\n", "Nets."},
           Row{"From the comment.", "", "From the comment."},
           Row{"", "[![ci](https://a.b/c.svg)](https://a.b)\n\nNets.\n", "Nets."},
           Row{"", "[![ci][1]][2] [![b][3]][4]\n\nNets.\n\n" + far + "\n\n[1]: /a\n", "Nets."},
           Row{"", "SPDX-License-Identifier: MIT\n\nNets.\n", "Nets."},
       }) {
    inspect::ModulePart part;
    part.header = row.header;
    part.readme = {.file = "README.md", .text = row.readme};
    EXPECT_EQ(PartSummary(part, 100), row.said) << row.header << row.readme.substr(0, 60);
  }
}

TEST(ModuleFolderTest, LinksOfAFolderBeginInIt) {
  SampleModule sample = MakeSampleModule();
  inspect::ModulePart& part = sample.contents.submodules.front();
  part.readme.file = part.path + "/README.md";
  part.readme.text = "[a](main.tf) [b](../../README.md#usage) [c](../../../out) ![d](pic.png)";
  part.inputs.front().description = "See [guide](docs/guide.md).";
  part.inputs.front().place.file = part.path + "/variables.tf";
  sample.contents.root.readme.file = "README.md";
  const std::string html =
      RenderModuleFolder(English(), sample.Page(0, true),
                         {.kind = ModuleFolderKind::kSubmodule, .part = &part, .sources = {}});
  const std::string here = "/modules/platform/network/aws/latest";
  EXPECT_TRUE(HasLink(html, here + "/files/" + part.path + "/main.tf"));
  EXPECT_TRUE(HasLink(html, "/modules/platform/network/aws#user-usage"));
  EXPECT_TRUE(HasLink(html, here + "/files/" + part.path + "/docs/guide.md"));
  EXPECT_NE(html.find("src=\"" + here + "/files/" + part.path + "/pic.png?raw=1\""), html.npos);
  EXPECT_EQ(html.find("/out\""), html.npos);
}

TEST(ModuleInputsTest, SplitFilterAndOrder) {
  SampleModule sample = MakeSampleModule();
  const ModulePage page = sample.Page(0, true);
  auto names = [&page](const ModuleFilterForm& form) {
    std::string listing;
    for (const HtmlElement& each : ReadHtml(RenderModuleInputs(English(), page, form)).All("li")) {
      if (each.Value("id").starts_with("in-")) listing += each.Value("id").substr(3) + " ";
    }
    return listing;
  };
  using Order = ModuleFilterForm::Order;
  EXPECT_EQ(names({}),
            "name cidr_block zones nat_mode extra_routes peer_secret enable_nat tags bits ");
  EXPECT_EQ(names({"", Order::kName}),
            "bits cidr_block enable_nat extra_routes name nat_mode peer_secret tags zones ");
  EXPECT_EQ(names({"", Order::kType}),
            "enable_nat zones extra_routes tags bits name cidr_block nat_mode peer_secret ");
  EXPECT_EQ(names({"nat", Order::kType}), "enable_nat nat_mode ");
  EXPECT_EQ(names({"NAT", Order::kSource}), "nat_mode enable_nat ");
  EXPECT_EQ(names({"range vpc", Order::kSource}), "cidr_block ");
  EXPECT_EQ(names({"no such words", Order::kSource}), "");
  EXPECT_EQ(names({std::string(100'000, 'x'), Order::kSource}), "");
}

TEST(ModuleInputsTest, TellTypesToTheirAttributes) {
  SampleModule sample = MakeSampleModule();
  const std::string text = TextOf(RenderModuleInputs(English(), sample.Page(0, true), {}));
  for (std::string_view told :
       {"map(object)", "destination", "rules[].port", "[\"private\"]", "set(string)",
        "Must be 3 to 24", "length(var.name)", "Default, 22 lines", "Must not be null"}) {
    EXPECT_NE(text.find(told), text.npos) << told;
  }
  EXPECT_EQ(text.find("hidden"), text.npos);
}

TEST(ModuleOutputsTest, HaveNoOrderByType) {
  EXPECT_EQ(ParseModuleOrder("type"), ModuleFilterForm::Order::kType);
  SampleModule sample = MakeSampleModule();
  const ModulePage page = sample.Page(0, true);
  const ModuleFilterForm by_type{"", ModuleFilterForm::Order::kType};
  EXPECT_TRUE(
      RenderModuleInputs(English(), page, by_type).contains("<option value=\"type\" selected>"));
  const std::string outputs = RenderModuleOutputs(English(), page, by_type);
  EXPECT_FALSE(outputs.contains("<option value=\"type\""));
  EXPECT_LT(outputs.find("id=\"out-vpc_id\""), outputs.find("id=\"out-nat_public_ips\""));
}

TEST(ModuleOutputsTest, TellInWhichVersionTheyCame) {
  SampleModule sample = MakeSampleModule();
  ModulePage page = sample.Page(0, true);
  // Of an input of the same name nothing is said here.
  page.added_in = {{"vpc_id", "3.0.0"}};
  EXPECT_FALSE(TextOf(RenderModuleOutputs(English(), page, {})).contains("added in"));
  page.outputs_added_in = {{"nat_public_ips", "4.2.0"}};
  const std::string text = TextOf(RenderModuleOutputs(English(), page, {}));
  EXPECT_TRUE(text.contains("added in 4.2.0"));
  EXPECT_FALSE(text.contains("3.0.0"));
}

TEST(ModuleVersionsTest, SayWhyAVersionIsNotToBeUsed) {
  SampleModule sample = MakeSampleModule();
  const std::string html = RenderModuleVersions(English(), sample.Page(0, true), {});
  const std::string text = TextOf(html);
  for (std::string_view told :
       {"withdrawn", "deletes the wrong route table", "Use 4.2.0 instead", "3.x gets no fixes",
        "should be major", "agrees", "not compared", "first release", "pre-release"}) {
    EXPECT_NE(text.find(told), text.npos) << told;
  }
  EXPECT_FALSE(HasLink(html, "/modules/platform/network/aws/4.0.1"));
}

TEST(ModuleVersionsTest, NobodyIsSentBackFromADeprecatedVersion) {
  SampleModule sample = MakeSampleModule();
  ModuleVersionRecord older = sample.versions[4];
  ASSERT_FALSE(older.deprecation.empty());
  ASSERT_EQ(older.version.major(), 3U);
  older.version = *Version::Parse("3.0.0");
  older.deprecation.clear();
  sample.versions.push_back(older);
  const std::string text = TextOf(RenderModuleVersions(English(), sample.Page(0, true), {}));
  EXPECT_NE(text.find("3.0.0"), text.npos);
  EXPECT_EQ(text.find("Use 3.0.0 instead"), text.npos);
}

TEST(ModuleVersionsTest, FilterByAConstraint) {
  SampleModule sample = MakeSampleModule();
  ModuleVersionsForm form{.constraint = "~> 4.1", .problem = ""};
  form.allowed = *VersionConstraint::Parse("~> 4.1", ConstraintStyle::kModule);
  const std::string html = RenderModuleVersions(English(), sample.Page(0, true), form);
  EXPECT_EQ(ReadHtml(html).All("tr").size(), 3U);
  form.number = 1'000'000'000;
  EXPECT_EQ(RenderModuleVersions(English(), sample.Page(0, true), form), html);
}

TEST(ModuleUsageTest, WritesWhatWasTyped) {
  SampleModule sample = MakeSampleModule();
  ModuleUsageForm form{.values = {{"name", "a \"b\" ${c}"},
                                  {"zones", "[\"a\",\"b\"]"},
                                  {"bits", "1+2"},
                                  {"enable_nat", "false"},
                                  {"no_such", "1"},
                                  {"peer_secret", "hunter2"}},
                       .filled = true};
  const std::string html = RenderModuleUsage(English(), sample.Page(0, true), form);
  EXPECT_EQ(BlockOf(html), R"(module "network" {
  source  = "registry.kumo.example/platform/network/aws"
  version = "~> 4.2"

  name       = "a \"b\" $${c}"
  cidr_block = "" # string
  zones      = ["a", "b"]
  enable_nat = false
  bits       = 1 + 2
}
)");
  EXPECT_TRUE(hcl::Parse(BlockOf(html)));
  EXPECT_EQ(html.find("hunter2"), html.npos);
  for (const HtmlElement& each : ReadHtml(html).All("input")) {
    EXPECT_NE(each.Value("name"), "peer_secret");
  }
}

TEST(ModuleUsageTest, FoldsManyOptionalInputsUntilOneHasAValue) {
  SampleModule sample = MakeSampleModule();
  const auto folds = [&sample](const ModuleUsageForm& form) {
    std::vector<bool> open;
    const HtmlPage page = ReadHtml(RenderModuleUsage(English(), sample.Page(0, true), form));
    for (const HtmlElement& each : page.All("details")) {
      if (each.Value("class").empty()) open.push_back(each.Has("open"));
    }
    return open;
  };
  EXPECT_EQ(folds({}), (std::vector<bool>{true, true, true})) << "required, optional, secret";
  std::vector<inspect::Input>& inputs = sample.contents.root.inputs;
  for (int i = 0; i < 9; ++i) {
    inputs.push_back({.name = fmt::format("more_{}", i), .type = "number", .required = false});
  }
  EXPECT_EQ(folds({}), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(folds({.values = {{"name", "a"}}, .filled = true})[1], false);
  EXPECT_EQ(folds({.values = {{"more_8", ""}}, .filled = true})[1], false);
  EXPECT_EQ(folds({.values = {{"more_8", "1"}}, .filled = true})[1], true);
  EXPECT_EQ(folds({.values = {{"more_8", "1 +"}}, .filled = true})[1], true) << "has a problem";
  std::erase_if(inputs, [](const inspect::Input& input) { return input.required; });
  EXPECT_EQ(folds({}), (std::vector<bool>{true, true})) << "there is nothing else";
}

TEST(ModuleInputsTest, SayWhatAValueMustSatisfy) {
  SampleModule sample = MakeSampleModule();
  inspect::Input& input = sample.contents.root.inputs[0];
  input.type =
      "list(object({\n      port = number\n      at   = object({\n        x = bool\n      })\n    "
      "}))";
  input.validations = {{"length(var.name) < 9 && \"<b>\" != var.name", "At most <8>."},
                       {"true", ""}};
  const std::string html = RenderModuleInputs(English(), sample.Page(0, true), {});
  for (const char* told :
       {"length(var.name) &lt; 9 &amp;&amp; &quot;&lt;b&gt;&quot; != var.name</code>, otherwise <q",
        "At most &lt;8&gt;.</bdi></q></li>\n<li>Must satisfy <code",
        "\n  <span class=\"n\">port</span>", "\n  })\n}))</code></pre>", "id=\"type-name\"",
        "data-of=\"type-name\""}) {
    EXPECT_TRUE(html.contains(told)) << told;
  }
  EXPECT_FALSE(html.contains("id=\"type-bits\"")) << "its short type is all of it";
}

TEST(ModuleUsedByTest, ListsConsumersVersionsAndDependents) {
  SampleModule sample = MakeSampleModule();
  const ModulePage page = sample.Page(0, true);
  UsedByPage used = SampleUsedBy([](std::string text) { return text; });
  std::string html = RenderModuleUsedBy(English(), page, used);
  for (const char* told :
       {"payments-prod", "service:deploy", "Fetches are counted since", "1 Nov 2026",
        "kumo/network/aws", "~&gt; 2.0", "koya usage used-by kumo/inventory"}) {
    EXPECT_TRUE(html.contains(told)) << told;
  }
  EXPECT_TRUE(HasLink(html, "/-/mirror/modules/registry.example.org/acme/net/aws"));
  EXPECT_TRUE(HasLink(html, "/providers/kumo/inventory/usage?page=2"));
  EXPECT_TRUE(HasLink(html, "/providers/kumo/inventory/2.3.0"));
  used.used = {.counted = false};
  html = RenderModuleUsedBy(English(), page, used);
  EXPECT_TRUE(html.contains("does not count fetches"));
  EXPECT_TRUE(html.contains("No fetch has been counted yet."));
}

TEST(ModuleUsageTest, SaysWhichFieldIsWrong) {
  SampleModule sample = MakeSampleModule();
  for (const auto& [name, value] :
       {std::pair("zones", "[\"a\""), std::pair("zones", "true"), std::pair("zones", "\"a\""),
        std::pair("bits", "x }\nmodule \"y\" {"), std::pair("enable_nat", "1"),
        std::pair("extra_routes", "[]"), std::pair("zones", "1 +"),
        std::pair("zones", "%{ if true }x%{ endif }"), std::pair("bits", "\"%{ if true }x\"")}) {
    ModuleUsageForm form{.values = {{name, value}}, .filled = true};
    const std::string html = RenderModuleUsage(English(), sample.Page(0, true), form);
    EXPECT_TRUE(HasLink(html, fmt::format("#f-{}", name))) << name << " " << value;
    EXPECT_TRUE(hcl::Parse(BlockOf(html))) << value;
    EXPECT_EQ(BlockOf(html).find(fmt::format("= {}\n", value)), std::string::npos) << value;
  }
}

TEST(ModuleFilesTest, ShowFoldersAndLines) {
  SampleModule sample = MakeSampleModule();
  const ModulePage page = sample.Page(0, true);
  const std::string root = RenderModuleFiles(English(), page, {});
  EXPECT_TRUE(HasLink(root, "/modules/platform/network/aws/latest/files/examples"));
  EXPECT_FALSE(HasLink(root, "/modules/platform/network/aws/latest/files/examples/complete"));
  const std::string file = RenderModuleFiles(English(), page,
                                             {.path = "main.tf",
                                              .is_file = true,
                                              .is_text = true,
                                              .text = "a = <<EOT\nx\nEOT\nb = 1",
                                              .size = 22});
  EXPECT_EQ(ProblemList(file), "");
  std::string lines;
  for (const HtmlElement& each : ReadHtml(file).All("span")) {
    if (each.Value("id").starts_with("L")) lines += each.Value("id") + " ";
  }
  EXPECT_EQ(lines, "L1 L2 L3 L4 ");
  EXPECT_TRUE(IsModuleFolder(page, "examples"));
  EXPECT_FALSE(IsModuleFolder(page, "exam"));
  EXPECT_TRUE(LacksModuleFile(page, "../main.tf"));
  EXPECT_FALSE(LacksModuleFile(page, "main.tf"));
}

TEST(ModuleGraphTest, HasEachThingOnceAndEnds) {
  SampleModule sample = MakeSampleModule();
  ModuleGraph graph = MakeModuleGraph("network", sample.contents, "");
  EXPECT_EQ(graph.nodes.size(), 7U);  // the module, 3 calls, 3 providers
  EXPECT_EQ(graph.edges.size(), 7U);  // and one from the submodule to a provider
  inspect::ModulePart& submodule = sample.contents.submodules[0];
  submodule.calls = {{.name = "self", .source = ".", .kind = "local", .address = submodule.path}};
  for (int i = 0; i < 200; ++i) {
    submodule.calls.push_back(
        {.name = "x", .source = fmt::format("git::https://x/{}", i), .kind = "git"});
  }
  graph = MakeModuleGraph("network", sample.contents, "");
  EXPECT_EQ(graph.nodes.size(), ModuleGraph::kMostNodes);
  EXPECT_TRUE(graph.cut);
}

TEST(ModuleGraphTest, AProviderIsOneWhetherItIsNamedOrFollowsFromWhatIsUsed) {
  inspect::ModuleContents contents;
  const std::string aws = "registry.opentofu.org/hashicorp/aws";
  contents.root.requirements = {
      {.name = "aws", .source = "hashicorp/aws", .address = aws},
      {.name = "null", .address = "registry.opentofu.org/hashicorp/null", .implied = true},
      {.name = "terraform", .implied = true},
      {.name = "inventory", .address = "127.0.0.1:18443/kumo/inventory"},
      {.name = "edge", .address = "127.0.0.1:1/kumo/edge"}};
  contents.root.calls = {
      {.name = "vpc", .source = "127.0.0.1:18443/platform/network/aws", .kind = "registry"},
      {.name = "dns", .source = "./modules/dns", .kind = "local", .address = "modules/dns"}};
  contents.submodules = {
      {.path = "modules/dns", .requirements = {{.name = "aws", .address = aws, .implied = true}}}};
  std::vector<std::string> labels;
  for (const GraphNode& node : MakeModuleGraph("network", contents, "127.0.0.1:18443").nodes) {
    labels.push_back(node.label);
  }
  EXPECT_EQ(labels, (std::vector<std::string>{"network", "platform/network/aws", "modules/dns",
                                              "hashicorp/aws", "hashicorp/null", "terraform",
                                              "kumo/inventory", "127.0.0.1:1/kumo/edge"}));
}

TEST(ModuleMarkdownTest, TellsTheSame) {
  SampleModule sample = MakeSampleModule();
  const std::string text = ModuleMarkdown(sample.Page(0, true));
  EXPECT_TRUE(text.starts_with("# platform/network/aws 4.2.0\n"));
  for (std::string_view told :
       {"```hcl\nmodule \"network\" {", "| `cidr_block` | `string` | required |",
        "| `vpc_id` | The VPC. |", "`>= 6.4, < 7.0`", "# Network for one account"}) {
    EXPECT_NE(text.find(told), text.npos) << told;
  }
  // Nobody's words end a table, or begin a tag.
  sample = MakeSampleModule("x | y <b>\n| z");
  sample.contents.root.readme = {};
  const std::string hostile = ModuleMarkdown(sample.Page(0, true));
  EXPECT_NE(hostile.find("x \\| y \\<b> \\| z"), hostile.npos);
}

TEST(ModuleResourcesTest, LeadToTheDocumentationThatIsHere) {
  SampleModule sample = MakeSampleModule();
  ModulePage page = sample.Page(0, true);
  EXPECT_FALSE(RenderModuleResources(English(), page).contains("/docs/resources/"));
  page.docs["registry.kumo.example/kumo/inventory"] = {
      .docs_path = "/providers/kumo/inventory/2.3.1/docs",
      .pages = {{"data-sources", "kumo_inventory_range"}, {"resources", "subnet"}}};
  page.docs["registry.opentofu.org/hashicorp/aws"] = {.docs_path = "/providers/x/aws/6.8.1/docs",
                                                      .pages = {{"resources", "vpc"}}};
  const std::string html = RenderModuleResources(English(), page);
  EXPECT_TRUE(
      HasLink(html, "/providers/kumo/inventory/2.3.1/docs/data-sources/kumo_inventory_range"));
  EXPECT_FALSE(html.contains("/docs/ephemeral-resources/")) << "it has no such page";
  EXPECT_TRUE(HasLink(html, "/providers/x/aws/6.8.1/docs/resources/vpc"));
  EXPECT_FALSE(html.contains("docs/resources/subnet")) << "that is of another provider";
}

// For people: KOYA_WEB_GALLERY names a folder that gets all pages, beside the others.
TEST(GalleryTest, WritesThePagesOfModules) {
  const char* folder = std::getenv("KOYA_WEB_GALLERY");
  if (folder == nullptr) GTEST_SKIP() << "KOYA_WEB_GALLERY is not set";
  for (Language language : kLanguages) {
    for (Theme theme : {Theme::kLight, Theme::kDark}) {
      for (const SamplePage& page : ModuleSamplePages(SampleFrame(language, theme))) {
        std::ofstream out(std::filesystem::path(folder) / fmt::format("{}.{}.{}.html", page.name,
                                                                      LanguageCode(language),
                                                                      ThemeName(theme)));
        out << page.html;
        EXPECT_TRUE(out.good());
      }
    }
  }
}

TEST(ModuleRootlessTest, ShowsTheBlocksOfItsSubmodules) {
  SampleModule sample = MakeSampleModule();
  const inspect::ModulePart submodule = sample.contents.submodules.front();
  sample.contents.root = {};
  sample.contents.root.readme = {.file = "README.md", .text = "All of IAM.", .language = "en"};
  sample.contents.submodules.clear();
  for (int i = 10; i < 22; ++i) {
    sample.contents.submodules.push_back(submodule);
    sample.contents.submodules.back().path = fmt::format("modules/part-{}", i);
  }
  const ModulePage page = sample.Page(0, true);
  const std::string html = RenderModuleReadme(English(), page);
  EXPECT_EQ(ProblemList(html), "");
  EXPECT_EQ(BlockOf(html), "");
  const std::string text = TextOf(html);
  EXPECT_NE(text.find("//modules/part-10"), text.npos);
  EXPECT_NE(text.find("//modules/part-19"), text.npos);
  EXPECT_EQ(text.find("//modules/part-20"), text.npos);
  EXPECT_NE(text.find("2 more submodules"), text.npos);
  const std::string path = "/modules/platform/network/aws/latest/";
  EXPECT_TRUE(HasLink(html, path + "submodules/part-10"));
  for (const char* tab : {"inputs", "outputs", "resources", "dependencies", "usage"}) {
    EXPECT_FALSE(HasLink(html, path + tab)) << tab;
  }
  const std::string form = RenderModuleUsage(English(), page, {});
  EXPECT_EQ(ProblemList(form), "");
  EXPECT_NE(TextOf(form).find("//modules/part-10"), std::string::npos);
  const std::string markdown = ModuleMarkdown(page);
  EXPECT_NE(markdown.find("aws//modules/part-21\""), markdown.npos);
  EXPECT_EQ(markdown.find("/aws\""), markdown.npos);
  // What has no submodules either is shown as it was.
  sample.contents.submodules.clear();
  EXPECT_NE(BlockOf(RenderModuleReadme(English(), sample.Page(0, true))), "");
}

TEST(ModulePagesTest, ACallWithAnExpressionAsSourceIsUnknown) {
  SampleModule sample = MakeSampleModule();
  constexpr std::string_view kUnknown = "unknown: the source is an expression";
  auto text = [&] { return TextOf(RenderModuleDependencies(English(), sample.Page(0, true), {})); };
  EXPECT_FALSE(text().contains(kUnknown)) << text();
  sample.contents.root.calls.push_back({.name = "any", .source = "var.source"});
  EXPECT_TRUE(text().contains(kUnknown)) << text();
  EXPECT_TRUE(text().contains("var.source")) << text();
}

}  // namespace
}  // namespace koya::web
