// Runs another program and takes what it writes, for so long and so much only.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace koya::upstream {

struct ChildProgram {
  // The program, by path or looked up in PATH, and its arguments. No shell is involved.
  std::vector<std::string> command;
  std::chrono::milliseconds timeout{5000};
  std::size_t max_output = 64 << 10;
};

// What it wrote to its standard output. Its input is empty, its error output is dropped, its
// environment is ours. It runs in a process group of its own, all of which is killed when the time
// is over or the output too long. Fails: kUnavailable (cannot be started), kTimeout, kTooLarge,
// kRefused (ended with another status than 0). Messages name the program, never its output.
// Thread-safe and blocking.
Result<std::string> RunChild(const ChildProgram& child);

}  // namespace koya::upstream
