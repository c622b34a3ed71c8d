#include "catalog/sql/access/identity_provider_row.h"

#include <fmt/format.h>

#include "base/text.h"
#include "catalog/sql/engine/account_row.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr Statement kHoldIdentityProvider{
    "hold_identity_provider",
    "SELECT name_key FROM identity_provider WHERE name_key = :name_key {{for share}}"};

}  // namespace

void IdentityProviderRow::Bind(Query& query) {
  query.Into(record.name).Into(record.issuer).Into(record.client_id).Into(record.sealed_secret);
  query.Into(record.groups_claim).Into(record.created_at).Into(record.created_by);
  query.Into(theirs).Into(ours);
}

void IdentityProviderRow::AddTo(std::vector<IdentityProviderRecord>& providers) const {
  if (providers.empty() || providers.back().name != record.name) providers.push_back(record);
  if (theirs && ours) providers.back().groups.push_back({*theirs, *ours});
}

Result<std::string> HoldIdentityProvider(Session& session, std::string_view name) {
  std::string key;
  Query query(session, kHoldIdentityProvider);
  if (IsStorable(name) && query.Use(AccountKey(name)).Into(key).Next()) return key;
  return NoIdentityProvider(name);
}

Failure NoIdentityProvider(std::string_view name) {
  return Fail(
      ErrorKind::kNotFound,
      fmt::format(
          "there is no sign-in provider named \"{}\": list the providers to see their names",
          Printable(name)));
}

}  // namespace koya::sql
