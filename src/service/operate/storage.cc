#include "service/operate/storage.h"

#include <fmt/format.h>

#include <utility>

#include "auth/principal.h"
#include "auth/token.h"
#include "catalog/storage_catalog.h"
#include "catalog/verify_run_catalog.h"
#include "domain/storage_sums.h"
#include "domain/verify_run.h"

namespace koya::service {
namespace {

Status CheckKeeper(const auth::Principal& by) {
  RETURN_IF_ERROR(by.Require(Scope::kAdmin));
  return by.RequireAllNamespaces();
}

Status CheckFound(const VerifyWrong& found) {
  if (found.name.empty() || found.name.size() > Storage::kLongestName) {
    return Fail(ErrorKind::kInvalid, fmt::format("\"name\" of a finding must have 1 to {} bytes",
                                                 Storage::kLongestName));
  }
  if (found.state == "damaged" || found.state == "missing") return {};
  return Fail(ErrorKind::kInvalid, "\"state\" of a finding must be damaged or missing");
}

Status CheckVerifyProgress(const VerifyProgress& progress) {
  if (progress.wrong > progress.checked || progress.repaired > progress.wrong) {
    return Fail(ErrorKind::kInvalid,
                "\"wrong\" cannot be more than \"checked\", nor \"repaired\" more than \"wrong\"");
  }
  if (progress.found.size() > Storage::kMostFound || progress.found.size() > progress.wrong) {
    return Fail(ErrorKind::kInvalid,
                fmt::format("\"found\" must list {} findings at most, and not more than \"wrong\"",
                            Storage::kMostFound));
  }
  if (progress.failure.size() > Storage::kLongestFailure) {
    return Fail(ErrorKind::kInvalid,
                fmt::format("\"failure\" must have {} bytes at most", Storage::kLongestFailure));
  }
  for (const VerifyWrong& each : progress.found) RETURN_IF_ERROR(CheckFound(each));
  return {};
}

}  // namespace

Task<StorageSums> Storage::Sum(auth::Principal by) {
  CO_RETURN_IF_ERROR(CheckKeeper(by));
  co_return co_await catalog_.SumStorage();
}

Task<std::vector<StorageDay>> Storage::DaysBefore(auth::Principal by, std::int64_t today,
                                                  std::int64_t since) {
  CO_RETURN_IF_ERROR(CheckKeeper(by));
  ASSIGN_OR_CO_RETURN(std::vector<StorageDay> days, co_await catalog_.ListStorageDays(since));
  std::erase_if(days, [today](const StorageDay& each) { return each.day >= today; });
  co_return days;
}

Task<std::string> Storage::BeginVerifyRun(auth::Principal by, VerifyProgress progress) {
  CO_RETURN_IF_ERROR(CheckKeeper(by));
  CO_RETURN_IF_ERROR(CheckVerifyProgress(progress));
  std::string id = auth::RandomId();
  VerifyRun run{.id = id, .by = std::move(by.actor.name), .progress = std::move(progress)};
  CO_RETURN_IF_ERROR(co_await runs_.AddVerifyRun(std::move(run)));
  co_return id;
}

Task<void> Storage::ReportVerifyRun(auth::Principal by, std::string id, VerifyProgress progress) {
  CO_RETURN_IF_ERROR(CheckKeeper(by));
  CO_RETURN_IF_ERROR(CheckVerifyProgress(progress));
  co_return co_await runs_.ReportVerifyRun(std::move(id), std::move(progress));
}

Task<std::vector<VerifyRun>> Storage::ListVerifyRuns(auth::Principal by) {
  CO_RETURN_IF_ERROR(CheckKeeper(by));
  co_return co_await runs_.ListVerifyRuns();
}

}  // namespace koya::service
