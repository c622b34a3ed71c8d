#include "catalog/sql/search/search_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

// The number of entries and the last of them; the least share of a common word; then those of
// words.
constexpr Statement kFindShares{
    "find_search_word_shares",
    "SELECT 0 AS place, CAST(c.reltuples AS BIGINT) AS number, "
    "(SELECT COALESCE(MAX(id), 0) FROM search_entry) AS last_id, '' AS word "
    "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE n.nspname = current_schema() AND c.relname = :index "
    "UNION ALL SELECT CASE WHEN e.word IS NULL THEN 1 ELSE 2 END, "
    "CAST(e.share * 1000000 AS BIGINT), 0, COALESCE(e.word, '') "
    "FROM pg_stats s CROSS JOIN LATERAL "
    "unnest(CAST(CAST(s.most_common_elems AS TEXT) AS TEXT[]), s.most_common_elem_freqs) "
    "AS e (word, share) WHERE s.schemaname = current_schema() AND s.tablename = :index "
    "AND (e.word IS NULL OR "
    "e.word IN (SELECT element FROM {{elements of}} :words {{end of elements}}))"};

// So many are fetched and put in order as quickly as a step is asked for.
constexpr double kFewEnough = 3000;
// The part of the wanted entries that the first step is expected to find. Little, since words are
// not spread evenly: an entry with one word of a search has the others more often. A step that
// finds nothing takes as long.
constexpr double kExpected = 0.2;
constexpr double kExpectedOfKinds = 1;
// Of what the least of the common words has: what others have.
constexpr double kShareOfLeast = 0.2;
// Of a beginning: it may be anything.
constexpr double kShareOfBeginning = 0.1;
// The powers of two that the index has (dialect.cc), and by what a step is larger than the one
// before.
constexpr int kSmallest = 10;
constexpr int kLargest = 22;
constexpr int kBetween = 2;
constexpr int kNextStep = 2;
constexpr int kNextStepOfKinds = 4;
// Entries that others add between this statement and the next.
constexpr std::int64_t kPublishedMeanwhile = std::int64_t{1} << 32;

// A tsquery, as far as MatchedWords writes one: words in quotes, ":*", parentheses, & | !.
class ShareReader {
 public:
  ShareReader(std::string_view text, const WordShares& shares) : text_(text), shares_(shares) {}

  double Read() { return ReadAny(); }

 private:
  double ReadAny() {
    double none = 1 - ReadAll();
    while (Take('|')) none *= 1 - ReadAll();
    return 1 - none;
  }
  double ReadAll() {
    double all = ReadOne();
    while (Take('&')) all *= ReadOne();
    return all;
  }
  double ReadOne() {
    if (Take('!')) return 1 - ReadOne();
    if (Take('(')) {
      const double inside = ReadAny();
      Take(')');
      return inside;
    }
    if (!Take('\'')) {  // which MatchedWords does not write
      at_ = text_.size();
      return 1;
    }
    const std::size_t end = std::min(text_.find('\'', at_), text_.size());
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    if (Take(':')) {
      Take('*');
      return kShareOfBeginning;
    }
    const auto known = shares_.of.find(word);
    return known == shares_.of.end() ? shares_.of_others : known->second;
  }
  bool Take(char sign) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ >= text_.size() || text_[at_] != sign) return false;
    ++at_;
    return true;
  }

  const std::string_view text_;
  const WordShares& shares_;
  std::size_t at_ = 0;
};

std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t begin = text.find('\''); begin < text.size();) {
    const std::size_t end = std::min(text.find('\'', begin + 1), text.size());
    words.emplace_back(text.substr(begin + 1, end - begin - 1));
    begin = text.find('\'', end + 1);
  }
  std::ranges::sort(words);
  words.erase(std::ranges::unique(words).begin(), words.end());
  return words;
}

std::string_view IndexName(IndexedVersions versions) {
  return versions == IndexedVersions::kNewest ? "search_entry_newest_words"
                                              : "search_entry_older_words";
}

}  // namespace

WordShares FindWordShares(Session& session, IndexedVersions versions, std::string_view text) {
  constexpr std::int64_t kOfIndex = 0;
  constexpr std::int64_t kOfWord = 2;
  const std::string_view index = IndexName(versions);
  const std::string words = JsonList(WordsOf(text));
  WordShares shares;
  std::int64_t place = 0, number = 0, last_id = 0;
  std::string word;
  Query query(session, kFindShares);
  query.Use(index).Use(index).Use(words);
  query.Into(place).Into(number).Into(last_id).Into(word);
  while (query.Next()) {
    const double share = static_cast<double>(number) / 1e6;
    if (place == kOfIndex) {
      shares.entries = static_cast<double>(std::max<std::int64_t>(number, 0));
      shares.last_id = last_id;
    } else if (place == kOfWord) {
      shares.of.emplace(word, share);
    } else {  // the least, and after it the greatest
      shares.of_others = std::min(shares.of_others, share * kShareOfLeast);
    }
  }
  return shares;
}

double EstimateShare(std::string_view text, const WordShares& shares) {
  return ShareReader(text, shares).Read();
}

std::vector<SearchStep> InSteps(const std::string& text, std::uint64_t wanted, bool of_kinds,
                                const WordShares& shares) {
  const double share = EstimateShare(text, shares);
  const double least = (of_kinds ? kExpectedOfKinds : kExpected) * static_cast<double>(wanted);
  std::int64_t below_id = shares.last_id + kPublishedMeanwhile;
  std::vector<SearchStep> steps;
  int power = kSmallest;
  const auto expected = [&] { return share * static_cast<double>(std::int64_t{1} << power); };
  while (power <= kLargest && expected() < least) power += kBetween;
  const bool few = shares.entries > 0 && share * shares.entries <= kFewEnough;
  // Two parts, as the last may have only just begun.
  for (; !few && power <= kLargest; power += of_kinds ? kNextStepOfKinds : kNextStep) {
    const std::int64_t last = shares.last_id >> power;
    if (last <= 2) break;
    const int sign = (power - kSmallest) / kBetween;
    steps.push_back(
        {.words = fmt::format("({0}) & ('{1}={2}' | '{1}={3}')", text, sign, last, last - 1),
         .below_id = below_id});
    below_id = (last - 1) << power;
  }
  steps.push_back({.words = text, .below_id = below_id});
  return steps;
}

}  // namespace koya::sql
