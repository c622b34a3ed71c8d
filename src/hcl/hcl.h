// Parses the structure of a configuration file: blocks, attributes, and literal values. Nothing is
// evaluated: other expressions are kept as source text. HCL's native syntax is parsed here, its
// JSON form by json_syntax.h, into the same types. Literal values are written as JSON, too.
//
// Source of the rules: hclsyntax specification (github.com/hashicorp/hcl, hclsyntax/spec.md). For
// any text, time is linear in its length, and depth and memory are bounded. Pure: any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::hcl {

// A place in the text. Lines and columns count from 1, columns in characters.
struct Range {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t begin = 0;  // bytes from the text's beginning
  std::uint32_t end = 0;    // exclusive
};

struct Member;

struct Value {
  enum class Kind : std::uint8_t {
    kText,      // a string or heredoc without templates; `text` is its value
    kNumber,    // as written: "1.5e3", "-1"
    kBool,      // "true", "false"
    kNull,      // "null"
    kList,      // [ … ]
    kObject,    // { … }
    kTemplate,  // JSON only: a string with templates; `text` is the template
    kOther,     // templates, references, any other expression; `text` is its source
  };
  Kind kind = Kind::kOther;
  Range range = {};
  // As written: a view into the parsed text, valid as long as that is.
  std::string_view source = {};
  std::string text = {};
  std::vector<Value> items = {};  // kList
  std::vector<Member> members;    // kObject, in the file's order
};

// `name = value`, in a body or an object.
struct Member {
  std::string name;
  Range range = {};  // of the name
  Value value;
  // In an object: the name is an expression, "(var.x)" or "aws.east", as written.
  bool computed = false;
};

struct Block;

struct Body {
  std::vector<Member> attributes;
  std::vector<Block> blocks;

  // The first attribute of that name, or null.
  const Value* FindAttribute(std::string_view name) const;
};

struct Block {
  std::string type;
  std::vector<std::string> labels;
  Range range = {};              // from the type to the closing bracket
  std::string_view source = {};  // the same, as Value::source
  // The text of the comments directly above it, without their markers; outermost blocks only.
  std::string comment = {};
  Body body = {};
};

// A mistake in a text, and its place.
struct Problem {
  Range range;
  std::string what;  // a sentence without the place

  // "line 3: …"
  std::string ToString() const;
};

inline constexpr std::size_t kMaxText = 4 << 20;
// The maximal number of reported mistakes of one text; after the last one the rest is skipped.
inline constexpr std::size_t kMaxProblems = 20;
inline constexpr std::size_t kMaxNesting = 200;

struct ParseLimits {
  std::size_t bytes = kMaxText;
  // Blocks, attributes, and elements of values together: about 100 bytes each in memory.
  std::size_t parts = 1'000'000;
};

// The readable parts of a text. After a mistake, parsing resumes at the next line that begins a
// block without a leading blank; the outermost block with the mistake is left out. A duplicate
// attribute in a body is a mistake too; the first counts.
struct Parsed {
  Body body;
  std::vector<Problem> problems;  // in the order of their places
  // The text of the comment at the beginning, unless it belongs to the block below it.
  std::string header = {};
  std::size_t parts = 0;  // number of parts, including those left out
  std::size_t steps = 0;  // bytes examined: at most (kMaxProblems + 1) times the text's
};
// The text must outlive the result.
Parsed ParsePartly(std::string_view text, const ParseLimits& limits = {});

// All or nothing, except that duplicate attributes in a body are allowed: both are returned. Fails:
// kInvalid, "line N: …": not HCL, nested too deeply, longer than kMaxText, not UTF-8.
Result<Body> Parse(std::string_view text);

// One expression, as on the right of "=" or in a call; it may span several lines. Fails: kInvalid.
Result<Value> ParseExpression(std::string_view text);

// The JSON text of a value that needs no evaluation, on one line; of duplicate names in an object
// the last value counts, at the place of the first. Nothing when any part of it must be evaluated.
std::optional<std::string> LiteralJson(const Value& value);

// `text` in quotes. REQUIRES: UTF-8.
std::string QuotedJson(std::string_view text);

// true or false, as a bool or, as in older configurations, in quotes.
std::optional<bool> LiteralBool(const Value& value);

}  // namespace koya::hcl
