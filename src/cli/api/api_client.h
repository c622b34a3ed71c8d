// One exchange with Koya's API: the server and the token it was told, and what an answer that is
// no success means. What the clients of its parts (modules, providers) are made of. One thread.
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
  // What is asked for takes no token, so none would help.
  bool takes_no_token = false;
  http::ClientOptions http;
  std::stop_token stop = {};  // gives up whatever is under way
};

class ApiClient {
 public:
  explicit ApiClient(RegistryClientOptions options);

  const http::Url& server() const { return options_.server; }

  // Any answer. Fails with the failures of http::Client.
  Result<http::ClientResponse> Exchange(http::ClientRequest request, std::string_view path);
  // An answer of success; AnswerError for every other.
  Result<http::ClientResponse> Call(http::ClientRequest request, std::string_view path);
  Result<std::string> Get(std::string_view path);
  // Without a body, or with one of JSON.
  Result<http::ClientResponse> Send(std::string_view method, std::string_view path,
                                    std::string body = {});
  // What `response` to a request that Exchange() sent means when it is no success.
  Error Explain(const http::ClientResponse& response, std::string_view method,
                std::string_view path) const;

 private:
  RegistryClientOptions options_;
  http::Client client_;
};

// What an answer that is no success means to the user: what the server's error document says, and
// where it was said; kUnauthenticated, kForbidden, kNotFound, kConflict, kTooLarge, kRefused,
// kThrottled, kInternal, kStorageFull for the statuses that mean them; kUnavailable for most
// others. `request_line`: "PUT https://…".
Error AnswerError(const http::ClientResponse& response, std::string_view request_line,
                  bool token_was_sent);

// Every page of a list, as one: `path_and_question` ends in "?" or "&". Ends even when a server's
// pages go in circles.
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
