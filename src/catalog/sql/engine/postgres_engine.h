// Engine for PostgreSQL 15 or later: any number of servers on one database.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "catalog/sql/engine/engine.h"

namespace koya::sql {

// The connection string for a postgresql:// URL, with Koya's timeouts where the URL sets none. Of
// several hosts it selects the writable one, unless the URL says otherwise. Fails: kInvalid. The
// string may hold a password: it belongs in no message.
Result<std::string> PostgresConnectionString(std::string_view url);

// Connects, and explains to the operator why the server will not accept us, now or later: it
// refuses the user, or has no such database. nullopt: it would accept us, or does not respond.
// Blocks as long as connecting may take.
std::optional<std::string> WhyRefused(const std::string& connection_string);

std::unique_ptr<Engine> MakePostgresEngine(std::string connection_string);

}  // namespace koya::sql
