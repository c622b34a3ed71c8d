// Renders SQL for SQLite or PostgreSQL: everything in which they differ is in one place.
#pragma once

#include <string>
#include <string_view>

namespace koya::sql {

enum class Dialect { kSqlite, kPostgres };

// Returns `text` with each {{word}} replaced by this engine's text for it. REQUIRES: every word is
// known; an unknown one stays unchanged, and the engine rejects it.
std::string Render(Dialect dialect, std::string_view text);

}  // namespace koya::sql
