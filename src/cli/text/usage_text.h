// Prints usage, who fetches which versions, in at most 80 columns.
#pragma once

#include <string>
#include <vector>

#include "cli/text/output.h"
#include "wire/usage.h"

namespace koya::cli {

void PrintUsage(const wire::UsageReport& report, Output& output);
void PrintUsedBy(const wire::UsedBy& used, Output& output);
void PrintLag(const wire::UsageLag& lag, Output& output);
void PrintUnused(const wire::UnusedPage& unused, Output& output);

// Lines about the users of a version: who fetched it, and which modules call it. Names at most
// `most` of each.
std::vector<std::string> ImpactLines(const wire::UsageImpact& impact, std::size_t most);

}  // namespace koya::cli
