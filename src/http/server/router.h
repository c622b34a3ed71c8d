// Finds the route of a request. A pattern consists of literal segments and {names}; a {name}
// matches exactly one segment that is not empty, and a {name...} at the end all remaining ones,
// none of them empty. Literals take precedence over names, and names over the rest. Built once,
// then read from every thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/task.h"
#include "http/server/message.h"

namespace koya::http {

// The segments that the {names} of a pattern matched, by position.
struct PathParameters {
  static constexpr std::size_t kMax = 8;
  std::array<std::string_view, kMax> values{};
  std::size_t count = 0;
  std::string_view operator[](std::size_t i) const { return values[i]; }
};

// The other end of a request, for HasLeft(). Copies share it.
struct ClientLink {
  int socket = -1;  // -1: there is none
  // Set once the stream of an HTTP/2 request has ended. Null: HTTP/1.1.
  std::shared_ptr<const std::atomic<bool>> stream_ended{};
};

// True if the client has ended its side of the connection or reset the stream, or the connection is
// broken: no result will be read. (A client that has only ended its sending, which HTTP clients do
// not do, counts as gone.) Any thread.
bool HasLeft(const ClientLink& client);

// A request being answered. Lives as long as its handler's coroutine.
struct Exchange {
  const Request& request;
  PathParameters parameters;
  // See http/server/request_body.h.
  ByteSource& body;
  // Set by the handler: counts the bytes of the response's body that were sent, also if it was cut
  // off. Null: not counted.
  std::shared_ptr<std::atomic<std::uint64_t>> meter{};
  // Incremented when the response to a GET has been sent completely, with status 200, 204 or 302:
  // not for HEAD, nor for a part (206), nor for a response that the client has cached (304). Null:
  // not counted.
  std::shared_ptr<std::atomic<std::uint64_t>> tally{};
  // Lives until the response has been sent, or cannot be sent any more.
  std::shared_ptr<const void> held{};
  ClientLink client{};
};

using Handler = std::function<Awaitable<Response>(Exchange&)>;

// A response that is available at once, or nullopt. Called on the loop: must not wait or read the
// body.
using ReadyAnswer = std::function<std::optional<Response>(Exchange&)>;

struct RouteSpec {
  Method method = Method::kGet;  // a kGet route also serves HEAD, without the body
  std::string pattern;           // "/v1/modules/{namespace}/{name}/{system}/versions"
  std::uint64_t max_body = 0;    // larger bodies are 413; 0: the route takes no body
  Handler handler;
  // Called before the handler, which runs only if this returns nullopt: a response from memory
  // needs no coroutine. May be empty.
  ReadyAnswer ready = nullptr;
  LimitName max_body_name{};  // the name of the limit on bodies
};

class Router {
 public:
  // REQUIRES: no two routes with one method match the same paths equally well; patterns begin with
  // '/' and have at most PathParameters::kMax names. (Else std::logic_error: the table is wrong.)
  // `elsewhere` serves GET and HEAD of paths that no route matches, whatever its pattern; without
  // it such paths are not found.
  explicit Router(std::vector<RouteSpec> routes, std::optional<RouteSpec> elsewhere = std::nullopt);
  ~Router();
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  struct Match {
    const RouteSpec* route = nullptr;  // null: no route for this method or path
    PathParameters parameters;         // views into the given path
    // When the path exists for other methods: "GET, HEAD, PUT, OPTIONS". The engine itself serves
    // OPTIONS.
    std::string allow;
  };
  Match FindRoute(Method method, std::string_view path) const;
  // All methods of all routes, in the form of Match::allow.
  std::string AllowedAnywhere() const;

 private:
  struct Node;
  std::vector<RouteSpec> routes_;
  std::optional<RouteSpec> elsewhere_;
  std::unique_ptr<Node> root_;
};

// The routes of the paths that were asked for last: the same ones are asked for over and over.
// Belongs to one loop.
class RouteCache {
 public:
  // `router` outlives the cache.
  explicit RouteCache(const Router& router) : router_(router), slots_(kSlots) {}
  // Does what router.FindRoute() does.
  Router::Match FindRoute(Method method, std::string_view path);

 private:
  static constexpr std::size_t kSlots = 256;
  static constexpr std::size_t kMostPath = 128;  // bytes; longer ones are always searched for
  struct Slot {
    const RouteSpec* route = nullptr;  // null: the slot is free
    Method method{};
    std::uint8_t size = 0;   // of the path
    std::uint8_t count = 0;  // of parameters
    std::array<std::pair<std::uint8_t, std::uint8_t>, PathParameters::kMax> parameters{};
    std::array<char, kMostPath> path{};
  };

  void Fill(Slot& slot, Method method, std::string_view path, const Router::Match& match);

  const Router& router_;
  std::vector<Slot> slots_;  // by the path's hash
};

}  // namespace koya::http
