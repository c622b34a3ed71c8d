#include "cli/text/shell.h"

#include <algorithm>

namespace koya::cli {

std::string Variable(const Variables& variables, std::string_view name) {
  auto found = std::ranges::find(variables, name, &Variables::value_type::first);
  return found == variables.end() ? std::string() : found->second;
}

}  // namespace koya::cli
