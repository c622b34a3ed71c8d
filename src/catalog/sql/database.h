// The connections to one database, the threads that use them, and the one place where SOCI's
// exceptions become Errors.
//
// Two lanes, each a worker pool with one session per thread: reads never wait behind a write that
// waits for the disk. On SQLite the write lane has one thread, since the file has one writer.
// Threads: any. The destructor waits for running work.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/offload.h"
#include "base/result.h"
#include "catalog/sql/session.h"

namespace koya::sql {

class Database {
 public:
  struct Lanes {
    std::size_t readers = 2;
    std::size_t writers = 1;
  };
  Database(std::unique_ptr<Engine> engine, Lanes lanes);
  ~Database();

  // Awaits `work(session)`, which is one statement that reads, and returns its Result.
  template <class Work>
  auto Read(Work work) -> Awaitable<decltype(work(std::declval<Session&>()))> {
    co_return co_await On(read_lane_, Access::kRead, std::move(work));
  }

  // The same in a transaction that writes: committed when `work` succeeds, else rolled back. When
  // the connection turns out to be lost, `work` may be run a second time from the start.
  template <class Work>
  auto Write(Work work) -> Awaitable<decltype(work(std::declval<Session&>()))> {
    co_return co_await On(write_lane_, Access::kWrite, std::move(work));
  }

  // The blocking form of Write, for starting up. `work` returns a Status.
  Status WriteNow(const std::function<Status(Session&)>& work);

 private:
  enum class Access { kRead, kWrite };
  struct Lane {
    Lane(Engine& engine, std::size_t threads);
    std::mutex mutex;
    std::vector<std::unique_ptr<Session>> idle;  // by `mutex`; as many as threads: never too few
    WorkerPool pool;                             // last: its threads end before the rest goes
  };
  // Does the work; returns whether to commit.
  using Unit = std::function<bool(Session&)>;

  template <class Work>
  auto On(Lane& lane, Access access, Work work)
      -> Awaitable<decltype(work(std::declval<Session&>()))> {
    using Value = decltype(work(std::declval<Session&>()));
    auto blocking = [this, &lane, access, &work]() -> Value {
      std::optional<Value> value;
      Unit unit = [&value, &work](Session& session) {
        value.emplace(work(session));
        return value->has_value();
      };
      if (Status ran = RunUnit(lane, access, unit); !ran) return Failure(std::move(ran).error());
      return *std::move(value);
    };
    co_return co_await Offload(lane.pool, std::move(blocking));
  }

  Status RunUnit(Lane& lane, Access access, const Unit& unit);
  // Fails as the engine explains; `again` says whether to repeat on a new connection.
  Status Attempt(Session& session, Access access, const Unit& unit, bool* again);

  std::unique_ptr<Engine> engine_;
  Lane read_lane_;
  Lane write_lane_;
};

}  // namespace koya::sql
