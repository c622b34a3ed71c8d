// The structure of a file in HCL's native syntax: blocks, attributes, and the values that are
// written out. Nothing is evaluated: what is no literal is kept as the text that stands there.
//
// Source of the rules: hclsyntax specification (github.com/hashicorp/hcl, hclsyntax/spec.md).
// Pure: any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::hcl {

struct Member;

struct Value {
  enum class Kind {
    kText,    // a string without templates; `text` is what it means
    kList,    // [ … ]
    kObject,  // { … }
    kOther,   // numbers, templates, references, any expression; `text` is its source
  };
  Kind kind = Kind::kOther;
  std::size_t line = 0;
  std::string text = {};
  std::vector<Value> items = {};  // kList
  std::vector<Member> members;    // kObject, in the file's order
};

// `name = value`, in a body or an object. In an object, a name that is an expression is left out.
struct Member {
  std::string name;
  std::size_t line = 0;
  Value value;
};

struct Block;

struct Body {
  std::vector<Member> attributes;
  std::vector<Block> blocks;

  // The first attribute of that name, or null.
  const Value* Find(std::string_view name) const;
};

struct Block {
  std::string type;
  std::vector<std::string> labels;
  std::size_t line = 0;
  Body body;
};

inline constexpr std::size_t kMaxText = 4 << 20;

// Fails: kInvalid, "line N: …": no HCL, nested too deeply, longer than kMaxText, not UTF-8.
Result<Body> Parse(std::string_view text);

}  // namespace koya::hcl
