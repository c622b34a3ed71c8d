// One connection to the database, the statements that run on it, and the prepared ones that it
// keeps.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/change_log.h"
#include "catalog/sql/engine/engine.h"

namespace soci {
class statement;
}

namespace koya::sql {

// Statement is a named piece of SQL. Statements sit at the top of the file that runs them; the name
// appears in errors and logs. `{{word}}` stands for text that differs between engines (dialect.cc);
// parameters are written `:name`, each once, and are bound in order.
struct Statement {
  std::string_view name;
  std::string_view text;
};

// StatementCache caches prepared statements of a connection for further runs: preparing one takes
// SQLite longer than most of them run. It belongs to a session, and like it is used by one thread
// at a time.
//
// Running a statement takes it out of the cache, so that a second run of the same text does not
// restart one that is being stepped through, and puts it back at rest.
class StatementCache {
 public:
  // Limits of the cache, which evicts the least recently used statements.
  static constexpr std::size_t kMost = 96;
  static constexpr std::size_t kLongestText = 16U << 10;

  StatementCache();
  ~StatementCache();
  StatementCache(const StatementCache&) = delete;
  StatementCache& operator=(const StatementCache&) = delete;

  // Null when there is none.
  std::unique_ptr<soci::statement> TakeStatement(std::string_view text);
  // REQUIRES: it is at rest (Engine::Rest).
  void Put(std::string text, std::unique_ptr<soci::statement> statement);
  // Call before the connection is closed.
  void Clear();
  std::size_t size() const { return kept_.size(); }

 private:
  struct Kept {
    std::size_t hash;
    std::string text;
    std::unique_ptr<soci::statement> statement;
  };
  std::vector<Kept> kept_;  // most recently used at the end
};

// Session is one connection to the database, opened on first use and reopened after it was lost.
// Belongs to one thread at a time; only Cut() comes from others.
class Session {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `patience`: the timeout of a transaction on it; the engine's own limits follow from it.
  Session(Engine& engine, std::chrono::milliseconds patience);
  ~Session();

  Engine& engine() { return engine_; }
  Dialect dialect() const { return engine_.dialect(); }
  bool connected() const { return connection_ != nullptr; }
  // The connection, opened if needed. Throws as Engine::Connect, and after Cut().
  soci::session& connection();
  // The open connection, cut or not: to ask it what happened.
  soci::session& connection_in_trouble() { return *connection_; }
  // Closes the connection; the next use opens a new one.
  void Disconnect();

  // Starts a transaction, which Cut() may end; it should be over by `deadline`.
  void Begin(Time deadline);
  // Passes the transaction's deadline to the engine. Throws as the engine does.
  void PrepareUnit();
  // Any thread: calls in progress on the connection fail soon, and so does everything after them
  // until the next Begin(). A connection that is being opened is not disturbed, but is of no use.
  void Cut();
  bool cut() const;
  // Any thread: how many connections were opened.
  std::uint64_t opened() const { return opened_.load(std::memory_order_relaxed); }

  // Runs a statement without parameters or results. Throws as SOCI does.
  void Run(const Statement& statement);

  // Statements of the open connection.
  StatementCache& kept_statements() { return kept_statements_; }

  // Changes that AppendChange added to the change log since they were last taken.
  std::vector<Change>& changes() { return changes_; }

  // Whether a transaction that records references to blobs must renew them (RenewBlobs).
  bool keeps_ledger() const { return keeps_ledger_; }
  void set_keeps_ledger(bool keeps) { keeps_ledger_ = keeps; }

  // The statement that ran last, for the detail of errors.
  std::string_view running() const { return running_; }
  void set_running(std::string_view name) { running_ = name; }

 private:
  void Open();

  Engine& engine_;
  const std::chrono::milliseconds patience_;
  Time deadline_ = Time::max();
  std::unique_ptr<soci::session> connection_;
  StatementCache kept_statements_;  // destroyed before connection_
  std::string_view running_ = "connect";
  std::vector<Change> changes_;
  bool keeps_ledger_ = false;
  std::atomic<std::uint64_t> opened_ = 0;

  mutable std::mutex mutex_;      // guards the members below
  std::function<void()> cutter_;  // of connection_, while there is one
  bool cut_ = false;
};

}  // namespace koya::sql
