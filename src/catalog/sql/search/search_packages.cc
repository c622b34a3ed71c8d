#include "catalog/sql/search/search_query_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "catalog/sql/search/search_entries.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

// {1}: which of those that are kept; {2}: their order; {3}: the most.
constexpr std::string_view kFirst =
    "SELECT {0}, 0 AS is_older FROM (SELECT id FROM search_subject WHERE {1} ORDER BY {2} "
    "LIMIT {3}) listed CROSS JOIN search_entry e "
    "WHERE e.subject_id = listed.id AND e.kind IN ('module', 'provider')";
constexpr std::string_view kNextKind = "{}SELECT * FROM ({}) of_{}";
// Keys of packages that are published here are "module:acme/vpc/aws".
constexpr std::string_view kOfNamespace = " AND subject_key >= :first AND subject_key < :past";
constexpr char kAfterSlash = '/' + 1;

// As indexes of search_subject have it ; what one namespace has is put in order.
std::string_view OrderOf(const SearchRequest& request) {
  switch (request.order) {
    case SearchOrder::kBest:
      return "deprecated, published_at DESC, subject_key";
    case SearchOrder::kNewest:
      return request.query.any_version() ? "published_at DESC, subject_key, version"
                                         : "published_at DESC, subject_key";
    case SearchOrder::kAddress:
      return "subject_key";
  }
  return "";
}

}  // namespace

bool IsListOfPackages(const SearchRequest& request) {
  const SearchQuery& search = request.query;
  const bool packages = std::ranges::all_of(search.kinds(), [](SearchKind kind) {
    return kind == SearchKind::kModule || kind == SearchKind::kProvider;
  });
  const bool narrowed = !search.host().empty() || !search.uses().empty() ||
                        !search.needs().empty() || !search.calls().empty() ||
                        !search.system().empty() || !search.version().empty();
  // Namespaces of that name at other registries are asked for, too.
  const bool elsewhere = !search.ns().empty() && !search.here();
  const bool in_order = !search.any_version() || request.order == SearchOrder::kNewest;
  return packages && !search.kinds().empty() && search.terms().empty() && !narrowed && !elsewhere &&
         in_order;
}

PackageList::PackageList(const SearchRequest& request, const ReadableCondition& readable,
                         std::uint64_t most)
    : request_(request), readable_(readable), most_(most) {}

std::string PackageList::TextOfKind(SearchKind kind, std::string_view columns) const {
  const SearchQuery& search = request_.query;
  std::string which = fmt::format("kind = '{}'", SearchKindName(kind));
  if (!search.any_version()) which += " AND newest = 1";
  if (const std::optional<bool> deprecated = search.deprecated()) {
    which += fmt::format(" AND deprecated = {}", *deprecated ? 1 : 0);
  }
  if (search.here()) which += kPublishedHere;
  if (!search.ns().empty()) which += kOfNamespace;
  which += readable_.Text();
  return fmt::format(kFirst, columns, which, OrderOf(request_), most_);
}

std::string PackageList::Text(std::string_view columns) const {
  std::string text;
  for (const SearchKind kind : request_.query.kinds()) {
    text += fmt::format(kNextKind, text.empty() ? "" : " UNION ALL ", TextOfKind(kind, columns),
                        SearchKindName(kind));
  }
  return text;
}

void PackageList::Use(Query& query) const {
  for (const SearchKind kind : request_.query.kinds()) {
    if (const std::string& ns = request_.query.ns(); !ns.empty()) {
      const std::string place = fmt::format("{}:{}", SearchKindName(kind), ns);
      query.Use(place + '/').Use(place + kAfterSlash);
    }
    readable_.Use(query);
  }
}

}  // namespace koya::sql
