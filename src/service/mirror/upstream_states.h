// How the registries behind the mirror have answered this server: for people who want to know
// whether the mirror is well.
//
// Kept in memory by each server for itself, since it started, and nothing that is served depends on
// it. Bounded: so many hosts, and 24 hours of each. Thread-safe; never waits.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"

namespace koya {
struct Error;
class HostName;
}  // namespace koya

namespace koya::service {

struct UpstreamState {
  enum class Kind {
    kUnasked,  // this server has not asked it
    kFresh,    // its last answer was good
    kStale,    // it fails, and has answered before within a day: what is kept is as fresh as that
    kFailing,  // it fails, and has not answered for a day, or at all
  };
  struct Hour {
    std::uint64_t asked = 0;
    std::uint64_t failed = 0;
    friend bool operator==(const Hour&, const Hour&) = default;
  };
  static constexpr std::size_t kHours = 24;

  Kind kind = Kind::kUnasked;
  UnixSeconds answered_at = 0;    // the last good answer; 0: none
  UnixSeconds failing_since = 0;  // the first failure after it; 0: it answers
  std::string cause;              // what the last failure said, while it fails: for people
  // Of the good answers among the last ones; 0: there are none.
  std::chrono::milliseconds median{0};
  std::array<Hour, kHours> hours{};  // the last is the one that is now

  std::uint64_t asked() const;   // within these hours
  std::uint64_t failed() const;  // the same
};

class UpstreamStates {
 public:
  // What is asked beyond so many hosts is not noted.
  static constexpr std::size_t kMostHosts = 256;

  // `clock` must outlive this.
  explicit UpstreamStates(const Clock& clock) : clock_(clock), since_(clock.Now()) {}

  // `host` was asked, and answered: that there is none of what was asked for is an answer, too.
  void NoteAnswer(const HostName& host, std::chrono::milliseconds took);
  // It could not be asked, or its answer was of no use.
  void NoteFailure(const HostName& host, const Error& error);

  UpstreamState Of(const HostName& host) const;
  // From when on there are notes.
  UnixSeconds since() const { return since_; }

 private:
  static constexpr std::size_t kTimes = 32;
  // Everything of one host. Hours are counted since 1970; what is older than a day is passed over.
  struct Notes {
    UnixSeconds answered_at = 0;
    UnixSeconds failing_since = 0;
    std::string cause;
    std::array<std::chrono::milliseconds, kTimes> times{};
    std::size_t times_noted = 0;
    std::array<UpstreamState::Hour, UpstreamState::kHours> hours{};
    std::array<std::int64_t, UpstreamState::kHours> of_hour{};
  };
  // Null: there are too many. With the lock held.
  Notes* NotesOf(const HostName& host);
  static UpstreamState::Hour& HourAt(Notes& notes, UnixSeconds now);

  const Clock& clock_;
  const UnixSeconds since_;
  mutable std::mutex mutex_;
  std::map<std::string, Notes> notes_;  // by HostName::ascii()
};

}  // namespace koya::service
