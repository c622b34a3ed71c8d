// Finds the references in an expression without evaluating it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace koya::hcl {

struct Mentions {
  // "var.x", "local.x", "module.x", "data.T.N", "ephemeral.T.N", and "T.N" of resources, without
  // loop variables. Sorted, unique.
  std::vector<std::string> references;
  // "provider::NAME::FUNCTION" for every such call, likewise.
  std::vector<std::string> functions;
};

// For native syntax: an expression, or a whole file. Linear; beyond a nesting of 1,000 brackets and
// strings, the rest is skipped.
Mentions FindMentions(std::string_view source);
// For a string in JSON syntax, with its escapes decoded: only templates in it count.
Mentions FindTemplateMentions(std::string_view text);

}  // namespace koya::hcl
