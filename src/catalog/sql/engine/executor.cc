#include "catalog/sql/engine/executor.h"

namespace koya::sql {

Task<void> Executor::Commit(Transaction work) {
  std::vector<Change> changes;
  bool commits = false;
  Transaction unit = [&](Session& session) {
    session.changes().clear();  // of a unit that failed
    session.set_keeps_ledger(keeps_ledger_);
    commits = work(session);
    changes = std::exchange(session.changes(), {});
    return commits;
  };
  Status ran = co_await database_.RunWrite(std::move(unit));
  if (ran && commits && !changes.empty()) {
    if (listener_) listener_(changes);
    signal_.Notify();
  }
  co_return ran;
}

}  // namespace koya::sql
