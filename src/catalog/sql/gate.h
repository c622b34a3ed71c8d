// Spares a database that does not answer, and those who would wait for it: once closed, one
// question a second goes through to find out; everybody else fails at once.
//
// Threads: any; nothing here waits.
#pragma once

#include <chrono>
#include <mutex>

#include "base/error.h"

namespace koya::sql {

class Gate {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class Answer {
    kPass,
    kProbe,    // it is this one's turn to find out: ends in Open() or Close()
    kRefused,  // as why() says
  };

  // `elsewhere`: closed for another reason, so that only a probe may pass.
  Answer Ask(Time now, bool elsewhere = false);
  void Open();
  void Close(Time now, Error why);
  bool closed() const;
  // The failure that closed it, for those who are refused.
  Error why() const;

 private:
  mutable std::mutex mutex_;
  bool closed_ = false;
  bool probing_ = false;
  Time next_probe_ = Time::min();
  Error why_;
};

}  // namespace koya::sql
