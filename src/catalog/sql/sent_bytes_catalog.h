// Sums of bytes in the database. See SentBytesCatalog.
#pragma once

#include <vector>

#include "catalog/sent_bytes_catalog.h"
#include "catalog/sql/transactions.h"

namespace koya::sql {

class SqlSentBytes : public virtual SentBytesCatalog {
 public:
  explicit SqlSentBytes(Transactions& transactions) : transactions_(transactions) {}

  Task<std::vector<std::uint64_t>> AddSentBytes(std::int64_t day,
                                                std::vector<SentBytes> more) override;

 private:
  Transactions& transactions_;
};

}  // namespace koya::sql
