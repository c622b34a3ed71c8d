// Configuration in JSON (main.tf.json), read into the types of hcl.h.
//
// Which names are blocks and how many labels they have is nothing that the text says: the caller
// does. Source of the rules: HCL's JSON syntax (github.com/hashicorp/hcl, json/spec.md). Pure.
#pragma once

#include <cstddef>
#include <string_view>

#include "hcl/hcl.h"

namespace koya::hcl {

struct BlockShape;

// The blocks that a body may have; every other name in it is an attribute.
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
// out. A string that is evaluated and whose template cannot be read is a problem. A name that
// stands in an object twice is a problem: of attributes the first counts, of blocks all do. After a
// mistake nothing is read, and the block that it stands in is left out. The text must outlive the
// result.
Parsed ParseJsonPartly(std::string_view text, const BodyShape& shape,
                       const ParseLimits& limits = {});

}  // namespace koya::hcl
