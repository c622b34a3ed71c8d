// Engine for PostgreSQL 15 or later: any number of servers on one database, which hear of each
// other's changes.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "catalog/sql/engine/engine.h"

namespace koya::sql {

class ChangeSignal;

// The connection string for a postgresql:// URL, with Koya's timeouts where the URL sets none. Of
// several hosts it selects the writable one, unless the URL says otherwise. Fails: kInvalid. The
// string may hold a password: it belongs in no message.
Result<std::string> PostgresConnectionString(std::string_view url);

// Connects, and explains to the operator why the server will not accept us, now or later: it
// refuses the user, or has no such database. nullopt: it would accept us, or does not respond.
// Blocks as long as connecting may take.
std::optional<std::string> WhyRefused(const std::string& connection_string);

std::unique_ptr<Engine> MakePostgresEngine(std::string connection_string);

// PostgresListener receives notifications of changes that other servers make to the same PostgreSQL
// database.
// Keeps its own connection that LISTENs, with its own thread and event loop; reconnects when it is
// lost. Notifies `signal` at each notification and after each connection, since a notification may
// have been missed before it. `signal` outlives this.
//
// Sends itself a notification every 15 s. Three in a row that do not come back show that no others
// would either: then ChangeSignal::hears() is false, until one does.
class PostgresListener {
 public:
  struct Options {
    std::chrono::milliseconds heartbeat{15'000};
    std::string listen = "LISTEN koya_change";  // tests: no LISTEN, as with a pooler
  };
  PostgresListener(std::string connection_string, ChangeSignal& signal, Options options);
  PostgresListener(std::string connection_string, ChangeSignal& signal)
      : PostgresListener(std::move(connection_string), signal, Options()) {}
  ~PostgresListener();
  PostgresListener(const PostgresListener&) = delete;
  PostgresListener& operator=(const PostgresListener&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya::sql
