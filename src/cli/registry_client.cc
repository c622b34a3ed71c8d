#include "cli/registry_client.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "domain/archive_kind.h"
#include "wire/error_document.h"

namespace koya::cli {
namespace {

constexpr std::uint64_t kPageSize = 100;
// A list of all modules is read page by page up to this; beyond it, search is the tool.
constexpr std::size_t kMaxModules = 1'000'000;

// The reverse of what the server does with its kinds; a status that it never sends came from
// something in between.
ErrorKind KindOf(unsigned status) {
  switch (status) {
    case 400:
      return ErrorKind::kInvalid;
    case 401:
      return ErrorKind::kUnauthenticated;
    case 403:
      return ErrorKind::kForbidden;
    case 404:
      return ErrorKind::kNotFound;
    case 408:
      return ErrorKind::kTimeout;
    case 409:
      return ErrorKind::kConflict;
    case 413:
      return ErrorKind::kTooLarge;
    case 422:
      return ErrorKind::kRefused;
    case 507:
      return ErrorKind::kStorageFull;
    default:
      return ErrorKind::kUnavailable;
  }
}

// For answers without an error document: mostly a proxy's, or another server's altogether.
std::string_view StatusWords(unsigned status) {
  switch (status) {
    case 400:
      return "the request was not accepted; is this a Koya server of the same version?";
    case 401:
      return "the server wants a token";
    case 403:
      return "the token does not allow this";
    case 404:
      return "the server has nothing there; is this a Koya server?";
    case 405:
      return "the server does not do this; is this a Koya server?";
    case 413:
      return "the server, or a proxy before it, takes no body this large";
    case 502:
    case 503:
    case 504:
      return "a proxy answered that the server behind it is not available; try again later";
    default:
      return "the server answered something unexpected";
  }
}

// What the server said, fit for a terminal.
std::string Sentences(const http::ClientResponse& response) {
  std::string text;
  for (const std::string& sentence : wire::DecodeErrors(response.body)) {
    text += (text.empty() ? "" : "; ") + Printable(sentence, 2000);
  }
  return text.empty() ? std::string(StatusWords(response.status)) : text;
}

std::string ModulePath(const ModuleAddress& address) { return "/v1/modules/" + address.ToString(); }

// "+" of build metadata is encoded: some proxies read a bare one as a space.
std::string PublishPath(const ModuleAddress& address, const Version& version) {
  return fmt::format("/api/v1/modules/{}/{}", address.ToString(),
                     http::PercentEncode(version.ToString()));
}

// Redirects are not followed: the token is for the server that was named.
Error RedirectError(const http::ClientResponse& response, std::string_view request_line) {
  std::string target(response.Get("Location").value_or("elsewhere"));
  Result<http::Url> url = http::ParseUrl(target);
  return {ErrorKind::kInvalid,
          fmt::format("the server sends {} on to {}: name that server with --server or KOYA_URL",
                      request_line, url ? url->Origin() : Printable(target)),
          {}};
}

}  // namespace

Error AnswerError(const http::ClientResponse& response, std::string_view request_line,
                  bool token_was_sent) {
  if (response.status >= 300 && response.status < 400) {
    return RedirectError(response, request_line);
  }
  std::string message = fmt::format("{}\n  where: {} answered {}", Sentences(response),
                                    request_line, response.status);
  if (response.status == 401 && !token_was_sent) {
    message +=
        "\n  to do: no token was sent; give --token, set KOYA_TOKEN, or log in with \"tofu login "
        "HOST\"";
  }
  if (response.status >= 500) {
    std::string id(response.Get("X-Request-Id").value_or(""));
    if (!id.empty()) {
      message +=
          fmt::format("\n  to do: look for request {} in the server's log", Printable(id, 80));
    }
  }
  return {KindOf(response.status), std::move(message), {}};
}

RegistryClient::RegistryClient(RegistryClientOptions options)
    : options_(std::move(options)), client_(options_.http) {}

Result<http::ClientResponse> RegistryClient::Call(http::ClientRequest request,
                                                  std::string_view path) {
  request.url = options_.server.Origin() + std::string(path);
  request.fields.emplace_back("Accept", "application/json");
  if (!options_.token.empty()) {
    request.fields.emplace_back("Authorization", "Bearer " + options_.token);
  }
  ASSIGN_OR_RETURN(http::ClientResponse response, client_.Send(request));
  if (response.status >= 200 && response.status < 300) return response;
  return Failure(
      AnswerError(response, request.method + " " + request.url, !options_.token.empty()));
}

Result<std::string> RegistryClient::Get(std::string_view path) {
  ASSIGN_OR_RETURN(http::ClientResponse response, Call({}, path));
  return std::move(response.body);
}

Result<PublishOutcome> RegistryClient::Publish(const ModuleAddress& address, const Version& version,
                                               const Package& package,
                                               std::function<void(std::uint64_t)> on_progress) {
  http::ClientRequest request;
  request.method = "PUT";
  request.fields.emplace_back("Content-Type", MediaType(package.kind));
  request.upload = http::FileUpload{package.file.get(), package.size, std::move(on_progress)};
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   Call(std::move(request), PublishPath(address, version)));
  ASSIGN_OR_RETURN(wire::PublishedModule module, wire::DecodePublishedModule(response.body));
  return PublishOutcome{std::move(module), response.status == 201};
}

Status RegistryClient::Withdraw(const ModuleAddress& address, const Version& version,
                                std::string_view reason) {
  http::ClientRequest request;
  request.method = "DELETE";
  request.fields.emplace_back("Content-Type", "application/json");
  request.body = wire::EncodeWithdrawal(reason);
  RETURN_IF_ERROR(Call(std::move(request), PublishPath(address, version)));
  return {};
}

// Ends even when a server's pages go in circles.
Result<wire::ModuleList> RegistryClient::AllPages(std::string_view path_and_question) {
  wire::ModuleList all;
  std::uint64_t offset = 0;
  while (true) {
    ASSIGN_OR_RETURN(std::string body, Get(fmt::format("{}limit={}&offset={}", path_and_question,
                                                       kPageSize, offset)));
    ASSIGN_OR_RETURN(wire::ModuleList page, wire::DecodeModuleList(body));
    for (wire::ModuleDetails& module : page.modules) all.modules.push_back(std::move(module));
    bool more = page.next_offset && *page.next_offset > offset && !page.modules.empty();
    if (!more || all.modules.size() >= kMaxModules) break;
    offset = *page.next_offset;
  }
  all.limit = all.modules.size();
  return all;
}

Result<wire::ModuleList> RegistryClient::ListModules(std::string_view ns) {
  return AllPages(ns.empty() ? "/v1/modules?"
                             : fmt::format("/v1/modules/{}?", http::PercentEncode(ns)));
}

Result<wire::ModuleList> RegistryClient::SearchModules(std::string_view words) {
  return AllPages(fmt::format("/v1/modules/search?q={}&", http::PercentEncode(words)));
}

Result<wire::ModuleDetails> RegistryClient::ShowModule(const ModuleAddress& address,
                                                       const std::optional<Version>& version) {
  std::string path = ModulePath(address);
  if (version) path += "/" + http::PercentEncode(version->ToString());
  ASSIGN_OR_RETURN(std::string body, Get(path));
  return wire::DecodeModuleDetails(body);
}

Result<wire::Token> RegistryClient::CreateToken(const wire::TokenRequest& token) {
  http::ClientRequest request;
  request.method = "POST";
  request.fields.emplace_back("Content-Type", "application/json");
  request.body = wire::EncodeTokenRequest(token);
  ASSIGN_OR_RETURN(http::ClientResponse response, Call(std::move(request), "/api/v1/tokens"));
  return wire::DecodeToken(response.body);
}

Result<std::vector<wire::Token>> RegistryClient::ListTokens() {
  ASSIGN_OR_RETURN(std::string body, Get("/api/v1/tokens"));
  return wire::DecodeTokenList(body);
}

Status RegistryClient::RevokeToken(std::string_view name) {
  http::ClientRequest request;
  request.method = "DELETE";
  RETURN_IF_ERROR(Call(std::move(request), "/api/v1/tokens/" + http::PercentEncode(name)));
  return {};
}

}  // namespace koya::cli
