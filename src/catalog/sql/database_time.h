// The database's clock. See DatabaseTime.
#pragma once

#include "catalog/sql/transactions.h"

#include "catalog/database_time.h"

namespace koya::sql {

class SqlDatabaseTime : public virtual DatabaseTime {
 public:
  explicit SqlDatabaseTime(Transactions& transactions) : transactions_(transactions) {}

  Task<std::chrono::milliseconds> AskTime() override;

 private:
  Transactions& transactions_;
};

}  // namespace koya::sql
