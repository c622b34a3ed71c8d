// Rows of koya verify. See VerifyRunCatalog.
#pragma once

#include "catalog/sql/transactions.h"
#include "catalog/verify_run_catalog.h"

namespace koya::sql {

class SqlVerifyRuns : public virtual VerifyRunCatalog {
 public:
  explicit SqlVerifyRuns(Transactions& transactions) : transactions_(transactions) {}

  Task<void> AddVerifyRun(VerifyRun run) override;
  Task<void> TellVerifyRun(std::string id, VerifyProgress progress) override;
  Task<std::vector<VerifyRun>> ListVerifyRuns() override;

 private:
  Transactions& transactions_;
};

}  // namespace koya::sql
