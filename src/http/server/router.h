// Finds the route of a request. A pattern is made of literal segments and {names}; a {name} takes
// exactly one segment that is not empty, and a {name...} at its end all that are left, none of them
// empty. Literals win over names, and names over the rest. Built once, then read from every
// thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "http/server/message.h"

namespace koya::http {

// What the {names} of a pattern matched, by position.
struct PathParameters {
  static constexpr std::size_t kMax = 8;
  std::array<std::string_view, kMax> values{};
  std::size_t count = 0;
  std::string_view operator[](std::size_t i) const { return values[i]; }
};

// One request being answered. Lives as long as its handler's coroutine.
struct Exchange {
  const Request& request;
  PathParameters parameters;
  // As http/request_body.h says.
  ByteSource& body;
  // Whoever answers says where the bytes of the answer's body are to be added once it has been
  // sent, as far as it was. Null: nobody wants to know.
  std::shared_ptr<std::atomic<std::uint64_t>> meter{};
  // Where one is to be added once the answer to a GET has been sent whole, with status 200, 204 or
  // 302: not for HEAD, nor for a part (206), nor for what the client has (304). Null: nobody wants
  // to know.
  std::shared_ptr<std::atomic<std::uint64_t>> tally{};
  // Kept until the answer has been sent, or cannot be any more.
  std::shared_ptr<const void> held{};
  // The client's socket, for HasLeft(), which any thread may ask. -1: there is none.
  int client = -1;
};

// Whether the client at the other end of this socket has ended its side of the connection, or the
// connection is broken: what is still computed for it is never read. (A client that has only ended
// its sending, which HTTP clients do not, counts as gone.)
bool HasLeft(int client);

using Handler = std::function<Awaitable<Response>(Exchange&)>;

// An answer that is at hand, or nullopt. Called on the loop: it must not wait, nor read the body.
using ReadyAnswer = std::function<std::optional<Response>(Exchange&)>;

struct RouteSpec {
  Method method = Method::kGet;  // a kGet route answers HEAD too, without the body
  std::string pattern;           // "/v1/modules/{namespace}/{name}/{system}/versions"
  std::uint64_t max_body = 0;    // larger bodies are 413; 0: the route takes none
  Handler handler;
  // Asked before the handler, which then only runs for what is not at hand: answering from memory
  // needs no coroutine. May be empty.
  ReadyAnswer ready = nullptr;
  LimitName max_body_name{};  // what the bound on bodies is called when it is reached
};

class Router {
 public:
  // REQUIRES: no two routes with one method match the same paths equally well; patterns begin with
  // '/' and have at most PathParameters::kMax names. (Else std::logic_error: the table is wrong.)
  // `elsewhere` answers GET and HEAD of paths that no route matches, whatever its pattern; without
  // it there is nothing at them.
  explicit Router(std::vector<RouteSpec> routes, std::optional<RouteSpec> elsewhere = std::nullopt);
  ~Router();
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  struct Match {
    const RouteSpec* route = nullptr;  // null: no route for this method or path
    PathParameters parameters;         // views into the path that was looked up
    // When the path exists for other methods: "GET, HEAD, PUT, OPTIONS". The engine answers
    // OPTIONS.
    std::string allow;
  };
  Match Find(Method method, std::string_view path) const;
  // Every method that some route has, in the form of Match::allow.
  std::string AllowedAnywhere() const;

 private:
  struct Node;
  std::vector<RouteSpec> routes_;
  std::optional<RouteSpec> elsewhere_;
  std::unique_ptr<Node> root_;
};

}  // namespace koya::http
