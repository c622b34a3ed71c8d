// Runs another program and takes what it writes, for so long and so much only.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace koya::upstream {

struct ChildProgram {
  // The program, by path or looked up in our PATH, and its arguments. No shell reads them.
  std::vector<std::string> command;
  std::chrono::milliseconds timeout{5000};
  std::size_t max_output = 64 << 10;
  // "NAME=value", all that it gets; nothing: our own.
  std::optional<std::vector<std::string>> environment = {};
  std::string folder = {};  // where it runs; "": where we do
  // Not -1: an open file of the caller's takes its standard output from the file's offset on, and
  // what RunChild returns is empty.
  int output = -1;
  // No file that it or a program of its own writes grows over this, rounded down to 512 bytes: who
  // tries is ended. 0: no limit but ours.
  std::uint64_t max_file = 0;
  // How much of the end of its error output goes into Error::detail; 0: it is dropped.
  std::size_t max_errors = 0;
};

// What it wrote to its standard output. Its input is empty. It runs in a process group of its own,
// all of which is killed when the time is over or the output too long. Fails: kUnavailable (cannot
// be started), kTimeout, kTooLarge, kRefused (ended with another status than 0). Messages name the
// program, never its output. Thread-safe and blocking.
Result<std::string> RunChild(const ChildProgram& child);

}  // namespace koya::upstream
