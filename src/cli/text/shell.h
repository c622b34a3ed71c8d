// What the program was started in: its environment and its streams. Passed in, so that tests run
// commands as a shell would.
#pragma once

#include <istream>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace koya::cli {

// Environment variables in the order the process was given them.
using Variables = std::vector<std::pair<std::string, std::string>>;

// The value of `name`, or "" when it is not set.
std::string Variable(const Variables& variables, std::string_view name);

struct Shell {
  Variables variables;
  std::ostream& out;  // results
  std::ostream& err;  // progress, notes and failures
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  std::istream* in = nullptr;  // not owned; null: nothing to read
};

}  // namespace koya::cli
