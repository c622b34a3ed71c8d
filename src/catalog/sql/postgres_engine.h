// PostgreSQL 15 or later: any number of servers on one database.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "catalog/sql/engine.h"

namespace koya::sql {

// The connection string for a postgresql:// URL, with Koya's time limits where the URL sets none.
// Fails: kInvalid. The string may hold a password: it belongs in no message.
Result<std::string> PostgresConnectionString(std::string_view url);

std::unique_ptr<Engine> MakePostgresEngine(std::string connection_string);

}  // namespace koya::sql
