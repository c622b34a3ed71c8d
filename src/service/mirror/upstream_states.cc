#include "service/mirror/upstream_states.h"

#include <algorithm>

#include "base/text.h"
#include "domain/host_name.h"

namespace koya::service {
namespace {

constexpr UnixSeconds kSecondsOfHour = 3600;
constexpr UnixSeconds kLongAway = 24 * kSecondsOfHour;
constexpr std::size_t kLongestCause = 300;

// What keeps a server from asking says nothing new of why the host fails.
bool SaysNothingNew(const Error& error) { return error.kind == ErrorKind::kUnavailable; }

}  // namespace

std::uint64_t UpstreamState::asked() const {
  std::uint64_t sum = 0;
  for (const Hour& hour : hours) sum += hour.asked;
  return sum;
}

std::uint64_t UpstreamState::failed() const {
  std::uint64_t sum = 0;
  for (const Hour& hour : hours) sum += hour.failed;
  return sum;
}

UpstreamStates::Notes* UpstreamStates::NotesOf(const HostName& host) {
  auto found = notes_.find(host.ascii());
  if (found != notes_.end()) return &found->second;
  if (notes_.size() >= kMostHosts) return nullptr;
  return &notes_[host.ascii()];
}

UpstreamState::Hour& UpstreamStates::HourAt(Notes& notes, UnixSeconds now) {
  const std::int64_t hour = std::max<UnixSeconds>(now, 0) / kSecondsOfHour;
  const auto place = static_cast<std::size_t>(hour) % UpstreamState::kHours;
  if (notes.of_hour[place] != hour) {
    notes.of_hour[place] = hour;
    notes.hours[place] = {};
  }
  return notes.hours[place];
}

void UpstreamStates::NoteAnswer(const HostName& host, std::chrono::milliseconds took) {
  const UnixSeconds now = clock_.Now();
  std::lock_guard lock(mutex_);
  Notes* notes = NotesOf(host);
  if (notes == nullptr) return;
  ++HourAt(*notes, now).asked;
  notes->answered_at = now;
  notes->failing_since = 0;
  notes->cause.clear();
  notes->times[notes->times_noted++ % kTimes] = took;
}

void UpstreamStates::NoteFailure(const HostName& host, const Error& error) {
  const UnixSeconds now = clock_.Now();
  std::lock_guard lock(mutex_);
  Notes* notes = NotesOf(host);
  if (notes == nullptr) return;
  UpstreamState::Hour& hour = HourAt(*notes, now);
  ++hour.asked;
  ++hour.failed;
  if (notes->failing_since == 0) notes->failing_since = now;
  if (notes->cause.empty() || !SaysNothingNew(error)) {
    notes->cause = Printable(error.message, kLongestCause);
  }
}

UpstreamState UpstreamStates::Of(const HostName& host) const {
  const UnixSeconds now = clock_.Now();
  std::lock_guard lock(mutex_);
  UpstreamState state;
  auto found = notes_.find(host.ascii());
  if (found == notes_.end()) return state;
  const Notes& notes = found->second;
  state.answered_at = notes.answered_at;
  state.failing_since = notes.failing_since;
  state.cause = notes.cause;
  const bool lately = notes.answered_at != 0 && now - notes.answered_at < kLongAway;
  state.kind = notes.failing_since == 0 ? UpstreamState::Kind::kFresh
               : lately                 ? UpstreamState::Kind::kStale
                                        : UpstreamState::Kind::kFailing;
  std::vector<std::chrono::milliseconds> times(
      notes.times.begin(),
      notes.times.begin() + static_cast<std::ptrdiff_t>(std::min(notes.times_noted, kTimes)));
  if (!times.empty()) {
    auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::ranges::nth_element(times, middle);
    // An answer took some time, however short it was.
    state.median = std::max(*middle, std::chrono::milliseconds(1));
  }
  const std::int64_t hour = std::max<UnixSeconds>(now, 0) / kSecondsOfHour;
  for (std::size_t i = 0; i < UpstreamState::kHours; ++i) {
    const std::int64_t of = hour - static_cast<std::int64_t>(UpstreamState::kHours - 1 - i);
    if (of < 0) continue;
    const auto place = static_cast<std::size_t>(of) % UpstreamState::kHours;
    if (notes.of_hour[place] == of) state.hours[i] = notes.hours[place];
  }
  return state;
}

}  // namespace koya::service
