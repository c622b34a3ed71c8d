// Opening the stores when the database is not there yet.
#pragma once

#include <optional>

#include "app/operations.h"
#include "app/settings.h"
#include "app/stores.h"
#include "base/result.h"
#include "obs/log.h"

namespace koya {

// As OpenStores; but while a PostgreSQL database cannot be reached, or waits for koya admin
// migrate, this tries again every second, and says why in `status` and once in the log. nullopt:
// SIGTERM or SIGINT came meanwhile. Blocks. Fails: what waiting would not mend.
Result<std::optional<Stores>> OpenStoresPatiently(const Settings& settings, Logger& log,
                                                  ServingStatus& status);

}  // namespace koya
