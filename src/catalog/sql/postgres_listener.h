// Hears of changes that other servers make to the same PostgreSQL database.
#pragma once

#include <memory>
#include <string>

#include "catalog/sql/change_signal.h"

namespace koya::sql {

// Keeps a connection of its own that LISTENs, with a thread and a loop of its own; connects again
// when it is lost. Notifies `signal` at each notification and after each connection, since a
// notification may have been missed before it. `signal` outlives this.
class PostgresListener {
 public:
  PostgresListener(std::string connection_string, ChangeSignal& signal);
  ~PostgresListener();
  PostgresListener(const PostgresListener&) = delete;
  PostgresListener& operator=(const PostgresListener&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya::sql
