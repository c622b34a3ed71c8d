// Records how the mirror's upstream registries have answered this server, for people who check the
// health of the mirror.
//
// Each server records this for itself in memory, since its start, and nothing that is served
// depends on it. Bounded: kMostHosts hosts, and 24 hours of each. Thread-safe; never waits.
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
    kStale,    // it fails, but answered within the last day: cached data is as fresh as that
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
  std::string cause;              // the last failure's message while it fails, for people
  // Median time of the recent good answers; 0: there are none.
  std::chrono::milliseconds median{0};
  std::array<Hour, kHours> hours{};  // the last is the current hour

  std::uint64_t asked() const;   // within these hours
  std::uint64_t failed() const;  // the same
};

class UpstreamStates {
 public:
  // Requests to further hosts are not recorded.
  static constexpr std::size_t kMostHosts = 256;

  // `clock` must outlive this.
  explicit UpstreamStates(const Clock& clock) : clock_(clock), since_(clock.Now()) {}

  // `host` answered a request. "Not found" is an answer, too.
  void NoteAnswer(const HostName& host, std::chrono::milliseconds took);
  // `host` could not be asked, or its answer was unusable.
  void NoteFailure(const HostName& host, const Error& error);

  UpstreamState Of(const HostName& host) const;
  // When recording began.
  UnixSeconds since() const { return since_; }

 private:
  static constexpr std::size_t kTimes = 32;
  // The record of one host. Hours are counted since 1970; hours older than a day are skipped.
  struct Notes {
    UnixSeconds answered_at = 0;
    UnixSeconds failing_since = 0;
    std::string cause;
    std::array<std::chrono::milliseconds, kTimes> times{};
    std::size_t times_noted = 0;
    std::array<UpstreamState::Hour, UpstreamState::kHours> hours{};
    std::array<std::int64_t, UpstreamState::kHours> of_hour{};
  };
  // Null: there are too many hosts. REQUIRES: the lock is held.
  Notes* NotesOf(const HostName& host);
  static UpstreamState::Hour& HourAt(Notes& notes, UnixSeconds now);

  const Clock& clock_;
  const UnixSeconds since_;
  mutable std::mutex mutex_;
  std::map<std::string, Notes> notes_;  // by HostName::ascii()
};

}  // namespace koya::service
