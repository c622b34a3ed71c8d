// Shell is the environment of the program: its variables and its streams. It is passed in, so that
// tests run commands as a shell would.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace koya::cli {

// Environment variables, in the order of the process.
using Variables = std::vector<std::pair<std::string, std::string>>;

// The value of `name`, or "" when it is not set.
inline std::string Variable(const Variables& variables, std::string_view name) {
  auto found = std::ranges::find(variables, name, &Variables::value_type::first);
  return found == variables.end() ? std::string() : found->second;
}

struct Shell {
  Variables variables;
  std::ostream& out;  // results
  std::ostream& err;  // progress, notes and failures
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  std::size_t out_columns = 0;  // width of the terminal; 0: unknown
  std::istream* in = nullptr;   // not owned; null: nothing to read
  // Turns the echo of standard input on or off. Empty: it is not a terminal.
  std::function<void(bool shown)> show_input = {};
  // Opens a URL for the user, and does not wait for them; false: there is no browser. Empty: as
  // false.
  std::function<bool(const std::string& url)> open_browser = {};
};

}  // namespace koya::cli
