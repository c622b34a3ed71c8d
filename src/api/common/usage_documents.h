// Documents about fetches, for the API and for pages.
#pragma once

#include <string>
#include <vector>

#include "base/task.h"
#include "domain/page.h"
#include "domain/version.h"
#include "service/usage/usage.h"
#include "wire/usage.h"

namespace koya::api {

struct Call;

// "2026-11-21"; "" for 0, which is no day.
std::string DayText(UsageDay day);
// The first day with counts; "": none.
Task<std::string> CountedSince(const Call& call);

std::vector<wire::UsageRow> UsageRowsOf(const std::vector<service::UsageLine>& lines);
std::vector<wire::UsageDayCount> UsageDaysOf(const std::vector<UsageDaySum>& sums);

template <class Record>
std::vector<Version> VersionsIn(const std::vector<Record>& records) {
  std::vector<Version> versions;
  versions.reserve(records.size());
  for (const Record& each : records) versions.push_back(each.version);
  return versions;
}

// Who uses a module or provider, as far as the caller may know: `part` of its consumers, and all
// else. `versions`: all that it has. Of mirrored packages there are no dependents. Fails: as the
// catalog.
Task<wire::UsedBy> ReadUsedBy(Call& call, service::UsageQuestion question,
                              std::vector<Version> versions, PageRequest part);

}  // namespace koya::api
