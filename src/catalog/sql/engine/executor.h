// Executor runs the database operations of the catalog's parts (ModuleCatalog, SqlSessions, …):
// each is a function of a session, run as one transaction. Changes are published after the commit,
// before the caller resumes: operations that write need not do it.
#pragma once

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "catalog/sql/engine/change_signal.h"
#include "catalog/sql/engine/database.h"

namespace koya::sql {

// Threads: any; set `listener` before the first write.
class Executor {
 public:
  // Both outlive this. `keeps_ledger`: blobs lie in a remote store, whose objects the ledger
  // records.
  Executor(Database& database, ChangeSignal& signal, bool keeps_ledger = false)
      : database_(database), signal_(signal), keeps_ledger_(keeps_ledger) {}

  // Awaits `run(session, arguments…)`, which is a single read statement, and returns its Result.
  template <class Run, class... Arguments>
  auto Read(Run run, Arguments... arguments)
      -> Awaitable<std::invoke_result_t<Run&, Session&, Arguments&...>> {
    return database_.Read([run, ... arguments = std::move(arguments)](Session& session) mutable {
      return run(session, arguments...);
    });
  }

  // Likewise in a write transaction (Database::Write).
  template <class Run, class... Arguments>
  auto Write(Run run, Arguments... arguments)
      -> Awaitable<std::invoke_result_t<Run&, Session&, Arguments&...>> {
    std::optional<std::invoke_result_t<Run&, Session&, Arguments&...>> result;
    Transaction work = [&](Session& session) {
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
  // Runs `work` in a write transaction, then publishes its changes.
  Task<void> Commit(Transaction work);

  Database& database_;
  ChangeSignal& signal_;
  const bool keeps_ledger_;
  std::function<void(const std::vector<Change>&)> listener_;
};

}  // namespace koya::sql
