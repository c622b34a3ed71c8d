// PostgreSQL 15 or later: any number of servers on one database.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "catalog/sql/engine.h"

namespace koya::sql {

// The connection string for a postgresql:// URL, with Koya's time limits where the URL sets none.
// Of several hosts the one that can be written to is meant, unless the URL says otherwise. Fails:
// kInvalid. The string may hold a password: it belongs in no message.
Result<std::string> PostgresConnectionString(std::string_view url);

// Connects, and says for the operator why the server will not have us, now or later: it refuses the
// user, or has no such database. nullopt: it would, or does not answer. Blocks, as long as
// connecting may take.
std::optional<std::string> WhyRefused(const std::string& connection_string);

std::unique_ptr<Engine> MakePostgresEngine(std::string connection_string);

}  // namespace koya::sql
