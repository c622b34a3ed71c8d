// Standard metrics of the process: version, start, memory, CPU time, descriptors. The names are
// Prometheus's own conventions for processes.
#pragma once

#include <string_view>

#include "obs/metrics.h"

namespace koya {

// Adds koya_build_info{version,compiler} and process_*. The start time is the time of this call.
void AddProcessMetrics(Metrics& metrics, std::string_view version);

}  // namespace koya
