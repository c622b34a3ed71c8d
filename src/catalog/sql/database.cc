#include "catalog/sql/database.h"

#include <algorithm>

namespace koya::sql {

Database::Database(std::unique_ptr<Engine> engine, Lanes lanes)
    : lanes_(lanes),
      engine_(std::move(engine)),
      read_lane_(*engine_, {Access::kRead, lanes.readers, lanes.read_timeout}),
      // What cannot be read cannot be written.
      write_lane_(*engine_,
                  {Access::kWrite, lanes.writers, lanes.write_timeout, &read_lane_.gate()}),
      watchdog_([this](std::stop_token stop) { Watch(std::move(stop)); }) {}

Database::~Database() {
  read_lane_.Stop();
  write_lane_.Stop();
}

void Database::Watch(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    Lane::Time now = Lane::Time::clock::now();
    Lane::Time next = std::min(read_lane_.EndLate(now), write_lane_.EndLate(now));
    stopped_.wait_until(lock, stop, next, [] { return false; });
  }
}

Status Database::WriteNow(const std::function<Status(Session&)>& work) {
  Status outcome;
  Unit unit = [&outcome, &work](Session& session) {
    outcome = work(session);
    return outcome.has_value();
  };
  Session session(*engine_, lanes_.write_timeout);
  UnitOutcome ran = RunUnit(session, Access::kWrite, unit, {});
  RETURN_IF_ERROR(ran.status);
  return outcome;
}

}  // namespace koya::sql
