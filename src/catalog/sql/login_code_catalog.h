// Codes that clients exchange in the database. See LoginCodeCatalog.
#pragma once

#include "catalog/sql/transactions.h"

#include "catalog/sign_in_catalog.h"

namespace koya::sql {

class SqlLoginCodes : public virtual LoginCodeCatalog {
 public:
  explicit SqlLoginCodes(Transactions& transactions) : transactions_(transactions) {}

  Task<void> AddLoginCode(LoginCodeRecord code) override;
  Task<LoginCodeRecord> TakeLoginCode(Digest secret) override;

 private:
  Transactions& transactions_;
};

}  // namespace koya::sql
