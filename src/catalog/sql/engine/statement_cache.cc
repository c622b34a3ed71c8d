#include "catalog/sql/engine/statement_cache.h"

#include <soci/soci.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace koya::sql {

StatementCache::StatementCache() = default;
StatementCache::~StatementCache() = default;

std::unique_ptr<soci::statement> StatementCache::TakeStatement(std::string_view text) {
  const std::size_t hash = std::hash<std::string_view>()(text);
  auto found = std::ranges::find_if(
      kept_, [&](const Kept& each) { return each.hash == hash && each.text == text; });
  if (found == kept_.end()) return nullptr;
  std::unique_ptr<soci::statement> statement = std::move(found->statement);
  kept_.erase(found);
  return statement;
}

void StatementCache::Put(std::string text, std::unique_ptr<soci::statement> statement) {
  if (text.size() > kLongestText) return;
  if (kept_.size() == kMost) kept_.erase(kept_.begin());
  const std::size_t hash = std::hash<std::string_view>()(text);
  kept_.push_back({hash, std::move(text), std::move(statement)});
}

void StatementCache::Clear() { kept_.clear(); }

}  // namespace koya::sql
