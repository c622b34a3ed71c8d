#include "service/usage/most_fetched.h"

#include <utility>

#include "auth/principal.h"
#include "catalog/usage_catalog.h"
#include "service/access/namespaces.h"

namespace koya::service {

Task<MostFetched::Leaders> MostFetched::All() {
  const UnixSeconds now = clock_.Now();
  Leaders before;
  {
    const std::lock_guard lock(mutex_);
    const bool fresh = kept_at_ <= now && now < kept_at_ + std::chrono::seconds(kKept).count();
    if (kept_ && fresh) co_return kept_;
    before = kept_;
  }
  const UsageDay since = now / kSecondsOfDay - kDays + 1;
  Result<std::vector<UsageLeader>> listed =
      co_await catalog_.ListLeaders(since, UsageCatalog::kMostLeaders);
  const bool away = !listed && listed.error().kind == ErrorKind::kUnavailable;
  if (away && before) co_return before;
  if (!listed) co_return Failure(std::move(listed).error());
  auto leaders = std::make_shared<const std::vector<UsageLeader>>(*std::move(listed));
  const std::lock_guard lock(mutex_);
  kept_ = leaders;
  kept_at_ = now;
  co_return leaders;
}

Task<std::vector<UsageLeader>> MostFetched::ListMostFetched(auth::Principal by, std::size_t most) {
  ASSIGN_OR_CO_RETURN(const Leaders all, co_await All());
  std::vector<UsageLeader> readable;
  for (const UsageLeader& each : *all) {
    if (readable.size() == most) break;
    ASSIGN_OR_CO_RETURN(const NamespaceState state, co_await namespaces_.FindNamespace(each.ns));
    if (by.MayRead(each.ns, state.visibility)) readable.push_back(each);
  }
  co_return readable;
}

}  // namespace koya::service
