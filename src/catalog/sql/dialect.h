// Everything in which the SQL of SQLite and PostgreSQL differs, in one place.
#pragma once

#include <string>
#include <string_view>

namespace koya::sql {

enum class Dialect { kSqlite, kPostgres };

// `text` with each {{word}} replaced by what this engine calls it. REQUIRES: every word is known;
// an unknown one is left standing, and the engine refuses it.
std::string Render(Dialect dialect, std::string_view text);

}  // namespace koya::sql
