// Sign-in providers, and who their subjects are, in the database. See IdentityCatalog.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "catalog/sign_in_catalog.h"
#include "catalog/sql/transactions.h"

namespace koya::sql {

class SqlIdentities : public virtual IdentityCatalog {
 public:
  explicit SqlIdentities(Transactions& transactions) : transactions_(transactions) {}

  Task<void> AddIdentityProvider(Actor by, IdentityProviderRecord provider) override;
  Task<IdentityProviderRecord> FindIdentityProvider(std::string name) override;
  Task<std::vector<IdentityProviderRecord>> ListIdentityProviders() override;
  Task<void> RemoveIdentityProvider(Actor by, std::string name) override;
  Task<void> ResealIdentityProvider(Actor by, IdentityProviderRecord provider,
                                    std::string sealed_secret) override;

  // In external_identity.cc.
  Task<AccountRecord> RecordIdentity(Actor by, IdentityClaim claim, UnixSeconds at) override;

 private:
  Transactions& transactions_;
};

}  // namespace koya::sql
