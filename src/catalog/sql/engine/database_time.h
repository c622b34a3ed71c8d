// Implements DatabaseTime: the database's clock.
#pragma once

#include "catalog/sql/engine/executor.h"

#include "catalog/database_time.h"

namespace koya::sql {

class SqlDatabaseTime : public virtual DatabaseTime {
 public:
  explicit SqlDatabaseTime(Executor& transactions) : transactions_(transactions) {}

  Task<std::chrono::milliseconds> AskTime() override;

 private:
  Executor& transactions_;
};

}  // namespace koya::sql
