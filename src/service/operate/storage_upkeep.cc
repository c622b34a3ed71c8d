#include "service/operate/storage_upkeep.h"

#include <vector>

#include "catalog/storage_catalog.h"
#include "domain/storage_sums.h"
#include "obs/log.h"
#include "service/common/job_runs.h"
#include "service/common/leases.h"

namespace koya::service {

Task<void> StorageUpkeep::SampleDay(std::int64_t day) {
  ASSIGN_OR_CO_RETURN(bool ours, co_await leases_.TakeLease(kLease));
  if (!ours) co_return Status();  // another server is at it
  ASSIGN_OR_CO_RETURN(std::vector<StorageDay> known, co_await catalog_.ListStorageDays(day));
  if (known.empty()) {
    ASSIGN_OR_CO_RETURN(StorageSums sums, co_await catalog_.SumStorage());
    CO_RETURN_IF_ERROR(co_await catalog_.KeepStorageDay(StorageDay::Of(day, sums)));
    CO_RETURN_IF_ERROR(co_await catalog_.TrimStorageDays(day - kDaysKept));
  }
  sampled_ = day;
  co_return co_await leases_.GiveBack(kLease);
}

Awaitable<void> StorageUpkeep::Sample(UnixSeconds now) {
  const std::int64_t day = now / kSecondsOfStorageDay;
  if (day == sampled_) co_return;
  const RunTimer timer;
  Status sampled = co_await SampleDay(day);
  NoteRun(runs_, kLease, sampled, {}, {.took = timer.Took()});
  if (sampled) co_return;
  log_.Failure("the storage statistics could not be saved; retrying", sampled.error());
}

}  // namespace koya::service
