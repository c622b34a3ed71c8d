#include "wire/mcp.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/text.h"

namespace koya::wire {
namespace {

using Code = McpProblem::Code;

std::string Message(std::string_view method, std::string_view params = "{}") {
  return fmt::format(R"({{"jsonrpc":"2.0","id":7,"method":"{}","params":{}}})", method, params);
}
std::string ToolCall(std::string_view tool, std::string_view arguments) {
  return Message("tools/call", fmt::format(R"({{"name":"{}","arguments":{}}})", tool, arguments));
}

template <class T>
void ExpectContent(const std::string& body, const T& wanted) {
  const McpMessage message = ReadMcp(body);
  EXPECT_EQ(message.id, "7") << body;
  const T* content = std::get_if<T>(&message.content);
  ASSERT_NE(content, nullptr) << body;
  EXPECT_EQ(*content, wanted) << body;
}

TEST(McpTest, CallsOfToolsBecomeTheirArguments) {
  ExpectContent(ToolCall("search", R"({"query":"größte vpc"})"), McpSearch{"größte vpc", 10});
  ExpectContent(ToolCall("search", R"({"query":"vpc","limit":50})"), McpSearch{"vpc", 50});
  ExpectContent(ToolCall("get_module", R"({"address":"acme/vpc/aws"})"),
                McpGetModule{"acme/vpc/aws", ""});
  ExpectContent(ToolCall("get_module", R"({"address":"acme/vpc/aws","version":"1.0.0"})"),
                McpGetModule{"acme/vpc/aws", "1.0.0"});
  ExpectContent(ToolCall("list_versions", R"({"address":"acme/demo"})"),
                McpListVersions{"acme/demo"});
  ExpectContent(ToolCall("get_provider_doc", R"({"address":"acme/demo","page":"resources/x"})"),
                McpGetProviderDoc{"acme/demo", "resources/x", ""});
  ExpectContent(ToolCall("explain", R"({"address":"a.example/acme/demo","version":"1.0.0"})"),
                McpExplain{"a.example/acme/demo", "1.0.0"});
  ExpectContent(ToolCall("impact", R"({"address":"acme/vpc/aws","version":""})"),
                McpImpact{"acme/vpc/aws", ""});
}

template <class T>
bool Is(const McpMessage& message) {
  return std::holds_alternative<T>(message.content);
}

TEST(McpTest, MethodsAreKnown) {
  EXPECT_TRUE(Is<McpInitialize>(ReadMcp(
      Message("initialize",
              R"({"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x"}})"))));
  EXPECT_TRUE(Is<McpPing>(ReadMcp(R"({"jsonrpc":"2.0","id":"a","method":"ping"})")));
  EXPECT_TRUE(Is<McpListTools>(ReadMcp(Message("tools/list", R"({"cursor":"x"})"))));
  EXPECT_TRUE(
      Is<McpNotification>(ReadMcp(R"({"jsonrpc":"2.0","method":"notifications/initialized"})")));
  EXPECT_TRUE(Is<McpNotification>(ReadMcp(R"({"jsonrpc":"2.0","id":1,"result":{}})")))
      << "a response";
}

TEST(McpTest, IdsAreRepeatedAsTheyAre) {
  struct Row {
    std::string_view sent;
    std::string_view repeated;
  };
  for (const Row& row :
       {Row{"0", "0"}, Row{"-5", "-5"}, Row{"18446744073709551615", "18446744073709551615"},
        Row{R"("a\u0022b")", R"("a\"b")"}, Row{R"("")", R"("")"}}) {
    const McpMessage message =
        ReadMcp(fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"ping"}})", row.sent));
    EXPECT_TRUE(Is<McpPing>(message)) << row.sent;
    EXPECT_EQ(message.id, row.repeated);
  }
}

TEST(McpTest, RejectsSayWhatIsWrong) {
  const std::string long_text(1001, 'a');
  struct Row {
    std::string body;
    Code code;
    std::string_view words;
  };
  const Row rows[] = {
      {"", Code::kNotJson, "not valid JSON"},
      {"{", Code::kNotJson, "not valid JSON"},
      {"\xff", Code::kNotJson, "not valid JSON"},
      {std::string(100, '['), Code::kNotJson, "not valid JSON"},
      {"[]", Code::kNoRequest, "batches"},
      {"[" + Message("ping") + "]", Code::kNoRequest, "batches"},
      {"7", Code::kNoRequest, "must be a JSON object"},
      {"{}", Code::kNoRequest, "\"jsonrpc\""},
      {R"({"jsonrpc":"1.0","id":1,"method":"ping"})", Code::kNoRequest, "\"jsonrpc\""},
      {R"({"jsonrpc":2.0,"id":1,"method":"ping"})", Code::kNoRequest, "\"jsonrpc\""},
      {R"({"jsonrpc":"2.0","id":1})", Code::kNoRequest, "\"method\" is missing"},
      {R"({"jsonrpc":"2.0","id":1,"method":7})", Code::kNoRequest, "\"method\""},
      {R"({"jsonrpc":"2.0","id":1,"id":2,"method":"ping"})", Code::kNoRequest, "twice"},
      {R"({"jsonrpc":"2.0","method":"ping"})", Code::kNoRequest, "\"id\" is missing"},
      {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", Code::kNoRequest, "\"id\""},
      {R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", Code::kNoRequest, "\"id\""},
      {R"({"jsonrpc":"2.0","id":[],"method":"ping"})", Code::kNoRequest, "\"id\""},
      {R"({"jsonrpc":"2.0","id":")" + std::string(257, 'a') + R"(","method":"ping"})",
       Code::kNoRequest, "\"id\""},
      {Message("resources/list"), Code::kUnknownMethod, "resources/list"},
      {Message("notifications/initialized"), Code::kUnknownMethod, "notifications/"},
      {Message("tools/list", "[]"), Code::kBadArguments, "\"params\""},
      {Message("initialize"), Code::kBadArguments, "\"protocolVersion\""},
      {Message("initialize", R"({"protocolVersion":7})"), Code::kBadArguments, "protocolVersion"},
      {Message("tools/call"), Code::kBadArguments, "\"name\""},
      {Message("tools/call", R"({"name":7})"), Code::kBadArguments, "\"name\""},
      {ToolCall("delete_module", "{}"), Code::kBadArguments, "there is no tool \"delete_module\""},
      {ToolCall("search", "[]"), Code::kBadArguments, "\"arguments\""},
      {ToolCall("search", "{}"), Code::kBadArguments, "\"query\" is missing"},
      {ToolCall("search", R"({"query":7})"), Code::kBadArguments, "\"query\" must be a string"},
      {ToolCall("search", R"({"query":null})"), Code::kBadArguments, "\"query\" must be a string"},
      {ToolCall("search", R"({"query":""})"), Code::kBadArguments, "\"query\" is empty"},
      {ToolCall("search", R"({"query":"a\u0000"})"), Code::kBadArguments, "control characters"},
      {ToolCall("search", R"({"query":")" + long_text + "\"}"), Code::kBadArguments, "1000 bytes"},
      {ToolCall("search", R"({"query":"a","limit":0})"), Code::kBadArguments, "from 1 to 50"},
      {ToolCall("search", R"({"query":"a","limit":51})"), Code::kBadArguments, "from 1 to 50"},
      {ToolCall("search", R"({"query":"a","limit":-1})"), Code::kBadArguments, "from 1 to 50"},
      {ToolCall("search", R"({"query":"a","limit":"5"})"), Code::kBadArguments, "from 1 to 50"},
      {ToolCall("search", R"({"query":"a","words":"b"})"), Code::kBadArguments, "no argument"},
      {ToolCall("get_module", R"({"address":{}})"), Code::kBadArguments, "\"address\""},
      {ToolCall("explain", R"({"version":"1.0.0"})"), Code::kBadArguments, "\"address\""},
  };
  for (const Row& row : rows) {
    const McpMessage message = ReadMcp(row.body);
    const auto* problem = std::get_if<McpProblem>(&message.content);
    ASSERT_NE(problem, nullptr) << row.body;
    EXPECT_EQ(static_cast<int>(problem->code), static_cast<int>(row.code)) << row.body;
    EXPECT_TRUE(problem->message.contains(row.words)) << row.body << ": " << problem->message;
  }
}

TEST(McpTest, AMessageThatWouldTakeTooMuchMemoryIsRejected) {
  std::string body = R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[)";
  while (body.size() < 1'000'000) body += "[],";
  const McpMessage message = ReadMcp(body + "[]]}}");
  const auto* problem = std::get_if<McpProblem>(&message.content);
  ASSERT_NE(problem, nullptr);
  EXPECT_TRUE(problem->message.contains("4 MiB")) << problem->message;
}

TEST(McpTest, ResponsesAreWrittenAsJsonRpc) {
  EXPECT_EQ(EncodeMcpPong("7"), R"({"jsonrpc":"2.0","id":7,"result":{}})");
  EXPECT_EQ(EncodeMcpProblem("null", {Code::kNotJson, "a \"b\""}),
            R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"a \"b\""}})");
  EXPECT_EQ(EncodeMcpText("\"x\"", "a\nb", true),
            R"({"jsonrpc":"2.0","id":"x","result":{"content":[{"type":"text","text":"a\nb"}],)"
            R"("isError":true}})");
  const std::string hello = EncodeMcpInitialized("1", "1.2.3");
  EXPECT_TRUE(hello.contains(R"("protocolVersion":"2025-06-18")")) << hello;
  EXPECT_TRUE(hello.contains(R"("version":"1.2.3")")) << hello;
}

TEST(McpTest, EveryToolHasASchema) {
  const std::string tools = EncodeMcpTools("1");
  for (std::string_view name :
       {"search", "get_module", "list_versions", "get_provider_doc", "explain", "impact"}) {
    EXPECT_TRUE(tools.contains(fmt::format(R"("name":"{}")", name))) << name;
  }
  EXPECT_TRUE(tools.contains(R"("required":["query"],"additionalProperties":false)")) << tools;
  EXPECT_TRUE(tools.contains(R"("minimum":1,"maximum":50,"default":10)")) << tools;
  EXPECT_LE(tools.size(), kMostMcpResponse);
}

TEST(McpTest, LongTextsAreCutBehindALineAndSaySo) {
  struct Row {
    std::string line;
    bool whole_lines;
  };
  for (const Row& row :
       {Row{"plain words\n", true}, Row{"\x01\x02\"\\\n", true}, Row{"größte 模块\n", true},
        Row{std::string(40'000, 'a'), false}, Row{"x\n" + std::string(90'000, '\x01'), false}}) {
    std::string text;
    while (text.size() < 100'000) text += row.line;
    const std::string response = EncodeMcpText("7", text, false);
    EXPECT_LE(response.size(), kMostMcpResponse);
    EXPECT_GT(response.size(), kMostMcpResponse / 8);
    EXPECT_TRUE(IsUtf8(response));
    EXPECT_TRUE(response.contains(fmt::format("of {} bytes.]", text.size()))) << response.size();
    EXPECT_EQ(response.contains("\\n\\n[Cut here"), row.whole_lines);
  }
  const std::string fits(30'000, 'a');
  EXPECT_TRUE(EncodeMcpText("7", fits, false).contains(fits + "\""));
}

}  // namespace
}  // namespace koya::wire
