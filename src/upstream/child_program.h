// Runs another program and takes what it writes, for so long and so much only.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"

namespace koya::upstream {

// Hold for the program and, each anew, for every program that it starts. 0: none but ours.
struct ChildLimits {
  std::uint64_t file_bytes = 0;    // no file that it writes grows over this: who tries is ended
  std::uint64_t memory_bytes = 0;  // of address space: more is not given
  std::chrono::seconds cpu{0};     // of computing: then it is ended
};

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
  ChildLimits limits = {};
  // Asked every so often, on the caller's thread, whether it may go on. May be empty.
  std::function<Status()> check = {};
  // How much of the end of its error output goes into Error::detail; 0: it is dropped.
  std::size_t max_errors = 0;
  // Once stop is requested it is ended.
  std::stop_token stop = {};
};

// What it wrote to its standard output. Its input is empty. It runs in a process group of its own,
// all of which is killed when the time is over, the output too long, `check` fails or `stop` is
// requested, and it is what the kernel ends before us when memory runs out. Fails: kNotFound (there
// is no such program, or none that may be run), kUnavailable (cannot be started for want of
// something else, stopped; Error::limit when descriptors are used up), kTimeout, kTooLarge,
// kRefused (ended with another status than 0), or as `check`. Messages name the program, never its
// output. Thread-safe and blocking.
Result<std::string> RunChild(const ChildProgram& child);

}  // namespace koya::upstream
