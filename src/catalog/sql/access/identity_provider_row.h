// Reads rows of identity_provider and identity_group.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
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

}  // namespace koya::sql
