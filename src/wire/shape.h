// Describes the shape of a document, a parameter or a part of one in one readable line:
//
//   {name: text, scope: "read" | "publish" | "admin", namespaces?: [text], expires: time | null}
//
// text, time (RFC 3339), integer, number, boolean, any and null; 1..100, a whole number in that
// range; "read", this text; [A], a list; {a: A, b?: B}, an object, in which b is optional, and
// {*: A}, one with arbitrary names; A | B, either; Name, a document of that name (DocumentNames()).
// Pure and thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::wire {

// The names of documents that shapes may use, sorted.
const std::vector<std::string>& DocumentNames();

// The JSON Schema of a shape, as JSON. Fails: kInvalid, with the unreadable place or the unknown
// document name.
Result<std::string> ShapeSchema(std::string_view shape);

// A shape formatted for people as a block: one member a line, and named documents expanded. Fails:
// the same.
Result<std::string> ShapeText(std::string_view shape);

}  // namespace koya::wire
