// PostgresListener receives notifications of changes that other servers make to the same PostgreSQL
// database.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "catalog/sql/engine/change_signal.h"

namespace koya::sql {

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
