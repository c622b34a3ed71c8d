#include "service/providers/docs_pages.h"

#include <gtest/gtest.h>

#include "inspect/provider/schema.h"

namespace koya::service {
namespace {

namespace provider = inspect::provider;

DocRecord PageRecord(std::string kind, std::string name, std::string language = "") {
  return {.name = {std::move(language), std::move(kind), std::move(name)},
          .title = "a title",
          .subcategory = "a group",
          .description = "",
          .deprecated = false,
          .part = {}};
}

SchemaRecord ItemRecord(std::string kind, std::string name, bool deprecated = false) {
  return {.kind = std::move(kind), .name = std::move(name), .deprecated = deprecated, .part = {}};
}

TEST(DocsIndexTest, KnowsWhatASchemaMayCallWhatAPageIsAbout) {
  struct Row {
    DocName page;
    std::string kind;
    std::vector<std::string> names;
  };
  for (const Row& row : {
           Row{{"", "resources", "thing"}, "resource", {"demo_thing", "thing"}},
           Row{{"", "resources", "demo_thing"}, "resource", {"demo_demo_thing", "demo_thing"}},
           Row{{"python", "data-sources", "thing"}, "data_source", {"demo_thing", "thing"}},
           Row{{"", "functions", "upper"}, "function", {"upper", "demo_upper"}},
           Row{{"", "overview", "index"}, "provider", {""}},
       }) {
    std::optional<SchemaNames> names = SchemaNamesOf(row.page, "demo");
    ASSERT_TRUE(names) << row.page.name;
    EXPECT_EQ(names->kind, row.kind);
    EXPECT_EQ(names->names, row.names);
  }
  for (const char* kind : {"guides", "", "resource", "nonsense"}) {
    EXPECT_FALSE(SchemaNamesOf({"", kind, "thing"}, "demo")) << kind;
  }
}

TEST(DocsIndexTest, NamesPagesAsAddressesDo) {
  struct Row {
    const char* kind;
    const char* name;
    DocName page;
  };
  for (const Row& row : {
           Row{"resource", "demo_thing", {"", "resources", "thing"}},
           Row{"data_source", "demo_thing", {"", "data-sources", "thing"}},
           Row{"ephemeral_resource", "demo_key", {"", "ephemeral-resources", "key"}},
           Row{"list_resource", "demo_thing", {"", "list-resources", "thing"}},
           Row{"action", "demo_run", {"", "actions", "run"}},
           Row{"state_store", "demo_bucket", {"", "state-stores", "bucket"}},
           Row{"function", "upper", {"", "functions", "upper"}},
           Row{"provider", "", {"", "overview", "index"}},
           Row{"resource", "demo_", {"", "resources", "demo_"}},
           Row{"resource", "other_thing", {"", "resources", "other_thing"}},
           Row{"identity", "demo_thing", {}},
           Row{"", "", {}},
       }) {
    EXPECT_EQ(PageNameOf(ItemRecord(row.kind, row.name), "demo"), row.page) << row.kind;
  }
}

TEST(DocsIndexTest, AddsWhatOnlyTheSchemaDescribes) {
  auto index =
      IndexDocs({PageRecord("resources", "thing"), PageRecord("resources", "demo_whole"),
                 PageRecord("guides", "start"), PageRecord("resources", "thing", "python")},
                {ItemRecord("resource", "demo_thing"), ItemRecord("resource", "demo_whole"),
                 ItemRecord("resource", "demo_other", true), ItemRecord("identity", "demo_thing")},
                "demo");
  ASSERT_EQ(index.size(), 4U);
  EXPECT_EQ(index[0].name, (DocName{"", "guides", "start"}));
  EXPECT_EQ(index[1].name, (DocName{"", "resources", "demo_whole"}));
  EXPECT_EQ(index[2], (DocEntry{{"", "resources", "other"}, "demo_other", "", true, false}));
  EXPECT_EQ(index[3], (DocEntry{{"", "resources", "thing"}, "a title", "a group", false, true}));
  EXPECT_TRUE(IndexDocs({}, {}, "demo").empty());
}

provider::SchemaNode Node(std::string name, std::string type) {
  provider::SchemaNode node;
  node.name = std::move(name);
  node.type = std::move(type);
  return node;
}

TEST(SchemaTableTest, PutsWhatMustBeGivenFirst) {
  provider::SchemaItem item;
  item.name = "demo_thing";
  item.description = "A thing.";
  item.nodes = {Node("arn", "string"), Node("name", "string"), Node("size", "number")};
  item.nodes[0].computed = true;
  item.nodes[1].required = true;
  item.nodes[2].optional = true;
  item.nodes[2].sensitive = true;
  provider::SchemaNode block = Node("disk", "");
  block.block = true;
  block.least = 1;
  block.nodes = {Node("iops", "number")};
  block.nodes[0].optional = true;
  item.nodes.push_back(block);
  auto table = ReadSchemaTable(provider::EncodeSchemaItem(item), 400);
  ASSERT_TRUE(table) << table.error().message;
  std::vector<std::string> paths;
  for (const SchemaRow& row : table->rows) paths.push_back(row.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"name", "disk", "disk.iops", "size", "arn"}));
  EXPECT_TRUE(table->rows[1].required) << "there must be one";
  EXPECT_TRUE(table->rows[1].is_block);
  EXPECT_TRUE(table->rows[3].sensitive);
  EXPECT_EQ(table->description, "A thing.");
  EXPECT_EQ(table->left_out, 0U);
}

TEST(SchemaTableTest, KeepsTheOrderOfParametersAndTheBound) {
  provider::SchemaItem item;
  item.kind = provider::SchemaKind::kFunction;
  item.returns = "string";
  item.nodes = {Node("text", "string"), Node("a", "number"), Node("b", "number")};
  item.nodes[1].required = true;
  auto table = ReadSchemaTable(provider::EncodeSchemaItem(item), 2);
  ASSERT_TRUE(table) << table.error().message;
  ASSERT_EQ(table->rows.size(), 2U);
  EXPECT_EQ(table->rows[0].path, "text");
  EXPECT_EQ(table->left_out, 1U);
  EXPECT_EQ(table->returns, "string");
}

TEST(SchemaTableTest, RefusesWhatIsNoItem) {
  for (std::string_view text : {"", "{", "[]", "null", "{\"kind\":\"nonsense\"}"}) {
    EXPECT_FALSE(ReadSchemaTable(text, 400)) << text;
  }
}

}  // namespace
}  // namespace koya::service
