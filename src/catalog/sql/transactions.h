// How the parts of a catalog (SqlModules, SqlProviders, …) use their database: each operation is a
// function of a session, run here as one unit. What a unit changed is told when it has been
// committed, before its caller goes on: nobody who writes has to think of it.
#pragma once

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "catalog/sql/change_signal.h"
#include "catalog/sql/database.h"

namespace koya::sql {

// Threads: any; `listener` is set before the first write.
class Transactions {
 public:
  // Both outlive this. `keeps_ledger`: blobs lie in a remote store, whose objects the ledger knows.
  Transactions(Database& database, ChangeSignal& signal, bool keeps_ledger = false)
      : database_(database), signal_(signal), keeps_ledger_(keeps_ledger) {}

  // Awaits `run(session, arguments…)`, which is one statement that reads, and returns its Result.
  template <class Run, class... Arguments>
  auto Read(Run run, Arguments... arguments)
      -> Awaitable<std::invoke_result_t<Run&, Session&, Arguments&...>> {
    return database_.Read([run, ... arguments = std::move(arguments)](Session& session) mutable {
      return run(session, arguments...);
    });
  }

  // The same in a transaction that writes (Database::Write).
  template <class Run, class... Arguments>
  auto Write(Run run, Arguments... arguments)
      -> Awaitable<std::invoke_result_t<Run&, Session&, Arguments&...>> {
    std::optional<std::invoke_result_t<Run&, Session&, Arguments&...>> result;
    Unit work = [&](Session& session) {
      result.emplace(run(session, arguments...));
      return result->has_value();
    };
    Status ran = co_await Commit(std::move(work));
    if (!ran) co_return Failure(std::move(ran).error());
    co_return *std::move(result);
  }

  void SetListener(std::function<void(const std::vector<Change>&)> listener) {
    listener_ = std::move(listener);
  }
  ChangeSignal& signal() { return signal_; }

 private:
  // Runs `work` in a transaction that writes, then publishes what it changed.
  Task<void> Commit(Unit work);

  Database& database_;
  ChangeSignal& signal_;
  const bool keeps_ledger_;
  std::function<void(const std::vector<Change>&)> listener_;
};

}  // namespace koya::sql
