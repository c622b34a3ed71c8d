// Runs another program and returns its output, with limits on time and size.
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

// Limits for the program and, separately, for each process that it starts. 0: those of this
// process.
struct ChildLimits {
  std::uint64_t file_bytes = 0;    // of each file that it writes; a larger one ends the program
  std::uint64_t memory_bytes = 0;  // address space: further allocations fail
  std::chrono::seconds cpu{0};     // CPU time: then the program is ended
};

struct ChildProgram {
  // The program, by path or looked up in the server's PATH, and its arguments. No shell reads them.
  std::vector<std::string> command;
  std::chrono::milliseconds timeout{5000};
  std::size_t max_output = 64 << 10;
  // "NAME=value", the complete environment; nullopt: inherited.
  std::optional<std::vector<std::string>> environment = {};
  std::string folder = {};  // its working folder; "": the server's
  // Not -1: an open file of the caller that receives the standard output from the file's offset on;
  // then RunChild returns an empty text.
  int output = -1;
  ChildLimits limits = {};
  // Called periodically, on the caller's thread, to check that it may go on. May be empty.
  std::function<Status()> check = {};
  // How many bytes from the end of its error output go into Error::detail; 0: none.
  std::size_t max_errors = 0;
  // Requesting stop ends the program.
  std::stop_token stop = {};
};

// Returns the program's standard output. Its input is empty. It runs in a process group of its own,
// which is killed as a whole when the time is over, the output too long, `check` fails or `stop` is
// requested; the kernel kills it before the server when memory runs out. Fails: kNotFound (no such
// program, or not executable), kUnavailable (cannot be started for another reason, or stopped;
// Error::limit when descriptors are used up), kTimeout, kTooLarge, kRefused (ended with a status
// other than 0), or as `check`. Messages name the program, never its output. Thread-safe and
// blocking.
Result<std::string> RunChild(const ChildProgram& child);

}  // namespace koya::upstream
