// What the program was started in: its environment and its streams. Passed in, so that tests run
// commands as a shell would.
#pragma once

#include <functional>
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
  // Whether what is typed on standard input is shown. Empty: it is no terminal.
  std::function<void(bool shown)> show_input = {};
  // Shows a URL to the user; false: there is nothing to show it with. Does not wait for them.
  // Empty: as false.
  std::function<bool(const std::string& url)> open_browser = {};
};

}  // namespace koya::cli
