#include "http/server/router.h"

#include <poll.h>

#include <algorithm>
#include <bit>
#include <bitset>
#include <stdexcept>
#include <utility>

#include "http/server/characters.h"
#include "http/server/head_parser.h"

namespace koya::http {
namespace {

constexpr std::size_t kMethodCount = static_cast<std::size_t>(Method::kOther) + 1;
using Methods = std::bitset<kMethodCount>;

constexpr std::size_t IndexOf(Method method) { return static_cast<std::size_t>(method); }

bool IsName(std::string_view segment) { return segment.starts_with('{') && segment.ends_with('}'); }

// "{path...}"
bool IsRest(std::string_view segment) { return IsName(segment) && segment.ends_with("...}"); }

bool HasEmptySegment(std::string_view path) {
  return path.empty() || path.starts_with("/") || path.contains("//") || path.ends_with("/");
}

// Takes the first segment off `path`, which begins with '/'.
std::string_view NextSegment(std::string_view& path) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kTops = 0x8080808080808080;
  path.remove_prefix(1);
  std::size_t size = 0;  // segments are too short for memchr
  for (; size + sizeof kOnes <= path.size(); size += sizeof kOnes) {
    const std::uint64_t word = WordAt(path.data() + size) ^ (kOnes * '/');
    const std::uint64_t found = (word - kOnes) & ~word & kTops;
    if (found == 0) continue;
    size += static_cast<std::size_t>(std::countr_zero(found)) / 8;
    break;
  }
  while (size < path.size() && path[size] != '/') ++size;
  std::string_view segment = path.substr(0, size);
  path.remove_prefix(size);
  return segment;
}

std::string RenderAllow(Methods methods) {
  if (methods.none()) return {};
  if (methods.test(IndexOf(Method::kGet))) methods.set(IndexOf(Method::kHead));
  methods.set(IndexOf(Method::kOptions));
  std::string allow;
  for (std::size_t i = 0; i < kMethodCount; ++i) {
    if (!methods.test(i)) continue;
    if (!allow.empty()) allow += ", ";
    allow += MethodName(static_cast<Method>(i));
  }
  return allow;
}

}  // namespace

bool HasLeft(const ClientLink& client) {
  if (client.stream_ended && *client.stream_ended) return true;
  if (client.socket < 0) return false;
  pollfd end{.fd = client.socket, .events = POLLRDHUP, .revents = 0};
  return ::poll(&end, 1, 0) == 1 && (end.revents & POLLNVAL) == 0;
}

struct Router::Node {
  // Distinguishes nearly all literals of a node: they are few, and searched by their marks.
  static std::uint32_t MarkOf(std::string_view text) {
    if (text.empty()) return 0;
    auto at = [text](std::size_t i) { return static_cast<std::uint32_t>(std::uint8_t(text[i])); };
    return static_cast<std::uint32_t>(text.size()) << 24 | at(0) << 16 | at(text.size() / 2) << 8 |
           at(text.size() - 1);
  }
  std::vector<std::pair<std::string, std::unique_ptr<Node>>> literals;
  std::vector<std::uint32_t> marks;  // of each
  std::unique_ptr<Node> name;
  std::unique_ptr<Node> rest;  // has no children
  std::array<const RouteSpec*, kMethodCount> routes{};

  Node* Literal(std::string_view text) const {
    if (marks.empty()) return nullptr;
    const std::uint32_t mark = MarkOf(text);
    for (std::size_t i = 0; i < marks.size(); ++i) {
      if (marks[i] == mark && literals[i].first == text) return literals[i].second.get();
    }
    return nullptr;
  }

  Node& Grow(std::string_view segment) {
    if (IsRest(segment)) {
      if (!rest) rest = std::make_unique<Node>();
      return *rest;
    }
    if (IsName(segment)) {
      if (!name) name = std::make_unique<Node>();
      return *name;
    }
    if (Node* found = Literal(segment)) return *found;
    marks.push_back(MarkOf(segment));
    return *literals.emplace_back(std::string(segment), std::make_unique<Node>()).second;
  }

  const RouteSpec* Route(Method method) const {
    const RouteSpec* route = routes[IndexOf(method)];
    if (route == nullptr && method == Method::kHead) route = routes[IndexOf(Method::kGet)];
    return route;
  }

  // Depth first, literals before names; stops at the first route for `method`, and collects the
  // methods of the other ends it met in `others`.
  const RouteSpec* Walk(Method method, std::string_view path, PathParameters& parameters,
                        Methods& others) const {
    if (path.empty()) return End(method, others);
    const std::string_view all = path.substr(1);
    const std::size_t depth = parameters.count;
    std::string_view segment = NextSegment(path);
    if (const Node* child = Literal(segment)) {
      if (auto* found = child->Walk(method, path, parameters, others)) return found;
      parameters.count = depth;
    }
    if (name && !segment.empty()) {
      parameters.values[parameters.count++] = segment;
      if (auto* found = name->Walk(method, path, parameters, others)) return found;
      parameters.count = depth;
    }
    if (!rest || HasEmptySegment(all)) return nullptr;
    parameters.values[parameters.count++] = all;
    return rest->End(method, others);
  }

  const RouteSpec* End(Method method, Methods& others) const {
    if (const RouteSpec* route = Route(method)) return route;
    for (std::size_t i = 0; i < kMethodCount; ++i) {
      if (routes[i] != nullptr) others.set(i);
    }
    return nullptr;
  }
};

Router::Router(std::vector<RouteSpec> routes, std::optional<RouteSpec> elsewhere)
    : routes_(std::move(routes)),
      elsewhere_(std::move(elsewhere)),
      root_(std::make_unique<Node>()) {
  for (const RouteSpec& route : routes_) {
    if (!route.pattern.starts_with('/')) throw std::logic_error("not a pattern: " + route.pattern);
    Node* node = root_.get();
    std::size_t names = 0;
    for (std::string_view rest = route.pattern; !rest.empty();) {
      std::string_view segment = NextSegment(rest);
      names += IsName(segment) ? 1 : 0;
      if (IsRest(segment) && !rest.empty()) {
        throw std::logic_error("the rest is not at the end: " + route.pattern);
      }
      node = &node->Grow(segment);
    }
    if (names > PathParameters::kMax) throw std::logic_error("too many names: " + route.pattern);
    const RouteSpec*& place = node->routes[IndexOf(route.method)];
    if (place != nullptr) throw std::logic_error("two routes for " + route.pattern);
    place = &route;
  }
}

Router::~Router() = default;

Router::Match Router::FindRoute(Method method, std::string_view path) const {
  Match match;
  if (!path.starts_with('/')) return match;
  Methods others;
  match.route = root_->Walk(method, path, match.parameters, others);
  if (match.route == nullptr) {
    match.parameters = {};
    match.allow = RenderAllow(others);
    bool reads = method == Method::kGet || method == Method::kHead;
    if (elsewhere_ && reads && others.none()) match.route = &*elsewhere_;
  }
  return match;
}

std::string Router::AllowedAnywhere() const {
  Methods methods;
  for (const RouteSpec& route : routes_) methods.set(IndexOf(route.method));
  return RenderAllow(methods);
}

namespace {

// Spreads paths over slots; two of one hash cost a search.
std::uint64_t HashOf(std::string_view path) {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;
  constexpr std::size_t kWord = sizeof kFactor;
  if (path.size() < kWord) return path.size();
  std::uint64_t hash = WordAt(path.data() + path.size() - kWord) + path.size();
  for (std::size_t at = 0; at + kWord < path.size(); at += kWord) {
    hash = (hash ^ WordAt(path.data() + at)) * kFactor;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

Router::Match RouteCache::FindRoute(Method method, std::string_view path) {
  if (path.size() > kMostPath) return router_.FindRoute(method, path);
  Slot& slot = slots_[HashOf(path) % kSlots];
  const bool is_known = slot.route != nullptr && slot.method == method &&
                        std::string_view(slot.path.data(), slot.size) == path;
  if (!is_known) {
    Router::Match match = router_.FindRoute(method, path);
    if (match.route != nullptr) Fill(slot, method, path, match);
    return match;
  }
  Router::Match match;
  match.route = slot.route;
  match.parameters.count = slot.count;
  for (std::size_t i = 0; i < slot.count; ++i) {
    const auto [start, size] = slot.parameters[i];
    match.parameters.values[i] = {path.data() + start, size};
  }
  return match;
}

void RouteCache::Fill(Slot& slot, Method method, std::string_view path,
                      const Router::Match& match) {
  slot.route = match.route;
  slot.method = method;
  slot.size = static_cast<std::uint8_t>(path.size());
  path.copy(slot.path.data(), path.size());
  slot.count = static_cast<std::uint8_t>(match.parameters.count);
  for (std::size_t i = 0; i < slot.count; ++i) {
    const std::string_view value = match.parameters[i];
    slot.parameters[i] = {static_cast<std::uint8_t>(value.data() - path.data()),
                          static_cast<std::uint8_t>(value.size())};
  }
}

}  // namespace koya::http
