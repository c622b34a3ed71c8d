#include <gtest/gtest.h>

#include <map>

#include "inspect/provider/doc_address.h"
#include "inspect/provider/provider_doc.h"

namespace koya::inspect::provider {
namespace {

using enum DocKind;

TEST(DocAddressTest, KnowsThePages) {
  struct Row {
    std::string_view path;
    DocAddress address;
  };
  for (const Row& row : {
           Row{"index.md", {kOverview, "index", ""}},
           Row{"index.html.markdown", {kOverview, "index", ""}},
           Row{"resources/instance.md", {kResource, "instance", ""}},
           Row{"r/instance.html.markdown", {kResource, "instance", ""}},
           Row{"r/instance.html.md", {kResource, "instance", ""}},
           Row{"data-sources/ami.markdown", {kDataSource, "ami", ""}},
           Row{"d/ami.md", {kDataSource, "ami", ""}},
           Row{"functions/arn_parse.md", {kFunction, "arn_parse", ""}},
           Row{"ephemeral-resources/secret.md", {kEphemeralResource, "secret", ""}},
           Row{"list-resources/x.md", {kListResource, "x", ""}},
           Row{"state-stores/x.html.markdown", {kStateStore, "x", ""}},
           Row{"actions/x.md", {kAction, "x", ""}},
           Row{"guides/version-4-upgrade.html.md", {kGuide, "version-4-upgrade", ""}},
           Row{"cdktf/typescript/resources/x.md", {kResource, "x", "typescript"}},
           Row{"cdktf/python/index.md", {kOverview, "index", "python"}},
       }) {
    EXPECT_EQ(ParseDocPath(row.path), row.address) << row.path;
  }
}

TEST(DocAddressTest, RefusesTheRest) {
  for (std::string_view bad : {"",
                               "index",
                               "index.txt",
                               "readme.md",
                               "resources/index.html",
                               "resources/a/b.md",
                               "resources/.md",
                               "resources/.a.md",
                               "resources/a b.md",
                               "resources/../a.md",
                               "/index.md",
                               "x/a.md",
                               "resources/",
                               "resources/é.md",
                               "cdktf/typescript/x/a.md",
                               "cdktf/a.md",
                               "cdktf/../resources/a.md",
                               "resources\\a.md",
                               "Resources/a.md",
                               "images/a.png",
                               ".md"}) {
    EXPECT_FALSE(ParseDocPath(bad)) << bad;
  }
  EXPECT_FALSE(ParseDocPath("r/" + std::string(201, 'a') + ".md"));
}

TEST(DocAddressTest, FollowsLinks) {
  struct Row {
    DocAddress from;
    std::string_view link;
    std::optional<DocAddress> to;
  };
  DocAddress overview{};
  DocAddress resource{kResource, "a", ""};
  DocAddress python{kDataSource, "a", "python"};
  for (const Row& row : {
           Row{overview, "resources/b.md", DocAddress{kResource, "b", ""}},
           Row{overview, "./guides/b", DocAddress{kGuide, "b", ""}},
           Row{resource, "b.md", DocAddress{kResource, "b", ""}},
           Row{resource, "b.html", DocAddress{kResource, "b", ""}},
           Row{resource, "../d/b.html.markdown", DocAddress{kDataSource, "b", ""}},
           Row{resource, "../index.html", overview},
           Row{resource, "..", overview},
           Row{resource, "../../docs", overview},
           Row{resource, "../../docs/d/b", DocAddress{kDataSource, "b", ""}},
           Row{overview, "", overview},
           Row{resource, "../../../docs", std::nullopt},
           Row{resource, "../../examples/b.md", std::nullopt},
           Row{resource, "/docs/providers/aws/r/b.html", DocAddress{kResource, "b", ""}},
           Row{resource, "/docs/providers/aws/index.html", overview},
           Row{resource, "/docs/providers/aws", overview},
           Row{python, "../resources/b.md?x=1", DocAddress{kResource, "b", "python"}},
           Row{resource, "../../b.md", std::nullopt},
           Row{resource, "/etc/passwd", std::nullopt},
           Row{resource, "../images/b.png", std::nullopt},
           Row{resource, "../resources/b/c.md", std::nullopt},
           Row{overview, "https://a.test/index.md", std::nullopt},
       }) {
    EXPECT_EQ(ResolveDocLink(row.from, row.link), row.to) << row.link;
  }
}

TEST(DocLinksTest, LeadToPagesThatAre) {
  DocAddress there{kResource, "b", ""};
  auto has = [&](const DocAddress& page) { return page == there || page == DocAddress{}; };
  markup::MarkdownOptions options;
  options.link = LinksOfDoc({kDataSource, "a", ""}, "/p/docs", has);
  EXPECT_EQ(markup::RenderMarkdown("[b](../r/b.html#x) [o](..) [c](../r/c.html)", options).html,
            "<p><a href=\"/p/docs/resources/b#user-x\">b</a> <a href=\"/p/docs\">o</a> "
            "<span>c</span></p>");
  EXPECT_EQ(DocAddressPath({kGuide, "g", "python"}), "cdktf/python/guides/g");
  EXPECT_EQ(DocAddressPath({}), "");
  EXPECT_EQ(DocAddressPath({kOverview, "index", "go"}), "cdktf/go");
}

std::vector<DocFile> Files(std::initializer_list<std::string_view> paths) {
  std::vector<DocFile> out;
  for (std::string_view path : paths) out.push_back({std::string(path), 10});
  return out;
}

TEST(PlanDocsTest, FindsTheFolderOfDocs) {
  struct Row {
    std::vector<DocFile> files;
    std::string_view root;
    std::size_t pages;
    std::size_t warnings;
  };
  for (const Row& row : {
           Row{Files({}), "", 0, 0},
           Row{Files({"docs/index.md", "docs/resources/a.md", "main.go"}), "docs/", 2, 0},
           Row{Files({"docs/index.md", "website/docs/r/a.html.markdown"}), "website/docs/", 1, 0},
           Row{Files({"index.md", "resources/a.md", "README.md"}), "", 2, 0},
           Row{Files({"docs/notes.md", "docs/index.md", "docs/images/a.png"}), "docs/", 1, 1},
           Row{Files({"docs/resources/a.md", "docs/resources/a.html.markdown"}), "docs/", 1, 1},
           Row{Files({"../docs/index.md", "/docs/index.md", "docs\\index.md"}), "", 0, 0},
       }) {
    Result<DocsPlan> plan = PlanDocs(row.files, {});
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->root, row.root);
    EXPECT_EQ(plan->pages.size(), row.pages);
    EXPECT_EQ(plan->warnings.kept().size(), row.warnings);
  }
}

TEST(PlanDocsTest, RefusesWhatIsTooMuch) {
  std::vector<DocFile> files(100'000, DocFile{"docs/index.md", 1});
  Result<DocsPlan> plan = PlanDocs(files, {});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().kind, ErrorKind::kTooLarge);
  EXPECT_EQ(plan.error().limit.text(), "limits.docs_files");
  files.resize(20'000);
  EXPECT_TRUE(PlanDocs(files, {}));
  plan = PlanDocs(files, {.bytes = 19'999});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().limit.text(), "limits.docs_bytes");
  files = {{"docs/index.md", ~std::uint64_t{0}}, {"docs/resources/a.md", ~std::uint64_t{0}}};
  EXPECT_FALSE(PlanDocs(files, {}));
}

TEST(PlanDocsTest, KeepsFewWarnings) {
  std::vector<DocFile> files(1000, DocFile{"docs/x/a.md", 1});
  files.push_back({"docs/index.md", 1});
  Result<DocsPlan> plan = PlanDocs(files, {});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->warnings.kept().size(), 100U);
  EXPECT_EQ(plan->warnings.left_out(), 900U);
}

ProviderDoc Read(std::string_view text, DocWarnings& warnings) {
  return ReadProviderDoc({kResource, "a", ""}, "docs/resources/a.md", text, 1000, warnings);
}

TEST(ProviderDocTest, TakesTitlesFromWhereTheyAre) {
  DocWarnings none;
  EXPECT_EQ(Read("---\npage_title: T\nsubcategory: S\ndescription: D\n---\n# H\n", none).title,
            "T");
  EXPECT_EQ(Read("---\nsubcategory: S\n---\n\n# H *x*\r\n", none).title, "H *x*");
  EXPECT_EQ(Read("text\n", none).title, "a");
  ProviderDoc doc = Read("---\nsubcategory: S\ndescription: D\n---\nbody", none);
  EXPECT_EQ(doc.subcategory + doc.description, "SD");
  EXPECT_EQ(doc.body, "body");
  EXPECT_EQ(none.kept().size(), 0U);
}

TEST(ProviderDocTest, KnowsWhatIsDeprecated) {
  DocWarnings none;
  for (std::string_view text :
       {"---\npage_title: T (Deprecated)\n---\n", "---\nsubcategory: Deprecated\n---\n",
        "# H (deprecated)\n", "# H\n\n~> **DEPRECATED:** use b\n",
        "!> **WARNING:** This resource is deprecated.\n",
        "---\ndescription: 'Deprecated: use b'\n---\n"}) {
    EXPECT_TRUE(Read(text, none).deprecated) << text;
  }
  for (std::string_view text :
       {"", "# H\n\nThe argument is deprecated\n", "~> **Note:** the argument `x` is deprecated\n",
        "---\ndescription: not deprecated\n---\n"}) {
    EXPECT_FALSE(Read(text, none).deprecated) << text;
  }
}

TEST(ProviderDocTest, WarnsWithThePlace) {
  DocWarnings warnings;
  Read("---\npage_title: *x\n---\n\xFF", warnings);
  EXPECT_EQ(warnings.kept(),
            (std::vector<DocWarning>{
                {"docs/resources/a.md", 0, "the text is no UTF-8 everywhere"},
                {"docs/resources/a.md", 2, "page_title: aliases are not followed"}}));
  EXPECT_EQ(Read(std::string(5000, 'a'), warnings).body.size(), 1000U);
}

TEST(ReadProviderDocsTest, ReadsOnePageAfterTheOther) {
  std::map<std::string, std::string> texts = {{"docs/index.md", "# Acme\n"},
                                              {"docs/resources/b.md", "---\npage_title: B\n---\n"},
                                              {"docs/data-sources/a.md", "# A"}};
  std::vector<DocFile> files;
  for (const auto& [path, text] : texts) files.push_back({path, text.size()});
  files.push_back({"docs/resources/gone.md", 5});
  std::string seen;
  auto read = [&](const DocFile& file) -> Result<std::string> {
    auto found = texts.find(file.path);
    if (found == texts.end()) return FailNotFound("it is gone");
    return found->second;
  };
  auto take = [&](const ProviderDoc& page) -> Status {
    seen += page.title + ";";
    return {};
  };
  Result<DocsPlan> plan = ReadProviderDocs(files, {}, {read, take});
  ASSERT_TRUE(plan);
  EXPECT_EQ(seen, "Acme;B;A;");
  EXPECT_EQ(plan->warnings.kept(),
            (std::vector<DocWarning>{
                {"docs/resources/gone.md", 0, "this file cannot be read: it is gone"}}));
  auto full = [](const ProviderDoc&) -> Status { return Fail(ErrorKind::kStorageFull, "full"); };
  EXPECT_FALSE(ReadProviderDocs(files, {}, {read, full}));
}

}  // namespace
}  // namespace koya::inspect::provider
