// Implements IdentityCatalog: sign-in providers and the users of their subjects, in the database.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "catalog/sign_in_catalog.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/query.h"
#include "domain/identity_record.h"

namespace koya::sql {

// Locks the provider of that name, in any letter case, until the caller's write transaction ends.
// Returns its key (AccountKey). Fails: kNotFound.
Result<std::string> HoldIdentityProvider(Session& session, std::string_view name);

Failure NoIdentityProvider(std::string_view name);

class SqlIdentities : public virtual IdentityCatalog {
 public:
  explicit SqlIdentities(Executor& transactions) : transactions_(transactions) {}

  Task<void> AddIdentityProvider(Actor by, IdentityProviderRecord provider) override;
  Task<IdentityProviderRecord> FindIdentityProvider(std::string name) override;
  Task<std::vector<IdentityProviderRecord>> ListIdentityProviders() override;
  Task<void> SetProviderEnabled(Actor by, std::string name, bool enabled) override;
  Task<void> RemoveIdentityProvider(Actor by, std::string name) override;
  Task<void> ResealIdentityProvider(Actor by, IdentityProviderRecord provider,
                                    std::string sealed_secret) override;

  // In external_identity.cc.
  Task<AccountRecord> RecordIdentity(Actor by, IdentityClaim claim, UnixSeconds at) override;

 private:
  Executor& transactions_;
};

}  // namespace koya::sql
