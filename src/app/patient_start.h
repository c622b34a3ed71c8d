// Starting when the database is not there yet, or goes away while the server starts.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "app/operations.h"
#include "app/settings.h"
#include "app/stores.h"
#include "base/result.h"
#include "obs/log.h"

namespace koya {

// Waits for a PostgreSQL database. One thread.
class StartPatience {
 public:
  // Why the database at this URL will not have us, now or later; nullopt: waiting may help.
  using Refusal = std::function<std::optional<Error>(const std::string& url)>;

  // What is given outlives this.
  StartPatience(const Settings& settings, Logger& log, ServingStatus& status,
                Refusal refusal = WhyCatalogRefuses)
      : settings_(settings), log_(log), status_(status), refusal_(std::move(refusal)) {}

  // Runs `step`; while the database cannot be reached, or waits for koya admin migrate, again every
  // second, saying why in the status and once in the log. A step may be run any number of times.
  // Blocks. Fails: as the step, where waiting would not mend it; kInvalid when the database came
  // back and refuses us; kUnavailable and stopped() when SIGTERM or SIGINT came meanwhile.
  Status Await(const std::function<Status()>& step);
  bool stopped() const { return stopped_; }

 private:
  const Settings& settings_;
  Logger& log_;
  ServingStatus& status_;
  const Refusal refusal_;
  bool stopped_ = false;
};

// As OpenStores, in that way. Blocks. Fails: as Await.
Result<Stores> OpenStoresPatiently(const Settings& settings, Logger& log, StartPatience& patience);

}  // namespace koya
