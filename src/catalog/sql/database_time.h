// The database's clock. See DatabaseTime.
#pragma once

#include "catalog/catalog.h"
#include "catalog/sql/transactions.h"

namespace koya::sql {

class SqlDatabaseTime : public virtual DatabaseTime {
 public:
  explicit SqlDatabaseTime(Transactions& transactions) : transactions_(transactions) {}

  Task<std::chrono::milliseconds> AskTime() override;

 private:
  Transactions& transactions_;
};

}  // namespace koya::sql
