#include "catalog/sql/search/search_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "catalog/sql/engine/engine.h"
#include "catalog/sql/engine/query.h"

namespace koya::sql {
namespace {

// Of an FTS5 table with our tokenizer (dialect.cc): what joins words within one, and the first of
// all signs that a word may go on with.
constexpr std::string_view kJoints = "+-./:_";
constexpr char kFirstSign = '+';
constexpr std::size_t kMostSteps = 2 * kMostWordsThatBegin;

constexpr Statement kNextWord{"find_next_search_word",
                              "SELECT term FROM temp.search_newest_words WHERE term >= :from "
                              "LIMIT 1"};

// On PostgreSQL, which keeps no words that are joined; of each place.
constexpr Statement kListWords{
    "list_search_words",
    "(SELECT word FROM search_word WHERE word >= :first ORDER BY word LIMIT :most) UNION ALL "
    "(SELECT word FROM search_word WHERE word >= :second ORDER BY word LIMIT :most) UNION ALL "
    "(SELECT word FROM search_word WHERE word >= :third ORDER BY word LIMIT :most)"};
static_assert(kPlacesOfWords.size() == 3);

// Asked on SQLite alone: PostgreSQL would put all rows together before it counts the first.
constexpr Statement kCountRows{
    "count_rows_with_words",
    "SELECT COUNT(*) FROM (SELECT {{newest row}} FROM {{newest words}} :words {{end of words}} "
    "LIMIT :most) found"};
constexpr Statement kCountOlderRows{
    "count_older_rows_with_words",
    "SELECT COUNT(*) FROM (SELECT {{older row}} FROM {{older words}} :words {{end of words}} "
    "LIMIT :most) found"};

bool HasRows(Session& session, const Statement& statement, const std::string& words,
             std::uint64_t most) {
  std::int64_t rows = 0;
  Query query(session, statement);
  query.Use(words).Use(static_cast<std::int64_t>(most)).Into(rows);
  query.Next();
  return static_cast<std::uint64_t>(rows) >= most;
}

std::string NextWord(Session& session, const std::string& from) {
  std::string word;
  Query query(session, kNextWord);
  query.Use(from).Into(word);
  return query.Next() ? word : "";
}

// From word to word, past all that is joined with a sign: its first part is a word of the same
// entry. nullopt: there are too many.
std::optional<std::vector<std::string>> WordsThatBegin(Session& session,
                                                       const std::string& beginning) {
  std::vector<std::string> words{beginning};
  std::string from = beginning + kFirstSign;
  for (std::size_t step = 0; step < kMostSteps; ++step) {
    std::string word = NextWord(session, from);
    if (!word.starts_with(beginning)) return words;
    const std::size_t joint = word.find_first_of(kJoints, beginning.size());
    if (joint != std::string::npos) {
      from = word.substr(0, joint) + static_cast<char>(word[joint] + 1);
    } else if (words.size() > kMostWordsThatBegin) {
      return std::nullopt;
    } else {
      from = word + kFirstSign;
      words.push_back(std::move(word));
    }
  }
  return std::nullopt;
}

void ListWordsThatBegin(Session& session, const std::string& beginning, PrefixExpansions* found) {
  std::string word;
  PrefixExpansions listed;
  Query query(session, kListWords);
  for (char place : kPlacesOfWords) {
    const std::string key = fmt::format("{}:{}", place, beginning);
    listed.emplace(key, std::vector{key});
    query.Use(key).Use(static_cast<std::int64_t>(kMostOnPostgres + 1));
  }
  query.Into(word);
  while (query.Next()) {
    for (auto& [key, words] : listed) {
      if (word.starts_with(key) && word != key) words.push_back(word);
    }
  }
  for (auto& [key, words] : listed) {
    if (words.size() <= kMostOnPostgres) found->emplace(key, std::move(words));
  }
}

// The words of a term that are searched as prefixes.
std::vector<std::string> BeginningsOf(const SearchTerm& term) {
  std::vector<std::string> all;
  if (!term.begins) return all;
  all.push_back(term.words.back());
  std::ranges::copy(term.alternatives, std::back_inserter(all));
  return all;
}

}  // namespace

PrefixExpansions FindBeginnings(Session& session, const SearchQuery& search) {
  const bool sqlite = session.dialect() == Dialect::kSqlite;
  PrefixExpansions found;
  for (const SearchTerm& term : search.terms()) {
    for (const std::string& word : BeginningsOf(term)) {
      const bool indexed = sqlite && CountCharacters(word) <= kLongestIndexedBeginning;
      if (indexed || word.find_first_of(kJoints) != std::string::npos) continue;
      if (!sqlite) {
        ListWordsThatBegin(session, word, &found);
        continue;
      }
      for (char place : kPlacesOfWords) {
        const std::string beginning = fmt::format("{}:{}", place, word);
        auto words = WordsThatBegin(session, beginning);
        if (words) found.emplace(beginning, *std::move(words));
      }
    }
  }
  return found;
}

void NoteWordsThatBegin(std::string_view words, std::set<std::string>* noted) {
  constexpr std::size_t kPlace = 2;  // "n:"
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find(' ', begin), words.size());
    const std::string_view word = words.substr(begin, end - begin);
    begin = end + 1;
    const bool of_text = word.size() > kPlace && word[1] == ':' && kPlacesOfWords.contains(word[0]);
    if (of_text && word.find_first_of(kJoints, kPlace) == word.npos) noted->emplace(word);
  }
}

bool MayHaveWords(Session& session, const std::string& words, std::uint64_t most,
                  std::uint64_t most_older) {
  if (HasRows(session, kCountRows, words, most)) return true;
  return most_older > 0 && HasRows(session, kCountOlderRows, words, most_older);
}

}  // namespace koya::sql
