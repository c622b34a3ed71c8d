#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "catalog/sql/module_catalog.h"
#include "catalog/sql/module_version_row.h"
#include "catalog/sql/query.h"

namespace koya::sql {
namespace {

// The rest is put together from the filter: conditions, then kPage.
constexpr Statement kListModules{
    "list_modules",
    "SELECT namespace, name, system, latest_version, latest_description, latest_published_at, "
    "version_count FROM module WHERE version_count > 0"};
// Keys of one namespace are neighbours: "acme/" up to "acme0", which follows "acme/" in ASCII.
constexpr std::string_view kInNamespace = " AND address_key >= :from AND address_key < :to";
constexpr std::string_view kHasName = " AND name_key = :name";
constexpr std::string_view kHasSystem = " AND system = :system";
constexpr std::string_view kHasWord = " AND search_text LIKE :word{} ESCAPE '\\'";
constexpr std::string_view kPage = " ORDER BY address_key LIMIT :limit OFFSET :offset";

constexpr std::uint64_t kLongestPage = 1000;
constexpr std::size_t kMostWords = 16;

// `word` as a pattern that matches wherever it occurs.
std::string Containing(std::string_view word) {
  std::string pattern = "%";
  for (char c : word) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern + "%";
}

// The distinct words of a search, folded. Words after the first sixteen do not restrict.
std::vector<std::string> Words(std::string_view query) {
  std::vector<std::string> words;
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  for (std::size_t begin = query.find_first_not_of(kSpace);
       begin != std::string_view::npos && words.size() < kMostWords;
       begin = query.find_first_not_of(kSpace, begin)) {
    std::size_t end = std::min(query.find_first_of(kSpace, begin), query.size());
    std::string word = AsciiLower(query.substr(begin, end - begin));
    if (std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
    begin = end;
  }
  return words;
}

struct SummaryRow {
  std::string ns, name, system, latest, description;
  std::int64_t published_at = 0;
  std::int64_t versions = 0;

  void Bind(Query& query) {
    query.Into(ns).Into(name).Into(system).Into(latest).Into(description);
    query.Into(published_at).Into(versions);
  }

  Result<ModuleSummary> ToSummary() const {
    Result<ModuleAddress> address = ModuleAddress::FromParts(ns, name, system);
    if (!address) return Failure(StrangeRow(address.error()));
    Result<Version> version = Version::Parse(latest);
    if (!version) return Failure(StrangeRow(version.error()));
    return ModuleSummary{*std::move(address), *std::move(version), description, published_at,
                         static_cast<std::uint64_t>(versions)};
  }
};

std::string ListingText(const ModuleFilter& filter, std::size_t words) {
  std::string text(kListModules.text);
  if (!filter.ns.empty()) text += kInNamespace;
  if (!filter.name.empty()) text += kHasName;
  if (!filter.system.empty()) text += kHasSystem;
  for (std::size_t i = 0; i < words; ++i) text += fmt::format(kHasWord, i);
  return text.append(kPage);
}

// Whether the engines can be asked at all: PostgreSQL takes neither NUL nor broken UTF-8, and
// nothing stored has them.
bool CanMatch(const ModuleFilter& filter) {
  for (const std::string* text : {&filter.ns, &filter.name, &filter.system, &filter.query}) {
    if (!IsUtf8(*text) || text->contains('\0')) return false;
  }
  return true;
}

}  // namespace

Result<Page<ModuleSummary>> ListModules(Session& session, const ModuleFilter& filter,
                                        const PageRequest& page) {
  Page<ModuleSummary> result;
  if (!CanMatch(filter)) return result;
  std::vector<std::string> words = Words(filter.query);
  const std::string text = ListingText(filter, words.size());
  const std::uint64_t limit = std::min(page.limit, kLongestPage);
  constexpr auto kEnd = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

  SummaryRow row;
  Query query(session, Statement{kListModules.name, text});
  std::string ns = AsciiLower(filter.ns);
  if (!ns.empty()) query.Use(ns + "/").Use(ns + "0");
  if (!filter.name.empty()) query.Use(AsciiLower(filter.name));
  if (!filter.system.empty()) query.Use(AsciiLower(filter.system));
  for (const std::string& word : words) query.Use(Containing(word));
  query.Use(static_cast<std::int64_t>(limit + 1));
  query.Use(static_cast<std::int64_t>(std::min(page.offset, kEnd)));
  row.Bind(query);
  while (query.Next()) {
    if (result.items.size() == limit) {
      result.more = true;
      break;
    }
    ASSIGN_OR_RETURN(ModuleSummary summary, row.ToSummary());
    result.items.push_back(std::move(summary));
  }
  return result;
}

}  // namespace koya::sql
