// Parses types of variables: "list(object({ name = string, size = optional(number, 1) }))".
//
// Source of the rules: the clients' documentation of type constraints. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::hcl {

struct TypeAttribute;

struct Type {
  enum class Kind : std::uint8_t {
    kAny,
    kString,
    kNumber,
    kBool,
    kList,
    kSet,
    kMap,
    kTuple,
    kObject,
  };
  Kind kind = Kind::kAny;
  std::vector<Type> elements;             // one of a list, set or map; those of a tuple
  std::vector<TypeAttribute> attributes;  // of an object, in the order written, each name once
};

struct TypeAttribute {
  std::string name;
  Type type;
  bool optional = false;
  // The default of optional(): as written, and as JSON when it is a literal.
  std::string default_text;
  std::string default_json;
};

// Defined by hand: clang 19 cannot default the two, since each needs the other.
bool operator==(const Type& a, const Type& b);
bool operator==(const TypeAttribute& a, const TypeAttribute& b);

// Also accepts "list", "map" and "set" alone, which in old configurations mean those of any. Fails:
// kInvalid, "line N: …", counted from the beginning of `text`.
Result<Type> ParseType(std::string_view text);

// On one line, in the usual spelling.
std::string ToString(const Type& type);

std::string_view TypeName(Type::Kind kind);

}  // namespace koya::hcl
