// The Model Context Protocol over HTTP ("Streamable HTTP", version 2025-06-18), without sessions
// and streams: each message is a request of its own, and each response is JSON.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/common/call.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "api/mcp/tools.h"
#include "base/text.h"
#include "domain/host_name.h"
#include "wire/mcp.h"

namespace koya::api {
namespace {

using wire::McpProblem;

// ---- the fields of the request

// A page of another site must not ask with the rights of the network that its reader is in. Host
// says what such a page wants it to say (DNS rebinding), so that the settings decide.
Status CheckMcpOrigin(const Call& call) {
  const std::optional<std::string_view> origin = call.request().FindField("Origin");
  if (!origin || *origin == call.services.url) return {};
  const std::size_t at = origin->find("://");
  if (at != origin->npos) {
    Result<HostName> host = HostName::ParseWire(origin->substr(at + 3));
    const std::vector<HostName> own = call.services.Names();
    if (host && std::ranges::find(own, *host) != own.end()) return {};
  }
  return FailForbidden("pages of other sites cannot use /-/mcp: their Origin is \"{}\"",
                       Printable(*origin));
}

std::string_view WithoutOuterBlanks(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

// Whether one element of Accept takes JSON.
bool TakesJson(std::string_view element) {
  const std::size_t end = std::min(element.find(';'), element.size());
  const std::string type = AsciiLower(WithoutOuterBlanks(element.substr(0, end)));
  if (type != "application/json" && type != "application/*" && type != "*/*") return false;
  const std::string parameters = AsciiLower(element.substr(end));
  const std::size_t weight = parameters.find("q=");
  if (weight == parameters.npos) return true;
  const std::string_view number =
      WithoutOuterBlanks(std::string_view(parameters).substr(weight + 2));
  return number.find_first_of("123456789") < number.find(';');
}

// The specification has clients accept text/event-stream, too. No response is one, so it is not
// missed here.
bool AcceptsMcp(const http::Request& request) {
  const std::optional<std::string_view> accept = request.FindField("Accept");
  if (!accept) return true;
  std::string_view rest = *accept;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    if (TakesJson(rest.substr(0, end))) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

Status CheckMcpVersion(const http::Request& request) {
  const std::optional<std::string_view> version = request.FindField("MCP-Protocol-Version");
  if (!version || *version == wire::kMcpVersion) return {};
  return FailInvalid("MCP-Protocol-Version {} is not supported: this server speaks {}",
                     Printable(*version), wire::kMcpVersion);
}

// ---- responses

Task<http::Response> RespondMcp(Call& /*call*/, std::string id, McpProblem problem) {
  using Code = McpProblem::Code;
  const bool is_request =
      problem.code == Code::kUnknownMethod || problem.code == Code::kBadArguments;
  co_return JsonReply(is_request ? 200 : 400, wire::EncodeMcpProblem(id, problem));
}
Task<http::Response> RespondMcp(Call& /*call*/, std::string /*id*/,
                                wire::McpNotification /*nothing*/) {
  http::Response reply;
  reply.status = 202;
  co_return reply;
}
Task<http::Response> RespondMcp(Call& call, std::string id, wire::McpInitialize /*client*/) {
  co_return JsonReply(200, wire::EncodeMcpInitialized(id, call.services.site.version));
}
Task<http::Response> RespondMcp(Call& /*call*/, std::string id, wire::McpPing /*nothing*/) {
  co_return JsonReply(200, wire::EncodeMcpPong(id));
}
Task<http::Response> RespondMcp(Call& /*call*/, std::string id, wire::McpListTools /*all*/) {
  co_return JsonReply(200, wire::EncodeMcpTools(id));
}

// Whether the model can do something about it; what else fails is a failure of the request.
bool IsForModel(ErrorKind kind) {
  return kind == ErrorKind::kInvalid || kind == ErrorKind::kNotFound || kind == ErrorKind::kGone;
}

// A message about a withdrawn version has its owner's words.
std::string TextOfFailure(const Error& error) {
  if (error.kind != ErrorKind::kGone) return error.message;
  return fmt::format("This version was withdrawn.\n{}{}", kQuotationNotice, Quoted(error.message));
}

template <class Tool>
Task<http::Response> RespondMcp(Call& call, std::string id, Tool asked) {
  Result<std::string> text = co_await UseTool(call, std::move(asked));
  if (text) co_return JsonReply(200, wire::EncodeMcpText(id, *text, false));
  if (!IsForModel(text.error().kind)) co_return Failure(std::move(text).error());
  http::Response reply = JsonReply(200, wire::EncodeMcpText(id, TextOfFailure(text.error()), true));
  reply.log_detail = std::move(text).error().detail;
  co_return reply;
}

Task<http::Response> AnswerMcp(Call& call) {
  CO_RETURN_IF_ERROR(CheckMcpOrigin(call));
  if (!AcceptsMcp(call.request())) {
    const McpProblem problem{McpProblem::Code::kNoRequest,
                             "Accept must contain application/json and text/event-stream"};
    co_return JsonReply(406, wire::EncodeMcpProblem("null", problem));
  }
  CO_RETURN_IF_ERROR(CheckMcpVersion(call.request()));
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body, kMessageBody));
  wire::McpMessage message = wire::ReadMcp(body);
  auto respond = [&call, &message](auto content) {
    return RespondMcp(call, std::move(message.id), std::move(content));
  };
  co_return co_await std::visit(respond, std::move(message.content));
}

}  // namespace

std::span<const Route> McpRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Ask("/-/mcp", Access::kRead, ResourceScope::kListing, BodyLimit::kMessage, AnswerMcp,
                 "Answer a language model's client (Model Context Protocol)"),
  };
  return kRoutes;
}

}  // namespace koya::api
