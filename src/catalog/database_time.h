// DatabaseTime reports the time that all servers on one catalog share.
#pragma once

#include <chrono>

#include "base/task.h"

namespace koya {

class DatabaseTime {
 public:
  virtual ~DatabaseTime() = default;
  // The current time by the database's clock, since 1970-01-01T00:00:00Z.
  virtual Task<std::chrono::milliseconds> AskTime() = 0;
};

}  // namespace koya
