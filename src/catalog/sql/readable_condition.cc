#include "catalog/sql/readable_condition.h"

#include <fmt/format.h>

#include <vector>

#include "base/text.h"
#include "catalog/sql/text_column.h"

namespace koya::sql {
namespace {

// Sets of keys, each made once for a listing: what a namespace is, what was given, and what has no
// record. A row only looks itself up: one who may read little makes a listing pass over many.
constexpr std::string_view kVisible =
    "{0} IN (SELECT v.name_key FROM namespace v WHERE v.visibility IN ({1}))";
constexpr std::string_view kIsNamed =
    " OR {0} IN (SELECT element FROM {{{{elements of}}}} :named {{{{end of elements}}}})";
constexpr std::string_view kMatches =
    " OR {0} IN (SELECT p.name_key FROM {{{{elements of}}}} :patterns {{{{end of elements}}}} "
    "CROSS JOIN namespace p WHERE p.name_key LIKE element ESCAPE '\\')";
constexpr std::string_view kUnrecorded = " OR ({0} NOT IN (SELECT r.name_key FROM namespace r){1})";
constexpr std::string_view kMatchesUnrecorded =
    " AND EXISTS (SELECT element FROM {{{{elements of}}}} :unrecorded {{{{end of elements}}}} "
    "WHERE {0} LIKE element ESCAPE '\\')";

// What was given by its key, and what by a pattern of keys, fit to be asked for. Nothing stored
// matches what is not storable.
struct NamedKeys {
  std::vector<std::string> exact;
  std::vector<std::string> likes;
};

// A "*" stands for any run of characters, everything else for itself (base/glob.h).
std::string LikePattern(std::string_view glob) {
  std::string pattern;
  char previous = 0;
  for (char c : glob) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    if (c != '*') pattern += c;
    if (c == '*' && previous != '*') pattern += '%';
    previous = c;
  }
  return pattern;
}

NamedKeys SortNamed(const ReadableNamespaces& readable) {
  NamedKeys keys;
  for (const std::string& name : readable.named) {
    if (!IsStorable(name)) continue;
    std::string key = AsciiLower(name);
    if (key.contains('*')) {
      keys.likes.push_back(LikePattern(key));
    } else {
      keys.exact.push_back(std::move(key));
    }
  }
  return keys;
}

bool ShowsUnrecorded(const ReadableNamespaces& readable) {
  return readable.unrecorded == Visibility::kPublic ||
         (readable.internal && readable.unrecorded == Visibility::kInternal);
}

}  // namespace

std::string ReadableCondition(const ReadableNamespaces& readable, std::string_view key) {
  if (readable.everything) return "";
  const NamedKeys named = SortNamed(readable);
  const std::string_view visible = readable.internal ? "'public', 'internal'" : "'public'";
  std::string text = " AND (" + fmt::format(kVisible, key, visible);
  if (!named.exact.empty()) text += fmt::format(kIsNamed, key);
  if (!named.likes.empty()) text += fmt::format(kMatches, key);
  if (ShowsUnrecorded(readable)) {
    text += fmt::format(kUnrecorded, key, "");
  } else if (!named.likes.empty()) {
    text += fmt::format(kUnrecorded, key, fmt::format(kMatchesUnrecorded, key));
  }
  return text + ")";
}

void UseReadable(Query& query, const ReadableNamespaces& readable) {
  if (readable.everything) return;
  const NamedKeys named = SortNamed(readable);
  const std::string patterns = JsonList(named.likes);
  if (!named.exact.empty()) query.Use(JsonList(named.exact));
  if (!named.likes.empty()) query.Use(patterns);
  if (!named.likes.empty() && !ShowsUnrecorded(readable)) query.Use(patterns);
}

}  // namespace koya::sql
