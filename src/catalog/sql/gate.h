// Spares a database that does not answer, and those who would wait for it: once closed, one
// question a second goes through to find out; everybody else fails at once.
//
// Threads: any; nothing here waits.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>

#include "base/error.h"

namespace koya::sql {

class Gate {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class Answer {
    kPass,
    kProbe,  // it is this one's turn to find out: ends in Open() or Close()
    kRefused,
  };
  struct Asked {
    Answer answer = Answer::kPass;
    // With kRefused: the failure that closed this gate; none when it is closed elsewhere only.
    std::optional<Error> why;
  };

  // `elsewhere`: closed for another reason, so that only a probe may pass. The answer brings its
  // reason, since the gate may be another way by the next call.
  Asked Ask(Time now, bool elsewhere = false);
  void Open();
  void Close(Time now, Error why);
  bool closed() const;
  // The failure that closed it last.
  Error why() const;

 private:
  mutable std::mutex mutex_;
  bool closed_ = false;
  bool probing_ = false;
  Time next_probe_ = Time::min();
  Error why_;
};

}  // namespace koya::sql
