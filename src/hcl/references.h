// What an expression mentions, found without evaluating it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace koya::hcl {

struct Mentions {
  // "var.x", "local.x", "module.x", "data.T.N", "ephemeral.T.N", and "T.N" of resources; names of
  // loops are left out. Sorted, each once.
  std::vector<std::string> references;
  // "provider::NAME::FUNCTION" for every such call, likewise.
  std::vector<std::string> functions;
};

// Of native syntax: an expression, or a whole file. Linear; where more than 1,000 brackets and
// strings stand in one another, the rest is not looked at.
Mentions FindMentions(std::string_view source);
// Of a string in JSON syntax, after its own escapes are undone: only templates in it count.
Mentions FindTemplateMentions(std::string_view text);

}  // namespace koya::hcl
