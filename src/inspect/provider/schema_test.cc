#include "inspect/provider/schema.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>

#include "base/text.h"
#include "inspect/provider/schema_reader.h"

namespace koya::inspect::provider {
namespace {

struct Seen {
  Result<SchemaSummary> summary;
  std::vector<SchemaItem> items;
};

Seen ReadSchema(std::string_view text, std::size_t step = 7, SchemaOptions options = {}) {
  if (options.type.empty()) options.type = "demo";
  Seen seen{FailInternal("unread"), {}};
  SchemaReader reader(options, [&](SchemaItem item) -> Status {
    seen.items.push_back(std::move(item));
    return {};
  });
  while (!text.empty()) {
    Status fed = reader.Feed(text.substr(0, step));
    if (!fed) {
      seen.summary = std::unexpected(fed.error());
      return seen;
    }
    text.remove_prefix(std::min(step, text.size()));
  }
  seen.summary = reader.Finish();
  return seen;
}

std::string Demo(std::string_view sections) {
  return R"({"format_version":"1.0","provider_schemas":{"registry.test/acme/demo":{)" +
         std::string(sections) + "}}}";
}

constexpr std::string_view kWhole = R"(
"provider":{"version":0,"block":{"attributes":{"token":{"type":"string","description":"T","optional":true,"sensitive":true}},"description_kind":"plain"}},
"resource_schemas":{"demo_thing":{"version":2,"block":{"attributes":{
  "id":{"type":"string","computed":true},
  "tags":{"type":["map","string"],"optional":true,"deprecated":true,"deprecation_message":"use labels"},
  "secret":{"type":"string","required":true,"write_only":true},
  "rules":{"nested_type":{"attributes":{"port":{"type":"number","required":true}},"nesting_mode":"set"},"optional":true}},
  "block_types":{"disk":{"nesting_mode":"list","min_items":1,"max_items":3,"block":{"attributes":{"size":{"type":"number","optional":true}},"description":"D","deprecated":true}}},
  "description":"A thing","description_kind":"markdown"}}},
"data_source_schemas":{"demo_thing":{"version":0,"block":{}}},
"ephemeral_resource_schemas":{"demo_key":{"version":0,"block":{"attributes":{"x":{"type":["list",["object",{"a":"string","b":["set","number"]},["b"]]],"computed":true}}}}},
"functions":{"join":{"description":"J","summary":"S","return_type":"string","parameters":[{"name":"by","type":"string","is_nullable":true}],"variadic_parameter":{"name":"what","type":["list","dynamic"]}}},
"resource_identity_schemas":{"demo_thing":{"version":1,"attributes":{"id":{"type":"string","required_for_import":true}}}},
"list_resource_schemas":{"demo_thing":{"version":0,"block":{}}},
"action_schemas":{"demo_do":{"block":{}}},
"state_store_schemas":{"demo_bucket":{"version":0,"block":{"attributes":{"path":{"type":"string","description_kind":"plain","required":true}},"description_kind":"plain"}}},
"unknown":{"a":[{"b":1}]}
)";

constexpr std::string_view kWholeLines =
    R"json({"kind":"provider","nodes":[{"name":"token","type":"string","flags":"os","description":"T"}]}
{"kind":"resource","name":"demo_thing","version":2,"description":"A thing","nodes":[{"name":"disk","nesting":"list","flags":"bd","min":1,"max":3,"description":"D","nodes":[{"name":"size","type":"number","flags":"o"}]},{"name":"id","type":"string","flags":"c"},{"name":"rules","nesting":"set","flags":"o","nodes":[{"name":"port","type":"number","flags":"r"}]},{"name":"secret","type":"string","flags":"rw"},{"name":"tags","type":"map(string)","flags":"od","deprecation":"use labels"}]}
{"kind":"data_source","name":"demo_thing"}
{"kind":"ephemeral_resource","name":"demo_key","nodes":[{"name":"x","type":"list(object({a = string, b = optional(set(number))}))","flags":"c"}]}
{"kind":"function","name":"join","description":"J","returns":"string","nodes":[{"name":"by","type":"string","flags":"n"},{"name":"what","type":"list(any)","flags":"v"}]}
{"kind":"identity","name":"demo_thing","version":1,"nodes":[{"name":"id","type":"string","flags":"r"}]}
{"kind":"list_resource","name":"demo_thing"}
{"kind":"action","name":"demo_do"}
{"kind":"state_store","name":"demo_bucket","nodes":[{"name":"path","type":"string","flags":"r"}]}
)json";

TEST(SchemaReaderTest, ReadsEverything) {
  for (std::size_t step : {std::size_t{1}, std::size_t{64}, std::size_t{1 << 20}}) {
    Seen seen = ReadSchema(Demo(kWhole), step);
    ASSERT_TRUE(seen.summary) << seen.summary.error().message;
    EXPECT_EQ(seen.summary->provider, "registry.test/acme/demo");
    EXPECT_EQ(seen.summary->warnings, std::vector<std::string>());
    std::string lines;
    for (const SchemaItem& item : seen.items) lines += EncodeSchemaItem(item) + "\n";
    EXPECT_EQ(lines, kWholeLines);
    for (const SchemaItem& item : seen.items) {
      Result<SchemaItem> again = DecodeSchemaItem(EncodeSchemaItem(item));
      ASSERT_TRUE(again) << again.error().message;
      EXPECT_EQ(*again, item);
    }
  }
}

TEST(SchemaReaderTest, WritesTypesAsConfigurationsDo) {
  struct Row {
    std::string_view json;
    std::string_view type;
  };
  for (const Row& row : {
           Row{R"("dynamic")", "any"},
           Row{R"(["set",["list","bool"]])", "set(list(bool))"},
           Row{R"(["object",{}])", "object({})"},
           Row{R"(["object",{"a":["object",{"b":"string"}]}])",
               "object({a = object({b = string})})"},
           Row{R"(["tuple",["string","number"]])", "tuple([string, number])"},
           Row{R"(["tuple",[["list","string"],"bool"]])", "tuple([list(string), bool])"},
           Row{R"(["tuple",[]])", "tuple([])"},
           Row{R"(["map","dynamic"])", "map(any)"},
           Row{"[1]", "any"},
           Row{"{}", "any"},
           Row{R"(["list",null])", "any"},
       }) {
    Seen seen = ReadSchema(Demo(R"("provider":{"block":{"attributes":{"x":{"type":)" +
                                std::string(row.json) + "}}}}"));
    ASSERT_TRUE(seen.summary) << row.json;
    EXPECT_EQ(seen.items.at(0).nodes.at(0).type, row.type) << row.json;
  }
}

TEST(SchemaReaderTest, RefusesWhatIsNone) {
  struct Row {
    std::string text;
    std::string_view why;
  };
  for (const Row& row : {
           Row{"", "the schema is no JSON near byte 0"},
           Row{"[]", "the schema is no JSON object"},
           Row{"1", "the schema is no JSON object"},
           Row{"\"x\"", "the schema is no JSON object"},
           Row{"null", "the schema has no provider, and not demo"},
           Row{"{}", "the schema has no provider, and not demo"},
           Row{R"({"provider_schemas":{"a/b/other":{}}})",
               "the schema has only a/b/other, and not demo"},
           Row{Demo("") + "x", "the schema is no JSON near byte"},
           Row{Demo("").substr(0, 60), "the schema is no JSON near byte 60"},
           Row{"{\"a\":\"\xFF\"}", "the schema is no JSON near byte"},
           Row{"{\"" + std::string(300, 'a') + "\":1}",
               "the schema has a name of more than 256 bytes"},
           Row{"{\"a\":" + std::string(1000, '['), "the schema is no JSON near byte"},
       }) {
    Seen seen = ReadSchema(row.text);
    ASSERT_FALSE(seen.summary) << row.text;
    EXPECT_EQ(seen.summary.error().kind, ErrorKind::kInvalid);
    EXPECT_TRUE(seen.summary.error().message.starts_with(row.why)) << seen.summary.error().message;
  }
  Seen seen = ReadSchema(Demo(""), 50, {.bytes = 60});
  ASSERT_FALSE(seen.summary);
  EXPECT_EQ(seen.summary.error().limit.text(), "limits.schema_bytes");
}

TEST(SchemaReaderTest, HandsOnWhatTheTakerSays) {
  SchemaReader reader({.type = "demo"}, [](const SchemaItem&) -> Status {
    return Fail(ErrorKind::kStorageFull, "full");
  });
  Status fed = reader.Feed(Demo(kWhole));
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().kind, ErrorKind::kStorageFull);
}

TEST(SchemaReaderTest, TellsWhatItLeftOut) {
  Seen seen = ReadSchema(Demo(R"("resource_schemas":{"a":{"block":{}},"a":{"block":{}},
      "b":{"block":{"attributes":{"x":{"type":"string"},"x":{"type":"bool"}}}}})"));
  ASSERT_TRUE(seen.summary);
  EXPECT_EQ(seen.items.size(), 2U);
  EXPECT_EQ(seen.items[1].nodes.size(), 1U);
  EXPECT_EQ(seen.items[1].nodes[0].type, "string");
  EXPECT_EQ(seen.summary->warnings,
            (std::vector<std::string>{
                "resource a stands twice; the second is left out",
                "resource b has names that stand twice; the second of each is left out"}));
  std::string many = R"("resource_schemas":{"a":{"block":{"attributes":{)";
  for (int i = 0; i < 1000; ++i) many += "\"x" + std::to_string(i) + "\":{\"type\":\"string\"},";
  many += R"("y":{}}}},"b":{"block":{}}})";
  seen = ReadSchema(Demo(many), 100, {.item_memory = 100'000});
  ASSERT_TRUE(seen.summary);
  EXPECT_EQ(seen.items.size(), 1U);
  EXPECT_EQ(seen.summary->warnings,
            std::vector<std::string>{"resource a is too large to be read, and is left out"});
}

TEST(SchemaReaderTest, CleansWords) {
  Seen seen =
      ReadSchema(Demo(R"("resource_schemas":{"a\u0007":{"block":{"description":"x\u0000\u202e)" +
                      std::string(5000, 'y') + R"("}}})"));
  ASSERT_TRUE(seen.summary);
  EXPECT_EQ(seen.items[0].name, "a\uFFFD");
  EXPECT_TRUE(seen.items[0].description.starts_with("x\uFFFDy"));
  EXPECT_LE(seen.items[0].description.size(), 2100U);
}

TEST(SchemaItemTest, RefusesWhatItDidNotWrite) {
  for (std::string_view bad :
       {"", "x", "[]", "{}", R"({"kind":"x"})", R"({"kind":"resource","nodes":1})",
        R"({"kind":"resource","nodes":[1]})", R"({"kind":"resource","nodes":[{"nesting":"x"}]})"}) {
    Result<SchemaItem> item = DecodeSchemaItem(bad);
    ASSERT_FALSE(item) << bad;
    EXPECT_EQ(item.error().kind, ErrorKind::kInvalid);
  }
  SchemaItem odd{.name = "\"\\\n\x01 日本", .version = ~std::uint64_t{0}, .deprecated = true};
  EXPECT_EQ(DecodeSchemaItem(EncodeSchemaItem(odd)).value(), odd);
}

std::size_t AllocatedBytes() { return mallinfo2().uordblks + mallinfo2().hblkhd; }

// In the shape of a large cloud's: resources with 500 attributes each. KOYA_SCHEMA_MEGABYTES says
// how many; what the design asks of 200 holds for any number.
TEST(SchemaReaderTest, MemoryIsThatOfTheLargestItem) {
  std::size_t rest = AllocatedBytes();
  std::size_t peak = rest;
  std::size_t nodes = 0;
  auto take = [&](const SchemaItem& item) -> Status {
    peak = std::max(peak, AllocatedBytes());
    nodes += item.nodes.size();
    return {};
  };
  SchemaReader reader({.type = "demo"}, take);
  std::string attributes;
  for (int i = 0; i < 500; ++i) {
    attributes += (i == 0 ? "\"x" : ",\"x") + std::to_string(i) +
                  R"(":{"type":["list",["object",{"a":"string"}]],"description":")" +
                  std::string(170, 'd') + R"(","optional":true})";
  }
  std::string all = Demo("\"resource_schemas\":{");
  ASSERT_TRUE(reader.Feed(all.substr(0, all.size() - 3)));
  std::size_t fed = 0;
  const char* wanted = std::getenv("KOYA_SCHEMA_MEGABYTES");
  std::size_t megabytes = wanted != nullptr ? std::strtoul(wanted, nullptr, 10) : 10;
  std::size_t items = 0;
  for (; fed < megabytes * 1'000'000; ++items) {
    std::string item = (items == 0 ? "\"demo_" : ",\"demo_") + std::to_string(items) +
                       R"(":{"version":0,"block":{"attributes":{)" + attributes + "}}}";
    ASSERT_TRUE(reader.Feed(item));
    fed += item.size();
  }
  ASSERT_TRUE(reader.Feed("}}}}"));
  Result<SchemaSummary> summary = reader.Finish();
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(nodes, items * 500);
  EXPECT_LT(peak - rest, 64U << 20);
}

}  // namespace
}  // namespace koya::inspect::provider
