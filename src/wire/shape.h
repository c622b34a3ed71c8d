// What a document, a parameter or a part of one is like, in a line that people read as well:
//
//   {name: text, scope: "read" | "publish" | "admin", namespaces?: [text], expires: time | null}
//
// text, time (RFC 3339), integer, number, boolean, any and null; 1..100, a whole number within
// bounds; "read", this text; [A], a list; {a: A, b?: B}, an object, in which b may be missing, and
// {*: A}, one with any names; A | B, either; Name, a document of that name (DocumentNames()).
// Pure and thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::wire {

// The documents that shapes may name, in order.
const std::vector<std::string>& DocumentNames();

// The JSON Schema of a shape, as JSON. Fails: kInvalid, with the place that cannot be read or the
// name that no document has.
Result<std::string> ShapeSchema(std::string_view shape);

// A shape as people read it in a block of its own: a member a line, and named documents written
// out. Fails: the same.
Result<std::string> ShapeText(std::string_view shape);

}  // namespace koya::wire
