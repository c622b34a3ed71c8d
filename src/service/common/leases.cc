#include "service/common/leases.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "auth/token.h"
#include "catalog/replica_catalog.h"
#include "domain/replica_record.h"

namespace koya::service {

Leases::Leases(LeaseCatalog& catalog, std::string address, Moment now)
    : catalog_(catalog),
      holder_(auth::RandomId()),
      address_(std::move(address)),
      now_(std::move(now)) {}

Task<bool> Leases::TakeLease(std::string name) { return TakeLease(std::move(name), address_); }

Task<bool> Leases::TakeLease(std::string name, std::string address) {
  const std::chrono::nanoseconds asked = now_();
  LeaseRecord lease{.name = name, .holder = holder_, .address = std::move(address), .until = 0};
  ASSIGN_OR_CO_RETURN(bool taken, co_await catalog_.TakeLease(std::move(lease), kLife));
  std::lock_guard lock(mutex_);
  if (taken) held_[std::move(name)] = asked;
  co_return taken;
}

Task<std::optional<LeaseRecord>> Leases::FindLease(std::string name) {
  return catalog_.FindLease(std::move(name));
}

Task<bool> Leases::TakeOver(LeaseRecord from, std::string address) {
  const std::chrono::nanoseconds asked = now_();
  std::string name = from.name;
  LeaseRecord lease{.name = name, .holder = holder_, .address = std::move(address), .until = 0};
  ASSIGN_OR_CO_RETURN(
      bool taken, co_await catalog_.TakeLeaseOver(std::move(lease), std::move(from.holder), kLife));
  std::lock_guard lock(mutex_);
  if (taken) held_[std::move(name)] = asked;
  co_return taken;
}

std::size_t Leases::held() const {
  std::lock_guard lock(mutex_);
  return held_.size();
}

bool Leases::Holds(std::string_view name) const {
  std::lock_guard lock(mutex_);
  auto lease = held_.find(name);
  return lease != held_.end() && now_() - lease->second <= kTrust;
}

Task<void> Leases::RenewLeases() {
  {
    std::lock_guard lock(mutex_);
    if (held_.empty()) co_return Status();
  }
  Question question = [this](std::chrono::seconds life) {
    return catalog_.KeepLeases(holder_, life);
  };
  co_return co_await RenewLeasesBy(std::move(question));
}

Task<void> Leases::RenewLeasesBy(Question question) {
  const std::chrono::nanoseconds asked = now_();
  ASSIGN_OR_CO_RETURN(std::vector<std::string> kept, co_await question(kLife));
  std::lock_guard lock(mutex_);
  // Leases taken meanwhile may be missing from the response, and are younger than the request.
  lost_ += std::erase_if(held_, [&](const auto& lease) {
    return lease.second < asked && !std::ranges::binary_search(kept, lease.first);
  });
  for (auto& [name, since] : held_) since = std::max(since, asked);
  co_return Status();
}

Task<void> Leases::GiveBack(std::string name) {
  {
    std::lock_guard lock(mutex_);
    held_.erase(name);
  }
  co_return co_await catalog_.GiveLeaseBack(std::move(name), holder_);
}

}  // namespace koya::service
