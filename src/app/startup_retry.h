// Retries the start when the database is not up yet, or goes down while the server starts.
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
class StartupRetry {
 public:
  // Returns why the database at this URL rejects this server permanently; nullopt: waiting may
  // help.
  using Refusal = std::function<std::optional<Error>(const std::string& url)>;

  // All arguments must outlive this.
  StartupRetry(const Settings& settings, Logger& log, ServingStatus& status,
               Refusal refusal = WhyCatalogRefuses)
      : settings_(settings), log_(log), status_(status), refusal_(std::move(refusal)) {}

  // Runs `step`. While the database cannot be reached, or waits for koya admin migrate, retries it
  // every second, with the reason in the status and once in the log. A step may run any number of
  // times. Blocks. Fails: as the step, where waiting would not fix it; kInvalid when the database
  // came back and rejects this server; kUnavailable and stopped() when SIGTERM or SIGINT was
  // received meanwhile.
  Status Await(const std::function<Status()>& step);
  bool stopped() const { return stopped_; }

 private:
  const Settings& settings_;
  Logger& log_;
  ServingStatus& status_;
  const Refusal refusal_;
  bool stopped_ = false;
};

// OpenStores with retries. Blocks. Fails: as Await.
Result<Stores> OpenStoresWithRetries(const Settings& settings, Logger& log, StartupRetry& patience);

}  // namespace koya
