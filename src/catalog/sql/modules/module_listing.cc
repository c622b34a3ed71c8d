#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "catalog/module_catalog.h"
#include "catalog/sql/engine/columns.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/readable_condition.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/page.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

// The rest is put together from the filter: conditions, then the order and the page.
constexpr auto kSummaryColumns =
    Columns<ModuleSummary>([] { return ModuleSummary{.address = Blank(), .latest = Blank()}; },
                           ReadColumn<&ModuleSummary::address>("namespace", "name", "system"),
                           ReadColumn<&ModuleSummary::latest>("latest_version"),
                           ReadColumn<&ModuleSummary::description>("latest_description"),
                           ReadColumn<&ModuleSummary::published_at>("latest_published_at"),
                           ReadColumn<&ModuleSummary::versions>("version_count"),
                           ReadColumn<&ModuleSummary::deprecated>("deprecated")
                               .As("CASE WHEN EXISTS (SELECT 1 FROM module_version v WHERE "
                                   "v.module_id = module.id AND v.version = latest_version AND "
                                   "v.deprecation IS NOT NULL) THEN 1 ELSE 0 END"));
constexpr auto kListModules = Sql("list_modules", "SELECT ", kSelect<kSummaryColumns>,
                                  " FROM module WHERE version_count > 0");
// Keys of one namespace are neighbours: "acme/" up to "acme0", which follows "acme/" in ASCII.
constexpr std::string_view kInNamespace = " AND address_key >= :from AND address_key < :to";
constexpr std::string_view kHasName = " AND name_key = :name";
constexpr std::string_view kHasSystem = " AND system = :system";
constexpr std::string_view kFollows = " AND address_key > :after";
constexpr std::string_view kHasWord = " AND search_text LIKE :word{} ESCAPE '\\'";
constexpr ListedRows kModules{.place = "{{place of module}}",
                              .ending = "/",
                              .order = "address_key",
                              .key = "{{namespace of module}}",
                              .table = "module"};

std::string ListingText(const ModuleFilter& filter, std::size_t words,
                        const ReadableCondition& readable) {
  std::string text(kListModules.text);
  if (!filter.ns.empty()) text += kInNamespace;
  if (!filter.name.empty()) text += kHasName;
  if (!filter.system.empty()) text += kHasSystem;
  if (!filter.after.empty()) text += kFollows;
  for (std::size_t i = 0; i < words; ++i) text += fmt::format(kHasWord, i);
  return text.append(readable.Text()).append(readable.Page());
}

// Whether the engines can be asked at all; nothing stored has what they refuse.
bool CanMatch(const ModuleFilter& filter) {
  return IsStorable(filter.ns) && IsStorable(filter.name) && IsStorable(filter.system) &&
         IsStorable(filter.query) && IsStorable(filter.after);
}

Result<Page<ModuleSummary>> ListModules(Session& session, const ModuleFilter& filter,
                                        const PageRequest& page) {
  Page<ModuleSummary> result;
  if (!CanMatch(filter)) return result;
  std::vector<std::string> words = SearchWords(filter.query);
  const std::string ns = AsciiLower(filter.ns);
  const std::string after = AsciiLower(filter.after);
  ReadableCondition readable(filter.readable, kModules);
  readable.Within(ns);
  readable.After(after);
  const bool plain = filter.name.empty() && filter.system.empty() && words.empty();
  if (plain) readable.Take(RowsUpTo(page));
  const std::string text = ListingText(filter, words.size(), readable);
  const std::uint64_t limit = std::min(page.limit, kLongestPage);
  constexpr auto kEnd = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

  Query query(session, Statement{kListModules.name, text});
  if (!ns.empty()) query.Use(ns + "/").Use(ns + "0");
  if (!filter.name.empty()) query.Use(AsciiLower(filter.name));
  if (!filter.system.empty()) query.Use(AsciiLower(filter.system));
  if (!after.empty()) query.Use(after);
  for (const std::string& word : words) query.Use(Containing(word));
  readable.Use(query);
  query.Use(static_cast<std::int64_t>(limit + 1));
  query.Use(static_cast<std::int64_t>(std::min(page.offset, kEnd)));
  RecordReader reader(query, kSummaryColumns);
  while (query.Next()) {
    if (result.items.size() == limit) {
      result.more = true;
      break;
    }
    ASSIGN_OR_RETURN(ModuleSummary summary, reader.Read());
    result.items.push_back(std::move(summary));
  }
  return result;
}

}  // namespace

}  // namespace koya::sql

namespace koya {

Task<Page<ModuleSummary>> ModuleCatalog::ListModules(ModuleFilter filter, PageRequest page) {
  return transactions_.Read(&sql::ListModules, std::move(filter), page);
}

}  // namespace koya
