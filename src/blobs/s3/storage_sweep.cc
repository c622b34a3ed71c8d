#include "blobs/s3/storage_sweep.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "domain/storage_record.h"

namespace koya {
namespace {

constexpr std::size_t kSweepPage = 1000;
// A store that refuses so many in a row is asked another time.
constexpr int kMostRefusals = 5;

}  // namespace

// Deletes the row last: a crash in between leaves it for the next sweep.
Task<void> StorageSweep::Remove(BlobObject object) {
  CO_RETURN_IF_ERROR(co_await objects_.AbortUploads(object.name));
  CO_RETURN_IF_ERROR(co_await objects_.Delete(object.name));
  co_return co_await ledger_.DeleteRow(std::move(object.name));
}

void StorageSweep::RecordRemoval(const BlobObject& object, const Status& removed,
                                 SweepReport& report) {
  if (removed) {
    ++report.removed;
    ++totals_.removed;
    report.bytes += object.size;
    totals_.bytes += object.size;
    return;
  }
  ++report.failed;
  ++totals_.failed;
  log_.Failure("an object cannot be removed; retrying later", removed.error(),
               {{"object", object.name}});
}

Task<SweepReport> StorageSweep::Run(SweepTimes times, std::stop_token stop) {
  SweepReport report;
  ASSIGN_OR_CO_RETURN(report.given_up, co_await ledger_.GiveUpArrivals(times.grace));
  totals_.given_up += report.given_up;
  std::set<std::string> refused;
  for (int in_a_row = 0; refused.size() < kSweepPage;) {
    ASSIGN_OR_CO_RETURN(std::vector<BlobObject> page,
                        co_await ledger_.ListLeaving(times.trash_for, kSweepPage));
    bool got_on = false;
    for (const BlobObject& object : page) {
      if (stop.stop_requested() || in_a_row >= kMostRefusals) co_return report;
      if (refused.contains(object.name)) continue;
      got_on = true;
      Status removed = co_await Remove(object);
      in_a_row = removed ? 0 : in_a_row + 1;
      // A stopped request is not a failed one.
      if (!removed && stop.stop_requested()) co_return report;
      RecordRemoval(object, removed, report);
      if (!removed) refused.insert(object.name);
    }
    if (!got_on) break;
  }
  co_return report;
}

}  // namespace koya
