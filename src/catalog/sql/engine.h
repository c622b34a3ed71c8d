// A database engine: what SOCI does not hide. SqliteEngine and PostgresEngine implement it.
//
// Threads: any. Methods block, and throw what SOCI throws: Explain turns that into an Error.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include "base/error.h"
#include "catalog/sql/dialect.h"

namespace soci {
class session;
}

namespace koya::sql {

struct Fault {
  Error error;
  bool connection_lost = false;  // a new connection may work
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual Dialect dialect() const = 0;
  // A new connection, with its settings made.
  virtual std::unique_ptr<soci::session> Connect() = 0;
  // Runs several statements at once (SOCI would run the first only). No results, no parameters.
  virtual void RunScript(soci::session& session, const std::string& script) = 0;
  // What an exception of one of `session`'s statements means. `session` may be null: then it is
  // one of Connect's.
  virtual Fault Explain(const std::exception& exception, soci::session* session) const = 0;
};

}  // namespace koya::sql
