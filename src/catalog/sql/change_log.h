// The change log's SQL. See ChangeLog in catalog/catalog.h. Blocking; throws as SOCI does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/sql/session.h"

namespace koya::sql {

// How many of the newest changes are always kept.
inline constexpr std::int64_t kKeptChanges = 10'000;
// The channel that carries the news between servers on one PostgreSQL database.
inline constexpr std::string_view kChangeChannel = "koya_change";

// Appends within the caller's write transaction. Call it last: on PostgreSQL it makes writers take
// turns until they commit, so that numbers become visible in their order.
void AppendChange(Session& session, const std::string& topic);
// The same for several, each once.
void AppendChanges(Session& session, std::vector<std::string> topics);

std::int64_t LatestChange(Session& session);
std::vector<Change> ChangesSince(Session& session, std::int64_t sequence);

}  // namespace koya::sql
