// Engine is a database engine: the parts that SOCI does not hide. SqliteEngine and PostgresEngine
// implement it.
//
// Threads: any. Methods block, and throw what SOCI throws: Explain turns that into an Error.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace soci {

class session;
class statement;

}  // namespace soci

namespace koya::sql {

enum class Dialect { kSqlite, kPostgres };

// Returns `text` with each {{word}} replaced by this engine's text for it: everything in which
// their SQL differs is in dialect.cc. REQUIRES: every word is known; an unknown one stays
// unchanged, and the engine rejects it.
std::string Render(Dialect dialect, std::string_view text);

struct Fault {
  Error error;
  bool connection_lost = false;  // a new connection may work
  bool locked = false;           // waited in vain for another program's lock
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual Dialect dialect() const = 0;
  // Opens a connection. May take as long as the engine's own limit for that.
  virtual std::unique_ptr<soci::session> Connect() = 0;
  // Applies settings to a new connection. `patience`: the timeout of a transaction on it.
  virtual void Prepare(soci::session& session, std::chrono::milliseconds patience) = 0;
  // Call before each transaction that has a deadline. `left`: the time until then.
  virtual void PrepareUnit(soci::session& session, std::chrono::milliseconds left) = 0;
  // Returns a function that makes a call in progress on `session` fail soon. It is called on
  // another thread, and only while `session` exists; it does not wait, nor throw.
  virtual std::function<void()> Cutter(soci::session& session) = 0;
  // Runs several statements at once (SOCI would run the first only). No results, no parameters.
  virtual void RunScript(soci::session& session, const std::string& script) = 0;
  // Resets a statement and releases its locks, so that it may run again. False where that is not
  // worthwhile, and the statement must be dropped. Does not throw.
  virtual bool Rest(soci::statement& statement) const = 0;
  // Explains an exception of one of `session`'s statements. `session` may be null: then the
  // exception came from Connect.
  virtual Fault Explain(const std::exception& exception, soci::session* session) const = 0;
};

}  // namespace koya::sql
