// Implements VerifyRunCatalog: runs of koya verify, in the database.
#pragma once

#include "catalog/sql/engine/executor.h"
#include "catalog/verify_run_catalog.h"

namespace koya::sql {

class SqlVerifyRuns : public virtual VerifyRunCatalog {
 public:
  explicit SqlVerifyRuns(Executor& transactions) : transactions_(transactions) {}

  Task<void> AddVerifyRun(VerifyRun run) override;
  Task<void> ReportVerifyRun(std::string id, VerifyProgress progress) override;
  Task<std::vector<VerifyRun>> ListVerifyRuns() override;

 private:
  Executor& transactions_;
};

}  // namespace koya::sql
