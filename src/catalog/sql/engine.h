// A database engine: what SOCI does not hide. SqliteEngine and PostgresEngine implement it.
//
// Threads: any. Methods block, and throw what SOCI throws: Explain turns that into an Error.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "base/error.h"
#include "catalog/sql/dialect.h"

namespace soci {
class session;
class statement;
}  // namespace soci

namespace koya::sql {

struct Fault {
  Error error;
  bool connection_lost = false;  // a new connection may work
  bool locked = false;           // waited for another program's lock, in vain
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual Dialect dialect() const = 0;
  // A new connection. Takes as long as the engine's own limit for that.
  virtual std::unique_ptr<soci::session> Connect() = 0;
  // Makes a new connection's settings. `patience`: how long a unit of work may take on it.
  virtual void Prepare(soci::session& session, std::chrono::milliseconds patience) = 0;
  // Before each unit of work that has a deadline: what is left until then.
  virtual void PrepareUnit(soci::session& session, std::chrono::milliseconds left) = 0;
  // What makes a call under way on `session` return with a failure, soon. It is called on another
  // thread, and only while `session` is there; it does not wait, nor throw.
  virtual std::function<void()> Cutter(soci::session& session) = 0;
  // Runs several statements at once (SOCI would run the first only). No results, no parameters.
  virtual void RunScript(soci::session& session, const std::string& script) = 0;
  // Brings a statement to rest, its locks given back, so that it may be run again. False where it
  // is not worth while, and the statement is to be dropped. Does not throw.
  virtual bool Rest(soci::statement& statement) const = 0;
  // What an exception of one of `session`'s statements means. `session` may be null: then it is
  // one of Connect's.
  virtual Fault Explain(const std::exception& exception, soci::session* session) const = 0;
};

}  // namespace koya::sql
