// Hears of changes that other servers make to the same PostgreSQL database.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "catalog/sql/change_signal.h"

namespace koya::sql {

// Keeps a connection of its own that LISTENs, with a thread and a loop of its own; connects again
// when it is lost. Notifies `signal` at each notification and after each connection, since a
// notification may have been missed before it. `signal` outlives this.
//
// Every 15 s it notifies itself. What does not come back three times in a row says that nothing
// else would either: then ChangeSignal::hears() is false, until one does.
class PostgresListener {
 public:
  struct Options {
    std::chrono::milliseconds heartbeat{15'000};
    std::string listen = "LISTEN koya_change";  // tests: what a pooler makes of it, nothing
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
