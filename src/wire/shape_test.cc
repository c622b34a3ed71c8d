#include "wire/openapi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace koya::wire {
namespace {

struct ShapeRow {
  std::string_view shape;
  std::string_view schema;
};

TEST(ShapeTest, IsReadAsASchema) {
  for (const ShapeRow& row : {
           ShapeRow{"text", R"({"type":"string"})"},
           ShapeRow{"any", "{}"},
           ShapeRow{"time", R"({"type":"string","format":"date-time"})"},
           ShapeRow{"integer", R"({"type":"integer","minimum":0})"},
           ShapeRow{"1..100", R"({"type":"integer","minimum":1,"maximum":100})"},
           ShapeRow{" [ text ] ", R"({"type":"array","items":{"type":"string"}})"},
           ShapeRow{"\"a\"", R"({"const":"a"})"},
           ShapeRow{"\"a\"|\"b\"", R"({"type":"string","enum":["a","b"]})"},
           ShapeRow{"\"a\" | null", R"({"type":["string","null"],"enum":["a",null]})"},
           ShapeRow{"text | null", R"({"type":["string","null"]})"},
           ShapeRow{"[text] | null", R"({"type":["array","null"],"items":{"type":"string"}})"},
           ShapeRow{"Token", R"({"$ref":"#/components/schemas/Token"})"},
           ShapeRow{"Token | null",
                    R"({"anyOf":[{"$ref":"#/components/schemas/Token"},{"type":"null"}]})"},
           ShapeRow{"integer | \"a\"",
                    R"({"anyOf":[{"type":"integer","minimum":0},{"type":"string","enum":["a"]}]})"},
           ShapeRow{"{*: text}", R"({"type":"object","additionalProperties":{"type":"string"}})"},
           ShapeRow{"{a: text, b?: [integer]}",
                    R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"array",)"
                    R"("items":{"type":"integer","minimum":0}}},"required":["a"]})"},
           ShapeRow{"{login.v1?: text}",
                    R"({"type":"object","properties":{"login.v1":{"type":"string"}}})"},
       }) {
    const Result<std::string> schema = ShapeSchema(row.shape);
    ASSERT_TRUE(schema) << row.shape << ": " << schema.error().message;
    EXPECT_EQ(*schema, row.schema);
  }
}

TEST(ShapeTest, RefusesWhatIsNone) {
  for (std::string_view shape : {"",
                                 "texts",
                                 "[text",
                                 "[]",
                                 "{",
                                 "{}",
                                 "{a}",
                                 "{a: }",
                                 "{a: text",
                                 "{a: text,}",
                                 "{a: text, a: text}",
                                 "\"a",
                                 "1..",
                                 "..2",
                                 "1..b",
                                 "1.2",
                                 "text text",
                                 "text |",
                                 "| text",
                                 "NoSuchDocument",
                                 "[NoSuchDocument]",
                                 "{a: NoSuchDocument}",
                                 "{*}",
                                 "{*: text, a: text}"}) {
    const Result<std::string> schema = ShapeSchema(shape);
    EXPECT_FALSE(schema) << shape;
    if (!schema) EXPECT_FALSE(schema.error().message.empty());
    EXPECT_FALSE(ShapeText(shape)) << shape;
  }
  EXPECT_FALSE(ShapeSchema(std::string(100'000, '['))) << "levels have a bound";
}

TEST(ShapeTest, IsWrittenAsItIsRead) {
  for (std::string_view shape : {"text", "any", "time", "integer", "1..100", "[text]", "\"a\"",
                                 "\"a\" | \"b\"", "text | null", "{*: text}", "boolean"}) {
    EXPECT_EQ(ShapeText(shape).value(), shape);
  }
  EXPECT_EQ(ShapeText("{a: text, b?: {c: [text]}}").value(),
            "{\n  a: text\n  b?: {\n    c: [text]\n  }\n}");
}

TEST(ShapeTest, DocumentsAreAsTheyAreDeclared) {
  const std::string token = ShapeText("Token").value();
  EXPECT_TRUE(token.contains("\n  name: text\n")) << token;
  EXPECT_TRUE(token.contains("\n  token?: text\n")) << token;
  EXPECT_TRUE(token.contains("\n  expires?: text | null\n")) << token;
  EXPECT_TRUE(token.contains("\n  namespaces?: [text]\n")) << token;
  EXPECT_TRUE(ShapeText("AuditPage").value().contains("entries: [{\n")) << "parts are written out";
}

TEST(ShapeTest, EveryDocumentHasANameOfItsOwnAndCanBeShown) {
  std::vector<std::string> names = DocumentNames();
  EXPECT_GT(names.size(), 60U);
  for (const std::string& name : names) {
    EXPECT_TRUE(ShapeText(name)) << name;
    EXPECT_TRUE(name.front() >= 'A' && name.front() <= 'Z') << name;
  }
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

ApiDescription OneOperation() {
  ApiDescription api{.version = "1", .server = "https://r.example", .text = "t"};
  api.groups = {{"modules", "Modules", "What there is."}};
  api.errors = {{404, "not there"}};
  ApiOperation operation{
      .method = "get", .path = "/a/{b}", .id = "getA", .group = "modules", .summary = "s"};
  operation.parameters = {{.name = "b", .in_path = true, .required = true, .shape = "text"},
                          {.name = "limit", .shape = "1..100", .fallback = "15"}};
  operation.answers = {{.status = 200, .body = {"application/json", "Token"}}, {.status = 404}};
  api.operations.push_back(std::move(operation));
  return api;
}

TEST(OpenApiTest, DescribesAnOperation) {
  const Result<std::string> text = EncodeOpenApi(OneOperation());
  ASSERT_TRUE(text) << text.error().message;
  for (std::string_view part :
       {R"("openapi":"3.1.0")", R"("servers":[{"url":"https://r.example"}])",
        R"("/a/{b}":{"get":{"operationId":"getA","tags":["modules"])",
        R"({"name":"b","in":"path","required":true,"schema":{"type":"string"}})",
        R"("minimum":1,"maximum":100,"default":15)",
        R"("404":{"$ref":"#/components/responses/Error404"})",
        R"("default":{"$ref":"#/components/responses/Error"})", R"("security":[])"}) {
    EXPECT_TRUE(text->contains(part)) << part << " in " << *text;
  }
}

TEST(OpenApiTest, RefusesWhatItCannotDescribeAndNamesTheOperation) {
  auto refused = [](auto change) {
    ApiDescription api = OneOperation();
    change(api.operations.front());
    const Result<std::string> text = EncodeOpenApi(api);
    return !text && text.error().message.starts_with("get /a/{b}: ");
  };
  EXPECT_TRUE(refused([](ApiOperation& it) { it.parameters[1].shape = "words"; }));
  EXPECT_TRUE(refused([](ApiOperation& it) { it.parameters[1].fallback = "{"; }));
  EXPECT_TRUE(refused([](ApiOperation& it) { it.answers[0].body.shape = "NoSuchDocument"; }));
  EXPECT_TRUE(refused([](ApiOperation& it) { it.answers[1].status = 418; }));
  EXPECT_TRUE(refused([](ApiOperation& it) { it.answers.push_back({.status = 200}); }));
  EXPECT_TRUE(refused([](ApiOperation& it) { it.body = ApiBody{"application/json", "["}; }));
}

}  // namespace
}  // namespace koya::wire
