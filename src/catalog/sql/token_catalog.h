// The token table's SQL: one function per operation of TokenCatalog (catalog/catalog.h). Blocking;
// each throws as SOCI does.
#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/sql/session.h"

namespace koya::sql {

// How long a noted use stands before it is noted again.
inline constexpr UnixSeconds kTouchEvery = 60;

// Within a write transaction.
Status AddToken(Session& session, const TokenRecord& record);
Status RevokeToken(Session& session, const std::string& name);
Status TouchToken(Session& session, const Digest& secret, UnixSeconds at);

// One statement each.
Result<TokenRecord> FindToken(Session& session, const Digest& secret);
Result<std::vector<TokenRecord>> ListTokens(Session& session);

}  // namespace koya::sql
