#include "service/usage/usage_upkeep.h"

#include <cstddef>

#include "catalog/usage_catalog.h"
#include "obs/log.h"
#include "service/common/job_runs.h"
#include "service/common/leases.h"

namespace koya::service {
namespace {

// In one go: a server that was away for long has days enough for some hours.
constexpr std::size_t kMostDays = 100;

UsageDay DayBefore(UnixSeconds now, std::chrono::seconds age) {
  return (now - age.count()) / kSecondsOfDay;
}

}  // namespace

Task<void> UsageUpkeep::TidyAll(UnixSeconds now) {
  ASSIGN_OR_CO_RETURN(bool ours, co_await leases_.TakeLease(kLease));
  if (!ours) co_return Status();  // another server is at it
  bool more = true;
  for (std::size_t days = 0; more && days < kMostDays && leases_.Holds(kLease); ++days) {
    ASSIGN_OR_CO_RETURN(more, co_await kept_.usage.FoldUsageDay(DayBefore(now, retention_.detail)));
  }
  const UsageDay oldest = MonthOf(DayBefore(now, retention_.totals));
  CO_RETURN_IF_ERROR(co_await kept_.usage.RemoveUsageBefore(oldest));
  CO_RETURN_IF_ERROR(co_await kept_.mirror.RemoveMirrorCountsBefore(oldest));
  co_return co_await leases_.GiveBack(kLease);
}

Awaitable<void> UsageUpkeep::Tidy(UnixSeconds now) {
  const RunTimer timer;
  Status tidied = co_await TidyAll(now);
  NoteRun(runs_, kLease, tidied, {}, {.took = timer.Took()});
  if (tidied) co_return;
  log_.Failure("old usage statistics could not be removed; retrying", tidied.error());
}

}  // namespace koya::service
