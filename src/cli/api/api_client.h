// ApiClient exchanges requests and responses with Koya's API: it adds the server and the token, and
// explains failed responses. The clients of its parts (modules, providers) use it. One thread.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "http/client/client.h"
#include "http/url.h"

namespace koya::cli {

struct RegistryClientOptions {
  http::Url server;
  std::string token;  // "" sends none
  // The endpoint takes no token, so errors do not suggest one.
  bool takes_no_token = false;
  http::ClientOptions http;
  std::stop_token stop = {};  // cancels running requests
};

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
  // Error for a failed `response` to a request that Exchange() sent.
  Error Explain(const http::ClientResponse& response, std::string_view method,
                std::string_view path) const;

 private:
  RegistryClientOptions options_;
  http::Client client_;
};

// Converts a failed response to an error for the user: the message of the server's error document,
// and the request that it answers; kUnauthenticated, kForbidden, kNotFound, kConflict, kTooLarge,
// kRefused, kThrottled, kInternal, kStorageFull for the statuses that mean them; kUnavailable for
// most others. `request_line`: "PUT https://…".
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
