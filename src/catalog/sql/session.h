// One connection to the database, opened when it is first needed and again after it was lost.
// Belongs to one thread at a time; only Cut() comes from others.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "catalog/change_log.h"
#include "catalog/sql/engine.h"
#include "catalog/sql/kept_statements.h"
#include "catalog/sql/statement.h"

namespace koya::sql {

class Session {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `patience`: how long a unit of work may take on it; the engine's own limits follow from it.
  Session(Engine& engine, std::chrono::milliseconds patience);
  ~Session();

  Engine& engine() { return engine_; }
  Dialect dialect() const { return engine_.dialect(); }
  bool connected() const { return connection_ != nullptr; }
  // The connection, opened at need. Throws as Engine::Connect, and after Cut().
  soci::session& connection();
  // The same when it is there, cut or not: to ask it what happened.
  soci::session& connection_in_trouble() { return *connection_; }
  // The next use opens a new connection.
  void Disconnect();

  // A unit of work begins, which Cut() may end; it is to be over by `deadline`.
  void Begin(Time deadline);
  // Tells the engine what the unit's deadline is. Throws as the engine does.
  void PrepareUnit();
  // Any thread: calls under way on the connection return with a failure, soon, and so does
  // whatever comes after them until the next Begin(). A connection that is being opened is not
  // disturbed, but of no use.
  void Cut();
  bool cut() const;
  // Any thread: how many connections were opened.
  std::uint64_t opened() const { return opened_.load(std::memory_order_relaxed); }

  // Runs a statement without parameters or results. Throws as SOCI does.
  void Run(const Statement& statement);

  // Those of the connection that is open.
  KeptStatements& kept_statements() { return kept_statements_; }

  // What was appended to the change log since it was last taken, by AppendChange.
  std::vector<Change>& changes() { return changes_; }

  // Whether what records references to blobs must renew them (RenewBlobs).
  bool keeps_ledger() const { return keeps_ledger_; }
  void set_keeps_ledger(bool keeps) { keeps_ledger_ = keeps; }

  // Which statement ran last, for the detail of errors.
  std::string_view running() const { return running_; }
  void set_running(std::string_view name) { running_ = name; }

 private:
  void Open();

  Engine& engine_;
  const std::chrono::milliseconds patience_;
  Time deadline_ = Time::max();
  std::unique_ptr<soci::session> connection_;
  KeptStatements kept_statements_;  // ends before connection_
  std::string_view running_ = "connect";
  std::vector<Change> changes_;
  bool keeps_ledger_ = false;
  std::atomic<std::uint64_t> opened_ = 0;

  mutable std::mutex mutex_;      // of what follows
  std::function<void()> cutter_;  // of connection_, while there is one
  bool cut_ = false;
};

}  // namespace koya::sql
