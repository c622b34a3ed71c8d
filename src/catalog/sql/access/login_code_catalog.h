// Implements LoginCodeCatalog: codes that clients exchange, in the database.
#pragma once

#include "catalog/sql/engine/executor.h"

#include "catalog/sign_in_catalog.h"

namespace koya::sql {

class SqlLoginCodes : public virtual LoginCodeCatalog {
 public:
  explicit SqlLoginCodes(Executor& transactions) : transactions_(transactions) {}

  Task<void> AddLoginCode(LoginCodeRecord code) override;
  Task<LoginCodeRecord> TakeLoginCode(Digest secret) override;

 private:
  Executor& transactions_;
};

}  // namespace koya::sql
