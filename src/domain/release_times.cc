#include "domain/release_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>
#include <utility>

namespace koya {
namespace {

constexpr std::size_t kLongestTimestamp = 64;
constexpr std::size_t kToSeconds = 19;  // "2026-04-07T10:11:12"

// Removes the fraction of a second from the start of `rest`. False: it is malformed.
bool SkipFraction(std::string_view& rest) {
  if (!rest.starts_with('.')) return true;
  const std::size_t end = rest.find_first_not_of("0123456789", 1);
  if (end == 1 || end == std::string_view::npos) return false;
  rest.remove_prefix(end);
  return true;
}

std::optional<int> TwoDigits(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.size() != 2 || error != std::errc() || end != text.data() + 2 || number < 0) {
    return std::nullopt;
  }
  return number;
}

// "Z", "+02:00": seconds ahead of UTC.
std::optional<UnixSeconds> ParseOffset(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.size() != 6 || text[3] != ':' || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const std::optional<int> hours = TwoDigits(text.substr(1, 2));
  const std::optional<int> minutes = TwoDigits(text.substr(4));
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const UnixSeconds ahead = *hours * 3600 + *minutes * 60;
  return text[0] == '-' ? -ahead : ahead;
}

// Removes the part before the separator, and the separator, from the start of `rest`.
std::string_view TakeUntil(std::string_view& rest, char separator) {
  const std::string_view part = rest.substr(0, rest.find(separator));
  rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  return part;
}

std::optional<UnixSeconds> ParseSeconds(std::string_view text) {
  UnixSeconds time = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), time);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return time;
}

std::optional<UnixSeconds> ParseStatement(std::string_view text, UnixSeconds now) {
  const std::optional<UnixSeconds> time = ParseTimestamp(text);
  return time && *time <= now ? time : std::nullopt;
}

}  // namespace

std::optional<UnixSeconds> ParseTimestamp(std::string_view text) {
  if (text.size() <= kToSeconds || text.size() > kLongestTimestamp) return std::nullopt;
  std::string local(text.substr(0, kToSeconds));
  if (local[10] == 't') local[10] = 'T';
  const bool leap = local.ends_with(":60");
  if (leap) local.replace(kToSeconds - 2, 2, "59");
  const std::optional<UnixSeconds> time = ParseRfc3339(local + "Z");
  std::string_view rest = text.substr(kToSeconds);
  if (!time || !SkipFraction(rest)) return std::nullopt;
  const std::optional<UnixSeconds> ahead = ParseOffset(rest);
  if (!ahead || *time + (leap ? 1 : 0) < *ahead) return std::nullopt;
  return *time + (leap ? 1 : 0) - *ahead;
}

ReleaseTimes ReleaseTimes::Parse(std::string_view times, std::string_view first_seen) {
  ReleaseTimes out;
  while (!times.empty()) {
    std::string_view time = TakeUntil(times, '\n');
    const std::string_view version = TakeUntil(time, ' ');
    const std::optional<UnixSeconds> parsed = ParseSeconds(time);
    if (!version.empty() && parsed && *parsed >= kUnknown) out.Add(version, *parsed);
  }
  while (!first_seen.empty()) {
    std::string_view versions = TakeUntil(first_seen, '\n');
    const std::optional<UnixSeconds> time = ParseSeconds(TakeUntil(versions, ' '));
    while (time && *time >= 0 && !versions.empty()) {
      const std::string_view version = TakeUntil(versions, ' ');
      if (!version.empty()) out.AddFirstSeen(version, *time);
    }
  }
  return out;
}

std::string ReleaseTimes::ToString() const {
  std::string text;
  for (const auto& [version, time] : times_)
    fmt::format_to(std::back_inserter(text), "{} {}\n", version, time);
  return text;
}

std::string ReleaseTimes::FirstSeenToString() const {
  std::map<UnixSeconds, std::string> lines;  // most versions were in the first list
  for (const auto& [version, time] : first_seen_) lines[time] += " " + version;
  std::string text;
  for (const auto& [time, versions] : lines)
    fmt::format_to(std::back_inserter(text), "{}{}\n", time, versions);
  return text;
}

std::optional<UnixSeconds> ReleaseTimes::FindFirstSeen(std::string_view version) const {
  const auto found = first_seen_.find(version);
  if (found == first_seen_.end()) return std::nullopt;
  return found->second;
}

std::optional<UnixSeconds> ReleaseTimes::FindTime(std::string_view version) const {
  const auto found = times_.find(version);
  if (found == times_.end() || found->second < 0) return std::nullopt;
  return found->second;
}

bool ReleaseTimes::HasTimes() const {
  return std::ranges::any_of(times_, [](const auto& each) { return each.second >= 0; });
}

bool ReleaseTimes::MayAskFor(std::string_view version) const {
  const auto found = times_.find(version);
  return found != times_.end() && found->second == kUnknown;
}

// A known time stays, and so does the fact that details were asked for.
void ReleaseTimes::Add(std::string_view version, UnixSeconds time) {
  const auto [entry, added] = times_.try_emplace(std::string(version), time);
  if (!added && entry->second < 0 && time > entry->second) entry->second = time;
}

// The first one stays.
void ReleaseTimes::AddFirstSeen(std::string_view version, UnixSeconds time) {
  first_seen_.try_emplace(std::string(version), time);
}

void ReleaseTimes::AddList(std::span<const ListedRelease> list, UnixSeconds now) {
  const bool first = empty();
  std::set<std::string_view> listed;
  for (const ListedRelease& each : list) {
    listed.insert(each.version);
    const std::optional<UnixSeconds> stated = ParseStatement(each.discovered, now);
    const bool is_new = !first && !times_.contains(each.version);
    Add(each.version, stated.value_or(is_new ? now : kUnknown));
    AddFirstSeen(each.version, now);
  }
  if (times_.size() <= listed.size() + kMostRemoved) return;
  const auto is_removed = [&](const auto& each) { return !listed.contains(each.first); };
  std::erase_if(times_, is_removed);
  std::erase_if(first_seen_, is_removed);
}

void ReleaseTimes::AddDetails(std::string_view version, std::string_view published_at,
                              UnixSeconds now) {
  Add(version, ParseStatement(published_at, now).value_or(kAsked));
}

void ReleaseTimes::Merge(const ReleaseTimes& other) {
  for (const auto& [version, time] : other.times_) Add(version, time);
  for (const auto& [version, time] : other.first_seen_) AddFirstSeen(version, time);
}

}  // namespace koya
