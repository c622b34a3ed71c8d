// Release times of the versions in a list of another registry. Pure values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace koya {

// Parses any timestamp of RFC 3339 from the year 1970 on, fractions (dropped) and offsets included,
// as registries write them. nullopt: it is malformed.
std::optional<UnixSeconds> ParseTimestamp(std::string_view text);

// A version as a list has it.
struct ListedRelease {
  std::string_view version;
  std::string_view discovered;  // as the registry states it; "": it states none
};

// ReleaseTimes has the time at which each version of a thing was released, as it was first known:
// by the registry's own statement, else by the first list in which this server saw the version. The
// versions of the first list that state no time may be of any age: their time is unknown until the
// registry's details of the version state one. A known time never changes.
//
// Apart from that it has the time at which this server first saw each version in a list.
class ReleaseTimes {
 public:
  // So many versions that no list has any more are remembered.
  static constexpr std::size_t kMostRemoved = 1000;

  // Parses the stored forms, ToString() and FirstSeenToString(). Lines of another form are skipped.
  static ReleaseTimes Parse(std::string_view times, std::string_view first_seen = {});
  std::string ToString() const;
  std::string FirstSeenToString() const;

  // True before the first list.
  bool empty() const { return times_.empty(); }
  // False before the first list, and of times from before these were stored.
  bool HasFirstSeen() const { return !first_seen_.empty(); }
  // True if the time of any version is known.
  bool HasTimes() const;
  // nullopt: unknown.
  std::optional<UnixSeconds> FindTime(std::string_view version) const;
  // When this server first saw it in a list. nullopt: unknown.
  std::optional<UnixSeconds> FindFirstSeen(std::string_view version) const;
  // True if the version's time is unknown, and its details were not asked for yet.
  bool MayAskFor(std::string_view version) const;

  // Adds the versions of a list that was received at `now`. A statement that is malformed or in the
  // future counts as none.
  void AddList(std::span<const ListedRelease> list, UnixSeconds now);
  // Adds the statement of a version's details; "" or an unusable one: the time stays unknown, and
  // is not asked for again.
  void AddDetails(std::string_view version, std::string_view published_at, UnixSeconds now);
  // Adds what `other` knows and this does not.
  void Merge(const ReleaseTimes& other);

  friend bool operator==(const ReleaseTimes&, const ReleaseTimes&) = default;

 private:
  // In the order of what they say.
  static constexpr UnixSeconds kUnknown = -2;
  static constexpr UnixSeconds kAsked = -1;  // the details state no time either

  void Add(std::string_view version, UnixSeconds time);
  void AddFirstSeen(std::string_view version, UnixSeconds time);

  std::map<std::string, UnixSeconds, std::less<>> times_;
  std::map<std::string, UnixSeconds, std::less<>> first_seen_;
};

}  // namespace koya
