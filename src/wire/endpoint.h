// Endpoint declares a route of the API once: its method, its path, and the documents that go either
// way. The server's table of routes, koya's client and the check of the OpenAPI description use it.
// ListOf is a document that wraps a list. Literal types; thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::wire {

// ---- Encode and Decode, for the JSON documents that the headers of this folder declare as
// structs. Each document's .cc file says how it is written and read (wire/document.h), and defines
// both.

template <class T>
std::string Encode(const T& document);
// Fails: kInvalid; the message names the document and the member.
template <class T>
Result<T> Decode(std::string_view body);

// A text as an argument of a template.
template <std::size_t kSize>
struct Words {
  char bytes[kSize] = {};
  consteval Words(const char (&text)[kSize]) {  // NOLINT: a literal is meant to convert
    for (std::size_t i = 0; i < kSize; ++i) bytes[i] = text[i];
  }
  constexpr std::string_view view() const { return {bytes, kSize - 1}; }
};

// {"KEY": […]}; errors call the document kWhat, "the list of users". wire/document.h reads and
// writes it.
template <class T, Words kKey, Words kWhat>
struct ListOf {
  std::vector<T> items;
  friend bool operator==(const ListOf&, const ListOf&) = default;
};

// A body of bytes, whose media type the request or the response states.
struct Bytes {};

// The OpenAPI description calls documents as their types are called.
template <class T>
consteval std::string_view TypeName() {
  std::string_view text = __PRETTY_FUNCTION__;  // "… [T = koya::wire::Account]"
  text.remove_suffix(1);
  return text.substr(text.rfind(':') + 1);
}

struct DocumentShape {
  std::string_view name;  // "Account"; "": no body; "@": bytes
  std::string_view list;  // of a list of them: "users"
  // As wire/openapi.h reads it: "{users: [Account]}".
  std::string ToString() const {
    if (list.empty()) return std::string(name);
    return "{" + std::string(list) + ": [" + std::string(name) + "]}";
  }
};

template <class T>
inline constexpr DocumentShape kShape{TypeName<T>(), {}};
template <>
inline constexpr DocumentShape kShape<void>{};
template <>
inline constexpr DocumentShape kShape<Bytes>{"@", {}};
template <class T, Words kKey, Words kWhat>
inline constexpr DocumentShape kShape<ListOf<T, kKey, kWhat>>{TypeName<T>(), kKey.view()};

struct EndpointShapes {
  DocumentShape request;
  DocumentShape response;
};

// `void` stands for no body. kParts: the number of names in the pattern, which the client fills in.
template <class Request, class Response, std::size_t kParts = 0>
struct Endpoint {
  std::string_view method;   // "PUT"
  std::string_view pattern;  // "/api/v1/users/{name}/password"

  static constexpr EndpointShapes kShapes{kShape<Request>, kShape<Response>};

  consteval Endpoint(std::string_view how, std::string_view where) : method(how), pattern(where) {
    std::size_t parts = 0;
    for (char c : where) parts += c == '{' ? 1 : 0;
    if (parts != kParts) throw "the pattern has another number of names";
  }
};

}  // namespace koya::wire
