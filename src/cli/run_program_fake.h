// Runs the program in a test as a shell would, and returns its output.
#pragma once

#include <cstddef>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/program.h"

namespace koya::cli {

struct ProgramRun {
  int status = 0;
  std::string out = {};
  std::string err = {};
};

// `input`: what stands on standard input. `columns`: stdout is a terminal of that width; 0: a pipe.
inline ProgramRun RunKoya(std::vector<std::string> arguments, Variables variables = {},
                          const std::string& input = {}, std::size_t columns = 0) {
  std::ostringstream out;
  std::ostringstream err;
  std::istringstream in(input);
  Shell shell{.variables = std::move(variables),
              .out = out,
              .err = err,
              .out_is_terminal = columns > 0,
              .out_columns = columns,
              .in = &in};
  int status = RunProgram(shell, arguments);
  return {status, out.str(), err.str()};
}

// What a server of before answers with, which has neither code nor status.
inline std::string PlainErrors(const std::string& sentence) {
  return R"({"errors":[")" + sentence + R"("]})";
}

}  // namespace koya::cli
