// Implements TokenCatalog: tokens in the database.
#pragma once

#include <string>
#include <vector>

#include "catalog/sql/engine/executor.h"
#include "catalog/sql/engine/recent_uses.h"
#include "catalog/token_catalog.h"

namespace koya::sql {

class SqlTokens : public virtual TokenCatalog {
 public:
  explicit SqlTokens(Executor& transactions) : transactions_(transactions) {}

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
  // The shortest time between recorded uses.
  static constexpr UnixSeconds kTouchEvery = 60;

  Executor& transactions_;
  RecentUses uses_{kTouchEvery};  // recorded lately by this server
};

}  // namespace koya::sql
