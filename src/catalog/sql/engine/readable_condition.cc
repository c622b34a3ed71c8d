#include "catalog/sql/engine/readable_condition.h"

#include <fmt/format.h>

#include "base/text.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

// The set's parts: namespaces by visibility, by key, by a pattern of keys, and those without a
// record. {0}: the suffix of places after a key.
constexpr std::string_view kVisible =
    "SELECT v.name_key || '{0}' AS place FROM namespace v WHERE v.visibility IN ({1})";
// The same as far as a listing takes it: the first places that hold something. Each gives a row,
// but one, perhaps, of which only some follow what the listing is after.
constexpr std::string_view kFirstVisible =
    "SELECT {0}.place FROM (SELECT {1} AS place FROM namespace v WHERE v.visibility = '{0}'{2} "
    "ORDER BY {1} LIMIT {3}) {0}";
constexpr std::string_view kHolds =
    " AND (SELECT 1 FROM {0} WHERE {1} = {2} AND version_count > 0 LIMIT 1) = 1";
// Beyond that, all places at once cost less than to look into each.
constexpr std::uint64_t kMostTaken = 200;
constexpr std::string_view kNamed =
    " UNION ALL SELECT element || '{0}' FROM {{{{elements of}}}} :named {{{{end of elements}}}}";
constexpr std::string_view kMatching =
    " UNION ALL SELECT p.name_key || '{0}' FROM {{{{elements of}}}} :patterns "
    "{{{{end of elements}}}} CROSS JOIN namespace p WHERE p.name_key LIKE element ESCAPE '\\'";
// The same where a pattern begins with something: only what begins so, too, is looked at.
constexpr std::string_view kMatchingInRange =
    " UNION ALL SELECT p.name_key || '{0}' FROM {{{{ranges of}}}} :ranges {{{{end of ranges}}}} "
    "CROSS JOIN namespace p WHERE p.name_key >= first AND p.name_key < past AND "
    "p.name_key LIKE pattern ESCAPE '\\'";
constexpr std::string_view kUnrecorded =
    " UNION ALL SELECT {0} FROM {1} WHERE recorded IS NULL AND "
    "{2} NOT IN (SELECT r.name_key FROM namespace r)";
constexpr std::string_view kMatchesUnrecorded =
    " AND EXISTS (SELECT element FROM {{{{elements of}}}} :unrecorded {{{{end of elements}}}} "
    "WHERE {0} LIKE element ESCAPE '\\')";
constexpr std::string_view kMirrored = " UNION ALL SELECT '{0}'";
constexpr std::string_view kBounded = "SELECT s.place FROM ({}) s WHERE s.place{}:bound";

constexpr std::string_view kPlainPage = " ORDER BY {} LIMIT :limit OFFSET :offset";
// PostgreSQL takes the set for one of ten namespaces, whatever its size. If it knew how little a
// page is, it would now and then sort all that may be read rather than step through it in order.
constexpr std::string_view kPageByPlace =
    " ORDER BY {}{} LIMIT (SELECT CAST(:limit AS BIGINT)) OFFSET (SELECT CAST(:offset AS BIGINT))";

// A "*" stands for any run of characters, everything else for itself (MatchesGlob).
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

// What all that matches begins with, up to its last character that has a successor of one byte: a
// bound must be UTF-8, too.
std::string_view LiteralStart(std::string_view glob) {
  std::string_view start = glob.substr(0, glob.find('*'));
  while (!start.empty() && static_cast<unsigned char>(start.back()) >= 0x7f) start.remove_suffix(1);
  return start;
}

}  // namespace

ReadableCondition::ReadableCondition(const ReadableNamespaces& readable, const ListedRows& rows)
    : readable_(readable), rows_(rows) {
  if (readable.everything) return;
  for (const std::string& name : readable.named) {
    if (!IsStorable(name)) continue;  // matches nothing that is stored
    std::string key = AsciiLower(name);
    if (key.contains('*')) {
      AddPattern(named_, key);
    } else {
      named_.exact.push_back(std::move(key));
    }
  }
}

void ReadableCondition::AddPattern(Named& named, std::string_view glob) {
  std::string like = LikePattern(glob);
  const std::string first(LiteralStart(glob));
  if (first.empty()) {
    named.unbounded.push_back(like);
  } else {
    std::string past = first;
    ++past.back();
    named.ranges.push_back(JsonList(std::vector{first, past, like}));
  }
  named.likes.push_back(std::move(like));
}

// A longer key has the place of the namespace's key that it begins with.
void ReadableCondition::Within(std::string_view key) {
  if (key.empty()) return;
  bound_ = " = ";
  bound_value_ = fmt::format("{}{}", key.substr(0, key.find(rows_.ending)), rows_.ending);
}

// A row's place begins it, and ends with the row's first "/": what follows `after` has no place
// before that of `after`.
void ReadableCondition::After(std::string_view after) {
  if (after.empty() || !bound_.empty()) return;
  bound_ = " >= ";
  const bool whole = rows_.ending.empty() || !after.contains(rows_.ending);
  bound_value_ = whole ? after : after.substr(0, after.find(rows_.ending) + rows_.ending.size());
}

void ReadableCondition::Take(std::uint64_t rows) {
  if (rows <= kMostTaken) taken_ = rows + 1;
}

bool ReadableCondition::shows_unrecorded() const {
  return readable_.unrecorded == Visibility::kPublic ||
         (readable_.internal && readable_.unrecorded == Visibility::kInternal);
}

// By pattern; a key that was given is in the set whether or not it has a record.
bool ReadableCondition::asks_unrecorded() const {
  return !rows_.table.empty() && !shows_unrecorded() && !named_.likes.empty();
}

std::string ReadableCondition::Visible() const {
  if (taken_ == 0) {
    return fmt::format(kVisible, rows_.ending,
                       readable_.internal ? "'public', 'internal'" : "'public'");
  }
  const std::string place =
      rows_.ending.empty() ? "v.name_key" : fmt::format("v.name_key || '{}'", rows_.ending);
  const std::string holds =
      rows_.table.empty() ? "" : fmt::format(kHolds, rows_.table, rows_.place, place);
  auto first = [&](std::string_view visibility) {
    std::string that = holds;
    if (!bound_.empty()) that += fmt::format(" AND {}{}:bound_{}", place, bound_, visibility);
    return fmt::format(kFirstVisible, visibility, place, that, taken_);
  };
  return readable_.internal ? first("public") + " UNION ALL " + first("internal") : first("public");
}

std::string ReadableCondition::Set() const {
  std::string text = Visible();
  if (!named_.exact.empty()) text += fmt::format(kNamed, rows_.ending);
  if (!named_.ranges.empty()) text += fmt::format(kMatchingInRange, rows_.ending);
  if (!named_.unbounded.empty()) text += fmt::format(kMatching, rows_.ending);
  const bool unrecorded = !rows_.table.empty() && shows_unrecorded();
  if (unrecorded || asks_unrecorded()) {
    text += fmt::format(kUnrecorded, rows_.place, rows_.table, rows_.key);
  }
  if (asks_unrecorded()) text += fmt::format(kMatchesUnrecorded, rows_.key);
  if (readable_.mirrored && !rows_.mirrored.empty()) text += fmt::format(kMirrored, rows_.mirrored);
  return text;
}

std::string ReadableCondition::Text() const {
  if (readable_.everything) return "";
  std::string set = Set();
  if (!bound_.empty()) set = fmt::format(kBounded, set, bound_);
  if (rows_.looked_up) {
    return fmt::format(" AND ({} {{{{is looked up in}}}}{}{{{{end of looked up}}}}", rows_.place,
                       set);
  }
  return fmt::format(" AND {} {{{{is among}}}}{}{{{{end of among}}}}", rows_.place, set);
}

void ReadableCondition::Use(Query& query) const {
  if (readable_.everything) return;
  const bool bound_early = taken_ != 0 && !bound_.empty();
  if (bound_early) query.Use(bound_value_);
  if (bound_early && readable_.internal) query.Use(bound_value_);
  if (!named_.exact.empty()) query.Use(JsonList(named_.exact));
  if (!named_.ranges.empty()) query.Use(JsonRows(named_.ranges));
  if (!named_.unbounded.empty()) query.Use(JsonList(named_.unbounded));
  if (asks_unrecorded()) query.Use(JsonList(named_.likes));
  if (!bound_.empty()) query.Use(bound_value_);
}

std::string ReadableCondition::Page() const {
  if (readable_.everything) return fmt::format(kPlainPage, rows_.order);
  const std::string second = rows_.place == rows_.order ? "" : fmt::format(", {}", rows_.order);
  return fmt::format(kPageByPlace, rows_.place, second);
}

}  // namespace koya::sql
