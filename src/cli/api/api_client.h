// ApiClient exchanges requests and responses with Koya's API: it adds the server and the token, and
// explains failed responses. A call names its endpoint (wire/endpoint.h), which determines both
// documents: api.Send(At(wire::kSetPassword, user), request). One thread.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <iterator>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"
#include "domain/host_name.h"
#include "domain/module_address.h"
#include "domain/platform.h"
#include "domain/provider_address.h"
#include "domain/version.h"
#include "http/client/client.h"
#include "http/url.h"
#include "wire/endpoint.h"

namespace koya::cli {

struct RegistryClientOptions {
  http::Url server;
  std::string token;             // "" sends none
  std::string break_glass = {};  // reason to override a namespace's rule for publishing; "": none
  // The endpoint takes no token, so errors do not suggest one.
  bool takes_no_token = false;
  http::ClientOptions http;
  std::stop_token stop = {};  // cancels running requests
  // Gets a line about each exchange, from any thread. Empty: none is wanted.
  std::function<void(std::string_view line)> trace = {};
};

// Where a request goes, and the documents that it and its response carry.
template <class Request, class Response>
struct RequestLine {
  std::string_view method;
  std::string path;  // percent-encoded, with the query

  // Adds a parameter to the query.
  RequestLine With(std::string_view name, std::string_view value) && {
    path += path.contains('?') ? '&' : '?';
    path += std::string(name) + "=" + http::PercentEncode(value);
    return std::move(*this);
  }
  // The same, unless it is empty.
  RequestLine WithAny(std::string_view name, std::string_view value) && {
    return value.empty() ? std::move(*this) : std::move(*this).With(name, value);
  }
};

// The parts of a path that a value fills in.
inline std::array<std::string, 1> PathParts(std::string_view text) { return {std::string(text)}; }
inline std::array<std::string, 1> PathParts(const HostName& host) { return {host.ascii()}; }
inline std::array<std::string, 1> PathParts(const Version& version) { return {version.ToString()}; }
inline std::array<std::string, 2> PathParts(const Platform& platform) {
  return {platform.os(), platform.arch()};
}
inline std::array<std::string, 2> PathParts(const ProviderAddress& address) {
  return {address.ns(), address.type()};
}
inline std::array<std::string, 3> PathParts(const ModuleAddress& address) {
  return {address.ns(), address.name(), address.system()};
}

// The path of a pattern with `parts` in place of its names, percent-encoded: some proxies read a
// bare "+" of a version as a space. Fails: kInvalid: too few or too many.
Result<std::string> FillPattern(std::string_view pattern, const std::vector<std::string>& parts);

// An endpoint with the values for its pattern; another number of parts does not compile.
template <class Request, class Response, std::size_t kParts, class... Values>
  requires((std::tuple_size_v<decltype(PathParts(std::declval<Values>()))> + ... + 0) == kParts)
RequestLine<Request, Response> At(const wire::Endpoint<Request, Response, kParts>& endpoint,
                                  const Values&... values) {
  std::vector<std::string> parts;
  (std::ranges::move(PathParts(values), std::back_inserter(parts)), ...);
  return {endpoint.method, FillPattern(endpoint.pattern, parts).value()};
}

class ApiClient {
 public:
  explicit ApiClient(RegistryClientOptions options);

  const http::Url& server() const { return options_.server; }

  // Returns any response. Fails with the failures of http::Client.
  Result<http::ClientResponse> Exchange(http::ClientRequest request, std::string_view path);
  // Returns a successful response; fails with AnswerError for all others.
  Result<http::ClientResponse> Call(http::ClientRequest request, std::string_view path);
  Result<std::string> Get(std::string_view path);
  // `body` is JSON, or "" for none.
  Result<http::ClientResponse> Send(std::string_view method, std::string_view path,
                                    std::string body = {});

  // The same to an endpoint. `request` says the rest: a body of bytes, a sink, timeouts.
  template <class Request, class Response>
  Result<http::ClientResponse> Call(const RequestLine<Request, Response>& line,
                                    http::ClientRequest request) {
    request.method = line.method;
    return Call(std::move(request), line.path);
  }
  // With the request's document, which must be of the endpoint's type.
  template <class Request, class Response>
  Result<http::ClientResponse> Call(const RequestLine<Request, Response>& line,
                                    const std::type_identity_t<Request>& request)
    requires(!std::same_as<Request, wire::Bytes>)
  {
    return Send(line.method, line.path, wire::Encode(request));
  }
  // The document of the response; a Status where there is none.
  template <class Request, class Response>
  Result<Response> Send(const RequestLine<Request, Response>& line,
                        const std::type_identity_t<Request>& request) {
    return Decoded<Response>(Call(line, request));
  }
  template <class Response>
  Result<Response> Send(const RequestLine<void, Response>& line) {
    return Decoded<Response>(Send(line.method, line.path));
  }

  // Error for a failed `response` to a request that Exchange() sent.
  Error Explain(const http::ClientResponse& response, std::string_view method,
                std::string_view path) const;

 private:
  template <class Response>
  static Result<Response> Decoded(Result<http::ClientResponse> response) {
    if (!response) return std::unexpected(std::move(response).error());
    if constexpr (std::is_void_v<Response>) {
      return {};
    } else {
      return wire::Decode<Response>(response->body);
    }
  }

  RegistryClientOptions options_;
  http::Client client_;
};

// Converts a failed response to an error for the user, with the message of the server's error
// document and without a URL: --verbose shows it. kUnauthenticated, kForbidden, kNotFound,
// kConflict, kTooLarge, kRefused, kThrottled, kInternal, kStorageFull for the statuses that mean
// them; kUnavailable for most others. `request_line`: "PUT https://…", for redirects.
Error AnswerError(const http::ClientResponse& response, std::string_view request_line,
                  bool token_was_sent);

// Reads all pages of a list, as one list: `path_and_question` ends in "?" or "&". Terminates even
// if a server's pages form a cycle.
template <class List, class Item>
Result<List> AllPages(ApiClient& api, const std::string& path_and_question,
                      Result<List> (*decode)(std::string_view), std::vector<Item> List::* items) {
  // A list is read page by page up to this many; beyond it, search is the tool.
  constexpr std::size_t kMaxItems = 1'000'000;
  List all;
  std::uint64_t offset = 0;
  while (true) {
    ASSIGN_OR_RETURN(std::string body,
                     api.Get(path_and_question + "limit=100&offset=" + std::to_string(offset)));
    ASSIGN_OR_RETURN(List page, decode(body));
    for (Item& item : page.*items) (all.*items).push_back(std::move(item));
    bool more = page.next_offset && *page.next_offset > offset && !(page.*items).empty();
    if (!more || (all.*items).size() >= kMaxItems) break;
    offset = *page.next_offset;
  }
  all.limit = (all.*items).size();
  return all;
}

}  // namespace koya::cli
