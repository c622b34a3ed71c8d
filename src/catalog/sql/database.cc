#include "catalog/sql/database.h"

namespace koya::sql {
namespace {

constexpr Statement kBegin{"begin", "{{begin write}}"};
constexpr Statement kCommit{"commit", "COMMIT"};
constexpr Statement kRollback{"rollback", "ROLLBACK"};

// Leaves the session fit for its next use, whatever happened in it.
void RollBack(Session& session) {
  if (!session.connected()) return;
  try {
    session.Run(kRollback);
  } catch (const std::exception&) {
    session.Disconnect();
  }
}

}  // namespace

Database::Lane::Lane(Engine& engine, std::size_t threads) : pool(threads) {
  for (std::size_t i = 0; i < threads; ++i) idle.push_back(std::make_unique<Session>(engine));
}

Database::Database(std::unique_ptr<Engine> engine, Lanes lanes)
    : engine_(std::move(engine)),
      read_lane_(*engine_, lanes.readers),
      write_lane_(*engine_, lanes.writers) {}

Database::~Database() = default;

Status Database::WriteNow(const std::function<Status(Session&)>& work) {
  Status outcome;
  Unit unit = [&outcome, &work](Session& session) {
    outcome = work(session);
    return outcome.has_value();
  };
  RETURN_IF_ERROR(RunUnit(write_lane_, Access::kWrite, unit));
  return outcome;
}

Status Database::RunUnit(Lane& lane, Access access, const Unit& unit) {
  std::unique_ptr<Session> session;
  {
    std::lock_guard lock(lane.mutex);
    session = std::move(lane.idle.back());
    lane.idle.pop_back();
  }
  bool again = false;
  Status status = Attempt(*session, access, unit, &again);
  if (again) status = Attempt(*session, access, unit, &again);
  std::lock_guard lock(lane.mutex);
  lane.idle.push_back(std::move(session));
  return status;
}

Status Database::Attempt(Session& session, Access access, const Unit& unit, bool* again) {
  // A connection that was idle may have been cut since: nothing was done yet, so a new one may be
  // tried. After COMMIT was sent nobody knows what happened, and only the caller can look.
  const bool was_idle = session.connected();
  bool committing = false;
  try {
    if (access == Access::kWrite) session.Run(kBegin);
    bool commit = unit(session);
    committing = commit;
    if (access == Access::kWrite) session.Run(commit ? kCommit : kRollback);
    return {};
  } catch (const std::exception& exception) {
    soci::session* connection = session.connected() ? &session.connection() : nullptr;
    Fault fault = engine_->Explain(exception, connection);
    std::string_view statement = session.running();
    if (fault.connection_lost) {
      session.Disconnect();
    } else if (access == Access::kWrite) {
      RollBack(session);
    }
    *again = fault.connection_lost && was_idle && !(committing && access == Access::kWrite);
    return Failure(std::move(fault.error).During(statement));
  }
}

}  // namespace koya::sql
