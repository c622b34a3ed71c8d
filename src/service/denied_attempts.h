// Denied attempts, on their way into the audit log: summed by actor, address, route, namespace,
// status and minute, so that who asks a thousand times takes one entry, and written in batches
// beside the answers. Anonymous attempts are summed by network, and by the beginning of the route:
// "GET /v1/modules/…".
//
// Bounds, for each server: kMostSums entries a minute that name who it was; the attempts beyond
// count into one entry for each route and status, whose actor is "(others)". Of anonymous attempts
// kMostAnonymous sums; those beyond count into one entry. kMostMinutes wait to be written while the
// catalog does not take them; then the oldest are forgotten, and the log says so.
// Threads: any.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "domain/audit_record.h"

namespace koya {
class AuditCatalog;
class Logger;
}  // namespace koya

namespace koya::service {

class DeniedAttempts {
 public:
  static constexpr std::size_t kMostSums = 500;
  static constexpr std::size_t kMostAnonymous = 20;
  static constexpr std::size_t kMostMinutes = 10;
  // Of whom there is no telling.
  static constexpr const char* kOthers = "(others)";

  // Everything given must outlive this.
  DeniedAttempts(AuditCatalog& catalog, Logger& log) : catalog_(catalog), log_(log) {}

  // `route`: one of a table's patterns with its method; there are few. `ns`: the namespace that it
  // was about; "": none. Of several with one sum, the first's token, user agent and request id are
  // kept.
  void Note(const Actor& by, std::string_view route, unsigned status, UnixSeconds at,
            std::string_view ns = "");

  // Writes the minutes that are over at `now`. To be called every few seconds, by one at a time.
  Awaitable<void> Write(UnixSeconds now);
  // The minute that is running, too: at the end.
  Awaitable<void> WriteAll();

 private:
  struct Key {
    std::string actor;
    std::string address;
    std::string route;
    unsigned status = 0;
    std::string ns = {};
    auto operator<=>(const Key&) const = default;
  };
  struct Minute {
    std::map<Key, AuditEntry> sums;
    std::size_t named = 0;      // without those of others
    std::size_t anonymous = 0;  // the same of anonymous ones
  };
  using Sum = std::pair<Key, AuditEntry>;

  // The sum of those for whom there is no room any more.
  static Key OfOthers(Key key, AuditEntry& entry);
  // Into the sum that it belongs to. REQUIRES: mutex_ is held.
  void Add(Key key, AuditEntry entry);
  void ForgetOldest();
  std::vector<Sum> TakeBefore(UnixSeconds end);
  void GiveBack(std::vector<Sum> sums);
  Awaitable<void> WriteBefore(UnixSeconds end);
  void TellForgotten();

  AuditCatalog& catalog_;
  Logger& log_;
  std::mutex mutex_;                       // of what follows
  std::map<UnixSeconds, Minute> minutes_;  // by their beginning
  std::uint64_t forgotten_ = 0;            // attempts
};

}  // namespace koya::service
