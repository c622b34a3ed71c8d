#include "service/denied_attempts.h"

#include <algorithm>
#include <limits>

#include "catalog/audit_catalog.h"
#include "domain/audit_facts.h"
#include "obs/log.h"

namespace koya::service {
namespace {

constexpr UnixSeconds kMinute = 60;
// In one transaction: on SQLite others who write wait for it.
constexpr std::size_t kMostAppended = 250;

UnixSeconds MinuteOf(UnixSeconds at) { return at - at % kMinute; }

}  // namespace

void DeniedAttempts::Note(const Actor& by, std::string_view route, unsigned status,
                          UnixSeconds at) {
  AuditFacts facts;
  facts.Add("status", std::int64_t{status});
  AuditEntry entry{.kind = AuditKind::kDenied,
                   .at = at,
                   .by = by,
                   .action = std::string(route),
                   .target = "",
                   .ns = "",
                   .before = "",
                   .after = facts.ToJson()};
  Key key{by.name, by.address, std::string(route), status};
  std::lock_guard lock(mutex_);
  Add(std::move(key), std::move(entry));
}

void DeniedAttempts::Add(Key key, AuditEntry entry) {
  Minute& minute = minutes_[MinuteOf(entry.at)];
  const bool of_others = key.actor == kOthers;
  bool known = minute.sums.contains(key);
  if (!known && !of_others && minute.named >= kMostSums) {
    entry.by = {.name = kOthers};
    key = {.actor = kOthers, .address = "", .route = std::move(key.route), .status = key.status};
    known = minute.sums.contains(key);
  } else if (!known && !of_others) {
    ++minute.named;
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
  log_.Warn("denied attempts are missing from the audit log: the catalog did not take them in time",
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
