// Parses configuration in JSON (main.tf.json) into the types of hcl.h.
//
// The text does not determine which names are blocks and how many labels they have: the caller
// does. Source of the rules: HCL's JSON syntax (github.com/hashicorp/hcl, json/spec.md). Pure.
#pragma once

#include <cstddef>
#include <string_view>

#include "hcl/hcl.h"

namespace koya::hcl {

struct BlockShape;

// The possible blocks of a body; every other name in it is an attribute.
struct BodyShape {
  const BlockShape* blocks = nullptr;
  std::size_t count = 0;
};

struct BlockShape {
  std::string_view type;
  std::size_t labels = 0;
  BodyShape inner = {};
  bool evaluated = false;  // clients read the strings of its attributes as templates
};

// As ParsePartly. Strings with templates are kTemplate, others kText; "//" is a comment and left
// out. An evaluated string with an unreadable template is a problem. A duplicate name in an object
// is a problem: of attributes the first counts, of blocks all do. After a syntax error nothing more
// is read, and the enclosing block is left out. The text must outlive the result.
Parsed ParseJsonPartly(std::string_view text, const BodyShape& shape,
                       const ParseLimits& limits = {});

}  // namespace koya::hcl
