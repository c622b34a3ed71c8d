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
#include "catalog/sql/engine/executor.h"
#include "catalog/sql/engine/query.h"
#include "domain/identity_record.h"

namespace koya::sql {

// One row for each group of a provider, by its position; a provider without groups has one row.
struct IdentityProviderRow {
  // Columns of a SELECT, in the order of Bind.
#define KOYA_IDENTITY_PROVIDER_READ                                                       \
  "SELECT p.name, p.issuer, p.client_id, p.sealed_secret, p.groups_claim, p.created_at, " \
  "p.created_by, i.theirs, g.name FROM identity_provider p "                              \
  "LEFT JOIN identity_group i ON i.provider_key = p.name_key "                            \
  "LEFT JOIN account_group g ON g.name_key = i.group_key "

  void Bind(Query& query);
  // Adds the row to the providers read so far; rows are ordered by provider and position.
  void AddTo(std::vector<IdentityProviderRecord>& providers) const;

  IdentityProviderRecord record;
  std::optional<std::string> theirs, ours;
};

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
  Task<void> RemoveIdentityProvider(Actor by, std::string name) override;
  Task<void> ResealIdentityProvider(Actor by, IdentityProviderRecord provider,
                                    std::string sealed_secret) override;

  // In external_identity.cc.
  Task<AccountRecord> RecordIdentity(Actor by, IdentityClaim claim, UnixSeconds at) override;

 private:
  Executor& transactions_;
};

}  // namespace koya::sql
