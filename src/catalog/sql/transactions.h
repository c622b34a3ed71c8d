// How the parts of a catalog (SqlModules, SqlProviders, …) use their database: each operation is a
// function of a session, run here as one unit. What a unit changed is told when it has been
// committed, before its caller goes on: nobody who writes has to think of it.
#pragma once

#include <functional>
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
    auto work = [&](Session& session) { return run(session, arguments...); };
    co_return co_await database_.Read(std::move(work));
  }

  // The same in a transaction that writes (Database::Write).
  template <class Run, class... Arguments>
  auto Write(Run run, Arguments... arguments)
      -> Awaitable<std::invoke_result_t<Run&, Session&, Arguments&...>> {
    std::vector<Change> changes;
    auto work = [&](Session& session) {
      session.changes().clear();  // of a unit that failed
      session.set_keeps_ledger(keeps_ledger_);
      auto result = run(session, arguments...);
      changes = std::exchange(session.changes(), {});
      return result;
    };
    auto result = co_await database_.Write(std::move(work));
    if (result.has_value() && !changes.empty()) Tell(changes);
    co_return result;
  }

  void SetListener(std::function<void(const std::vector<Change>&)> listener) {
    listener_ = std::move(listener);
  }
  ChangeSignal& signal() { return signal_; }

 private:
  void Tell(const std::vector<Change>& changes) {
    if (listener_) listener_(changes);
    signal_.Notify();
  }

  Database& database_;
  ChangeSignal& signal_;
  const bool keeps_ledger_;
  std::function<void(const std::vector<Change>&)> listener_;
};

}  // namespace koya::sql
