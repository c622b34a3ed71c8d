#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "catalog/sql/engine/columns.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/readable_condition.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/providers/provider_catalog.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

// The rest is put together from the filter: conditions, then the order and the page.
constexpr auto kProviderColumns =
    Columns<ProviderSummary>([] { return ProviderSummary{.address = Blank(), .latest = Blank()}; },
                             ReadColumn<&ProviderSummary::address>("namespace", "type"),
                             ReadColumn<&ProviderSummary::latest>("latest_version"),
                             ReadColumn<&ProviderSummary::published_at>("latest_published_at"),
                             ReadColumn<&ProviderSummary::versions>("version_count"),
                             ReadColumn<&ProviderSummary::deprecated>("deprecated")
                                 .As("CASE WHEN EXISTS (SELECT 1 FROM provider_release r WHERE "
                                     "r.provider_id = provider.id AND r.version = latest_version "
                                     "AND r.deprecation <> '') THEN 1 ELSE 0 END"));
constexpr auto kListProviders = Sql("list_providers", "SELECT ", kSelect<kProviderColumns>,
                                    " FROM provider WHERE version_count > 0");
// Addresses of one namespace are neighbours: "acme/" up to "acme0", which follows "acme/".
constexpr std::string_view kInProvidersNamespace = " AND address >= :from AND address < :to";
constexpr std::string_view kFollowsProvider = " AND address > :after";
// No word holds a space, and so none reaches from one part into the other.
constexpr std::string_view kProviderHasWord =
    " AND (namespace || ' ' || type) LIKE :word{} ESCAPE '\\'";
constexpr ListedRows kProviders{.place = "namespace || '/'",
                                .ending = "/",
                                .order = "address",
                                .key = "namespace",
                                .table = "provider"};

// `text` as it would stand in an address: letter case goes by Unicode there. What cannot stand in
// one is left as it is; a piece such as "-aws" is searched for all the same.
std::string Folded(const std::string& text) {
  Result<std::string> folded = NormalizeProviderNamespace(text);
  return folded ? *std::move(folded) : text;
}

std::string ListingText(const ProviderFilter& filter, std::size_t words,
                        const ReadableCondition& readable) {
  std::string text(kListProviders.text);
  if (!filter.ns.empty()) text += kInProvidersNamespace;
  if (!filter.after.empty()) text += kFollowsProvider;
  for (std::size_t i = 0; i < words; ++i) text += fmt::format(kProviderHasWord, i);
  return text.append(readable.Text()).append(readable.Page());
}

Result<Page<ProviderSummary>> ListProviders(Session& session, const ProviderFilter& filter,
                                            const PageRequest& page) {
  Page<ProviderSummary> result;
  bool storable = IsStorable(filter.ns) && IsStorable(filter.query) && IsStorable(filter.after);
  if (!storable) return result;  // matches nothing
  const std::vector<std::string> words = SearchWords(filter.query);
  const std::string ns = filter.ns.empty() ? "" : Folded(filter.ns);
  ReadableCondition readable(filter.readable, kProviders);
  readable.Within(ns);
  readable.After(filter.after);
  if (words.empty()) readable.Take(RowsUpTo(page));
  const std::string text = ListingText(filter, words.size(), readable);
  const std::uint64_t limit = std::min(page.limit, kLongestPage);
  constexpr auto kEnd = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

  Query query(session, Statement{kListProviders.name, text});
  if (!ns.empty()) query.Use(ns + "/").Use(ns + "0");
  if (!filter.after.empty()) query.Use(filter.after);
  for (const std::string& word : words) query.Use(Containing(Folded(word)));
  readable.Use(query);
  query.Use(static_cast<std::int64_t>(limit + 1));
  query.Use(static_cast<std::int64_t>(std::min(page.offset, kEnd)));
  RecordReader reader(query, kProviderColumns);
  while (query.Next()) {
    if (result.items.size() == limit) {
      result.more = true;
      break;
    }
    ASSIGN_OR_RETURN(ProviderSummary summary, reader.Read());
    result.items.push_back(std::move(summary));
  }
  return result;
}

}  // namespace

}  // namespace koya::sql

namespace koya {

Task<Page<ProviderSummary>> ProviderCatalog::ListProviders(ProviderFilter filter,
                                                           PageRequest page) {
  return transactions_.Read(&sql::ListProviders, std::move(filter), page);
}

}  // namespace koya
