// Tokens in the database. See TokenCatalog.
#pragma once

#include <string>
#include <vector>

#include "catalog/sql/recent_uses.h"
#include "catalog/sql/transactions.h"
#include "catalog/token_catalog.h"

namespace koya::sql {

class SqlTokens : public virtual TokenCatalog {
 public:
  explicit SqlTokens(Transactions& transactions) : transactions_(transactions) {}

  Task<void> AddToken(Actor by, TokenRecord record) override;
  Task<void> AddJobToken(Actor by, TokenRecord record, JobProof proof) override;
  Task<TokenRecord> FindToken(Digest secret) override;
  Task<TokenRecord> FindTokenByStart(std::array<std::byte, 16> start) override;
  Task<std::vector<TokenRecord>> ListTokens() override;
  Task<std::vector<TokenRecord>> ListEndingTokens(std::string account_id, UnixSeconds from,
                                                  UnixSeconds until) override;
  Task<std::vector<TokenRecord>> ListJobTokens(std::string ns) override;
  Task<void> ReplaceToken(Actor by, TokenRecord record, Digest replaced) override;
  Task<void> RevokeToken(Actor by, std::string name, Digest secret) override;
  Task<void> TouchTokens(std::vector<Use> uses) override;

 private:
  // How long a noted use stands before it is noted again.
  static constexpr UnixSeconds kTouchEvery = 60;

  Transactions& transactions_;
  RecentUses uses_{kTouchEvery};  // what this server noted lately
};

}  // namespace koya::sql
