#include "service/audit/denied_attempts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/address_group.h"
#include "catalog/audit_catalog.h"
#include "domain/audit_facts.h"
#include "obs/log.h"

namespace koya::service {
namespace {

constexpr UnixSeconds kMinute = 60;
// In one transaction: on SQLite others who write wait for it.
constexpr std::size_t kMostAppended = 250;

UnixSeconds MinuteOf(UnixSeconds at) { return at - at % kMinute; }

// "192.0.2.0/24", "2001:db8:0:1::/64": a network costs more than an address.
std::string NetworkOf(std::string_view address) {
  std::string group = AddressGroup(address);
  if (group.contains(':') || std::ranges::count(group, '.') != 3) return group;
  return group.substr(0, group.rfind('.')) + ".0/24";
}

// "GET /v1/modules/…" of "GET /v1/modules/{namespace}/{name}/{system}/versions": as far as what it
// is about, at most three words of the path.
std::string RouteClass(std::string_view route) {
  std::size_t end = std::min(route.find('/'), route.size());
  for (int words = 0; words < 3 && end < route.size() && route[end] == '/'; ++words) {
    if (route.substr(end + 1).starts_with('{')) break;
    end = std::min(route.find('/', end + 1), route.size());
  }
  return std::string(route.substr(0, end)) + (end < route.size() ? "/…" : "");
}

std::string DenialFacts(unsigned status, std::string_view path) {
  AuditFacts facts;
  facts.Add("status", std::int64_t{status});
  if (!path.empty()) facts.Add("path", path.substr(0, Actor::kMostText));
  return facts.ToJson();
}

}  // namespace

void DeniedAttempts::RecordAttempt(const Actor& by, std::string_view route, unsigned status,
                                   UnixSeconds at, std::string_view ns, std::string_view path) {
  AuditEntry entry{.kind = AuditKind::kDenied,
                   .at = at,
                   .by = by,
                   .action = std::string(route),
                   .target = ns.empty() ? "" : fmt::format("namespace:{}", ns),
                   .ns = std::string(ns),
                   .before = "",
                   .after = DenialFacts(status, by.name.empty() ? "" : path)};
  if (by.name.empty()) {
    entry.by.address = NetworkOf(by.address);
    entry.action = RouteClass(route);
  }
  Key key{by.name, entry.by.address, entry.action, status, entry.ns, entry.after};
  std::lock_guard lock(mutex_);
  Add(std::move(key), std::move(entry));
}

DeniedAttempts::Key DeniedAttempts::OfOthers(Key key, AuditEntry& entry) {
  const bool anonymous = key.actor.empty();
  key = {.actor = kOthers,
         .address = "",
         .route = anonymous ? kOthers : std::move(key.route),
         .status = anonymous ? 0 : key.status};
  entry.by = {.name = kOthers};
  entry.action = key.route;
  entry.target.clear();
  entry.ns.clear();
  entry.after = anonymous ? "" : DenialFacts(key.status, "");
  return key;
}

void DeniedAttempts::Add(Key key, AuditEntry entry) {
  Minute& minute = minutes_[MinuteOf(entry.at)];
  bool known = minute.sums.contains(key);
  if (!known && key.actor != kOthers) {
    const bool anonymous = key.actor.empty();
    std::size_t& taken = anonymous ? minute.anonymous : minute.named;
    if (taken < (anonymous ? kMostAnonymous : kMostSums)) {
      ++taken;
    } else {
      key = OfOthers(std::move(key), entry);
      known = minute.sums.contains(key);
    }
  }
  if (known) {
    minute.sums[key].count += entry.count;
  } else {
    minute.sums.emplace(std::move(key), std::move(entry));
  }
  if (minutes_.size() > kMostMinutes) ForgetOldest();
}

void DeniedAttempts::ForgetOldest() {
  for (const auto& [key, entry] : minutes_.begin()->second.sums) forgotten_ += entry.count;
  minutes_.erase(minutes_.begin());
}

std::vector<DeniedAttempts::Sum> DeniedAttempts::TakeBefore(UnixSeconds end) {
  std::vector<Sum> sums;
  std::lock_guard lock(mutex_);
  while (!minutes_.empty() && minutes_.begin()->first + kMinute <= end) {
    for (auto& sum : minutes_.begin()->second.sums) sums.emplace_back(sum);
    minutes_.erase(minutes_.begin());
  }
  return sums;
}

void DeniedAttempts::GiveBack(std::vector<Sum> sums) {
  std::lock_guard lock(mutex_);
  for (auto& [key, entry] : sums) Add(std::move(key), std::move(entry));
}

void DeniedAttempts::TellForgotten() {
  std::uint64_t forgotten = 0;
  {
    std::lock_guard lock(mutex_);
    forgotten = std::exchange(forgotten_, 0);
  }
  if (forgotten == 0) return;
  log_.Warn(
      "denied attempts are missing from the audit log: the catalog did not store them in time",
      {{"attempts", forgotten}});
}

Awaitable<void> DeniedAttempts::WriteBefore(UnixSeconds end) {
  std::vector<Sum> sums = TakeBefore(end);
  while (!sums.empty()) {
    const std::size_t most = std::min(sums.size(), kMostAppended);
    std::vector<AuditEntry> entries;
    for (std::size_t i = 0; i < most; ++i) entries.push_back(sums[i].second);
    Status appended = co_await catalog_.AppendAudit(std::move(entries));
    if (!appended) {
      GiveBack(std::move(sums));
      break;
    }
    sums.erase(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(most));
  }
  TellForgotten();
}

Awaitable<void> DeniedAttempts::Write(UnixSeconds now) { return WriteBefore(now); }

Awaitable<void> DeniedAttempts::WriteAll() {
  return WriteBefore(std::numeric_limits<UnixSeconds>::max());
}

}  // namespace koya::service
