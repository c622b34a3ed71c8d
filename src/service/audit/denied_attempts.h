// Collects denied attempts for the audit log: sums them by actor, address, route, path, status and
// minute, so that a thousand attempts of one caller take one entry, and writes them in batches
// off the request path. Anonymous attempts are summed by network and by the beginning of the route:
// "GET /v1/modules/…".
//
// Limits, for each server: kMostSums entries a minute with a named actor; attempts beyond count
// into one entry for each route and status, whose actor is "(others)". kMostAnonymous sums of
// anonymous attempts; those beyond count into one entry. kMostMinutes wait while the catalog cannot
// be written; then the oldest are dropped, and the log says so.
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
  // Actor of the attempts beyond the limits.
  static constexpr const char* kOthers = "(others)";

  // All arguments must outlive this.
  DeniedAttempts(AuditCatalog& catalog, Logger& log) : catalog_(catalog), log_(log) {}

  // `route`: a pattern of the route table with its method; there are few. `ns`: the namespace
  // concerned; "": none. `path`: the route with what the request named; "": the same as the route.
  // Of the attempts in one sum, the first one's token, user agent and request id are stored.
  void RecordAttempt(const Actor& by, std::string_view route, unsigned status, UnixSeconds at,
                     std::string_view ns = "", std::string_view path = "");

  // Writes the minutes that have ended at `now`. Call every few seconds, one call at a time.
  Awaitable<void> Write(UnixSeconds now);
  // Writes the current minute, too; for shutdown.
  Awaitable<void> WriteAll();

 private:
  struct Key {
    std::string actor;
    std::string address;
    std::string route;
    unsigned status = 0;
    std::string ns = {};
    std::string facts = {};
    auto operator<=>(const Key&) const = default;
  };
  struct Minute {
    std::map<Key, AuditEntry> sums;
    std::size_t named = 0;      // sums with a named actor, without kOthers
    std::size_t anonymous = 0;  // anonymous sums, without kOthers
  };
  using Sum = std::pair<Key, AuditEntry>;

  // Key of the sum for attempts beyond the limits.
  static Key OfOthers(Key key, AuditEntry& entry);
  // Adds the entry to its sum. REQUIRES: mutex_ is held.
  void Add(Key key, AuditEntry entry);
  void ForgetOldest();
  std::vector<Sum> TakeBefore(UnixSeconds end);
  void GiveBack(std::vector<Sum> sums);
  Awaitable<void> WriteBefore(UnixSeconds end);
  void TellForgotten();

  AuditCatalog& catalog_;
  Logger& log_;
  std::mutex mutex_;                       // guards the fields below
  std::map<UnixSeconds, Minute> minutes_;  // by their start
  std::uint64_t forgotten_ = 0;            // attempts
};

}  // namespace koya::service
