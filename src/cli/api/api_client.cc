#include "cli/api/api_client.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "http/client/retry_after.h"
#include "wire/error_document.h"

namespace koya::cli {
namespace {

bool ToBeTriedAgain(ErrorKind kind) {
  return kind == ErrorKind::kUnavailable || kind == ErrorKind::kThrottled;
}

// The error kind that the server names; else the inverse of the server's mapping from kinds to
// statuses. A status that it never sends comes from a proxy.
ErrorKind KindOf(unsigned status, std::string_view code) {
  if (std::optional<ErrorKind> named = ParseErrorKind(code)) return *named;
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
    case 410:
      return ErrorKind::kGone;
    case 413:
      return ErrorKind::kTooLarge;
    case 429:
      return ErrorKind::kThrottled;
    case 422:
      return ErrorKind::kRefused;
    case 500:
      return ErrorKind::kInternal;
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
      return "the server requires a token";
    case 403:
      return "the token does not allow this";
    case 404:
      return "the server has no such address; is this a Koya server?";
    case 405:
      return "the server does not support this; is this a Koya server?";
    case 413:
      return "the server, or a proxy in front of it, rejects a body this large";
    case 502:
    case 503:
    case 504:
      return "a proxy reports that the server behind it is unavailable; try again later";
    default:
      return "unexpected response from the server";
  }
}

// What the server said, fit for a terminal.
std::string Sentences(const wire::ErrorDocument& said, unsigned status) {
  std::string text;
  for (const std::string& sentence : said.sentences) {
    text += (text.empty() ? "" : "; ") + Printable(sentence, 2000);
  }
  return text.empty() ? std::string(StatusWords(status)) : text;
}

// Redirects are not followed: the token is for the server that was named.
Error RedirectError(const http::ClientResponse& response, std::string_view request_line) {
  std::string target(response.Get("Location").value_or("elsewhere"));
  Result<http::Url> url = http::ParseUrl(target);
  return {ErrorKind::kInvalid,
          fmt::format("the server redirects {} to {}: use that server with --server or KOYA_URL",
                      request_line, url ? url->Origin() : Printable(target)),
          {},
          0,
          {},
          response.status};
}

}  // namespace

Error AnswerError(const http::ClientResponse& response, std::string_view request_line,
                  bool token_was_sent) {
  if (response.status >= 300 && response.status < 400) {
    return RedirectError(response, request_line);
  }
  const wire::ErrorDocument said = wire::DecodeErrorDocument(response.body);
  std::string message = Sentences(said, response.status);
  if (response.status == 401 && !token_was_sent) {
    message +=
        "\n  to do: no token was sent; run \"koya login HOST\", use --token, or set KOYA_TOKEN";
  }
  if (response.status >= 500) {
    std::string id(response.Get("X-Request-Id").value_or(""));
    if (!id.empty()) {
      message +=
          fmt::format("\n  to do: look for request {} in the server's log", Printable(id, 80));
    }
  }
  Error error{KindOf(response.status, said.code), std::move(message), {}, 0, {}, response.status};
  if (auto pause = response.Get("Retry-After"); pause && ToBeTriedAgain(error.kind)) {
    auto wait = http::ParseRetryAfter(*pause, SystemClock().Now());
    if (wait) error.retry_after = static_cast<unsigned>(wait->count());
  }
  return error;
}

Result<std::string> FillPattern(std::string_view pattern, const std::vector<std::string>& parts) {
  std::string path;
  for (const std::string& part : parts) {
    const std::size_t open = pattern.find('{');
    if (open == pattern.npos) return FailInvalid("{}: more parts than names", path);
    path += std::string(pattern.substr(0, open)) + http::PercentEncode(part);
    pattern.remove_prefix(pattern.find('}', open) + 1);
  }
  if (pattern.contains('{')) return FailInvalid("{}{}: a part is missing", path, pattern);
  return path + std::string(pattern);
}

ApiClient::ApiClient(RegistryClientOptions options)
    : options_(std::move(options)), client_(options_.http) {}

Result<http::ClientResponse> ApiClient::Exchange(http::ClientRequest request,
                                                 std::string_view path) {
  request.url = options_.server.Origin() + std::string(path);
  request.fields.emplace_back("Accept", "application/json");
  if (!options_.token.empty()) {
    request.fields.emplace_back("Authorization", "Bearer " + options_.token);
  }
  if (!options_.break_glass.empty()) {
    request.fields.emplace_back("Koya-Break-Glass", http::PercentEncode(options_.break_glass));
  }
  request.stop = options_.stop;
  Result<http::ClientResponse> response = client_.Send(request);
  if (options_.trace) {
    const std::string answer =
        response ? fmt::format("answered {}", response->status) : "was not answered";
    options_.trace(fmt::format("koya: {} {} {}", request.method, request.url, answer));
  }
  return response;
}

Result<http::ClientResponse> ApiClient::Call(http::ClientRequest request, std::string_view path) {
  std::string method = request.method;
  ASSIGN_OR_RETURN(http::ClientResponse response, Exchange(std::move(request), path));
  if (response.status >= 200 && response.status < 300) return response;
  return Failure(Explain(response, method, path));
}

Result<std::string> ApiClient::Get(std::string_view path) {
  ASSIGN_OR_RETURN(http::ClientResponse response, Call({}, path));
  return std::move(response.body);
}

Result<http::ClientResponse> ApiClient::Send(std::string_view method, std::string_view path,
                                             std::string body) {
  http::ClientRequest request;
  request.method = method;
  if (!body.empty()) request.fields.emplace_back("Content-Type", "application/json");
  // Said, since some proxies want a length of every POST and PUT.
  if (body.empty() && (method == "POST" || method == "PUT"))
    request.fields.emplace_back("Content-Length", "0");
  request.body = std::move(body);
  return Call(std::move(request), path);
}

Error ApiClient::Explain(const http::ClientResponse& response, std::string_view method,
                         std::string_view path) const {
  return AnswerError(response, fmt::format("{} {}{}", method, options_.server.Origin(), path),
                     options_.takes_no_token || !options_.token.empty());
}

}  // namespace koya::cli
