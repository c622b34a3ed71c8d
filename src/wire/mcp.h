// Messages of the Model Context Protocol (modelcontextprotocol.io, version 2025-06-18), which are
// those of JSON-RPC 2.0: requests of language models' clients are read, and their responses
// written. Only the tools of this server are known here. Pure and thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace koya::wire {

inline constexpr std::string_view kMcpVersion = "2025-06-18";

// The most bytes of a response, and what its id may have of them.
inline constexpr std::size_t kMostMcpResponse = 32U << 10;
inline constexpr std::size_t kMostMcpId = 256;

// ---- the arguments of the tools, each checked: texts are plain and at most 1,000 bytes

struct McpSearch {
  static constexpr std::uint64_t kMostHits = 50;
  std::string query;
  std::uint64_t limit = 10;  // 1 to kMostHits
  friend bool operator==(const McpSearch&, const McpSearch&) = default;
};
struct McpGetModule {
  std::string address;
  std::string version;  // "": the newest
  friend bool operator==(const McpGetModule&, const McpGetModule&) = default;
};
struct McpListVersions {
  std::string address;
  friend bool operator==(const McpListVersions&, const McpListVersions&) = default;
};
struct McpGetProviderDoc {
  std::string address;
  std::string page;     // "resources/thing"; "": the list of pages
  std::string version;  // "": the newest
  friend bool operator==(const McpGetProviderDoc&, const McpGetProviderDoc&) = default;
};
struct McpExplain {
  std::string address;
  std::string version;  // "": any
  friend bool operator==(const McpExplain&, const McpExplain&) = default;
};
struct McpImpact {
  std::string address;
  std::string version;  // "": the newest
  friend bool operator==(const McpImpact&, const McpImpact&) = default;
};

// ---- messages

struct McpInitialize {};
struct McpPing {};
struct McpListTools {};
struct McpNotification {};  // or a response: it gets none itself

// A message that cannot be carried out. The codes are those of JSON-RPC.
struct McpProblem {
  enum class Code {
    kNotJson = -32700,
    kNoRequest = -32600,
    kUnknownMethod = -32601,
    kBadArguments = -32602,  // also of an unknown tool
  };
  Code code = Code::kNoRequest;
  std::string message;
};

using McpContent =
    std::variant<McpProblem, McpNotification, McpInitialize, McpPing, McpListTools, McpSearch,
                 McpGetModule, McpListVersions, McpGetProviderDoc, McpExplain, McpImpact>;

struct McpMessage {
  std::string id = "null";  // as JSON, to be repeated in the response
  McpContent content;
};

// Never fails: the problem of a message is its content.
McpMessage ReadMcp(std::string_view body);

// ---- responses to the message with that `id`; REQUIRES: it is one of ReadMcp

std::string EncodeMcpProblem(std::string_view id, const McpProblem& problem);
std::string EncodeMcpInitialized(std::string_view id, std::string_view server_version);
std::string EncodeMcpPong(std::string_view id);
std::string EncodeMcpTools(std::string_view id);
// The result of a tool, which may be a failure for the model to read. A `text` that would make the
// response larger than kMostMcpResponse is cut, behind a whole line where that leaves half of it,
// and the response says so. REQUIRES: `text` is UTF-8.
std::string EncodeMcpText(std::string_view id, std::string_view text, bool failed);

}  // namespace koya::wire
