// Implements SentBytesCatalog: sums of bytes in the database.
#pragma once

#include <vector>

#include "catalog/sent_bytes_catalog.h"
#include "catalog/sql/engine/executor.h"

namespace koya::sql {

class SqlSentBytes : public virtual SentBytesCatalog {
 public:
  explicit SqlSentBytes(Executor& transactions) : transactions_(transactions) {}

  Task<std::vector<std::uint64_t>> AddSentBytes(std::int64_t day,
                                                std::vector<SentBytes> more) override;

 private:
  Executor& transactions_;
};

}  // namespace koya::sql
