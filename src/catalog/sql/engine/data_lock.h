// DataLock keeps a second server off the same data.
#pragma once

#include <string>

#include "base/file.h"
#include "base/result.h"

namespace koya::sql {

// Holds an exclusive lock on a file for its lifetime. The kernel drops the lock when the process
// ends, however it ends: a leftover lock file is harmless.
class DataLock {
 public:
  // Creates the file if needed and writes this process's id into it. Fails: kUnavailable when
  // another process holds it (the message names the file and that process), kStorageFull,
  // kInternal.
  static Result<DataLock> Acquire(const std::string& path);

 private:
  explicit DataLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace koya::sql
