#include "domain/search_highlight.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "domain/search_query.h"
#include "domain/search_words.h"

namespace koya {
namespace {

constexpr std::size_t kBeforeMatch = 60;  // bytes
constexpr std::size_t kMostMarkedWords = 2000;

bool IsWord(const SearchWord& found, const std::string& wanted, bool begins) {
  return begins ? found.text.starts_with(wanted) : found.text == wanted;
}

// Of a character that begins a pair, the pair's other half did not match.
std::size_t EndOfMatch(const SearchWord& found, const std::string& wanted) {
  return found.cjk ? std::min(found.end, found.begin + wanted.size()) : found.end;
}

void AddMatches(std::span<const SearchWord> words, const std::vector<std::string>& wanted,
                bool begins, std::vector<TextRange>* ranges) {
  for (std::size_t i = 0; i + wanted.size() <= words.size(); ++i) {
    bool all = true;
    for (std::size_t j = 0; all && j < wanted.size(); ++j) {
      all = IsWord(words[i + j], wanted[j], begins && j + 1 == wanted.size());
    }
    if (!all) continue;
    const SearchWord& last = words[i + wanted.size() - 1];
    ranges->push_back({words[i].begin, EndOfMatch(last, wanted.back())});
  }
}

std::vector<TextRange> Merged(std::vector<TextRange> ranges) {
  std::ranges::sort(ranges, {}, [](const TextRange& r) { return std::pair(r.begin, r.end); });
  std::vector<TextRange> merged;
  for (const TextRange& range : ranges) {
    if (!merged.empty() && range.begin <= merged.back().end) {
      merged.back().end = std::max(merged.back().end, range.end);
    } else {
      merged.push_back(range);
    }
  }
  return merged;
}

bool IsInside(std::string_view text, std::size_t at) {
  return at < text.size() && IsContinuation(text[at]);
}

}  // namespace

std::vector<TextRange> FindMatches(std::string_view text, std::span<const SearchTerm> terms) {
  std::vector<SearchWord> side_by_side, others;
  for (SearchWord& word : SplitSearchWords(text, kMostMarkedWords)) {
    (word.besides ? others : side_by_side).push_back(std::move(word));
  }
  std::vector<TextRange> ranges;
  for (const SearchTerm& term : terms) {
    std::vector<std::vector<std::string>> ways{term.words};
    for (const std::string& alternative : term.alternatives) ways.push_back({alternative});
    for (const auto& way : ways) {
      const std::size_t before = ranges.size();
      AddMatches(side_by_side, way, term.begins, &ranges);
      const bool found = ranges.size() > before;
      if (!found && way.size() == 1) AddMatches(others, way, term.begins, &ranges);
    }
  }
  return Merged(std::move(ranges));
}

Snippet MakeSnippet(std::string_view text, std::span<const TextRange> matches) {
  std::size_t begin = 0;
  const std::size_t first = matches.empty() ? 0 : matches.front().begin;
  if (text.size() > kLongestSnippet && first > kBeforeMatch) {
    begin = first - kBeforeMatch;
    const std::size_t blank = text.find_first_of(" \n\t", begin);
    if (blank < first) begin = blank + 1;
    while (IsInside(text, begin)) ++begin;
  }
  const std::string_view part = CutUtf8(text.substr(begin), kLongestSnippet);
  Snippet snippet{std::string(part), {}};
  for (const TextRange& match : matches) {
    if (match.begin < begin || match.begin >= begin + part.size()) continue;
    snippet.marks.push_back({match.begin - begin, std::min(match.end - begin, part.size())});
  }
  return snippet;
}

void MarkHit(SearchHit* hit, std::string_view text, std::span<const SearchTerm> terms) {
  const std::pair<SearchField, std::string_view> kFields[] = {{SearchField::kName, hit->name},
                                                              {SearchField::kTitle, hit->title},
                                                              {SearchField::kText, text}};
  Snippet snippet = MakeSnippet(hit->title.empty() ? hit->name : hit->title, {});
  hit->field = hit->title.empty() ? SearchField::kName : SearchField::kTitle;
  for (const auto& [field, content] : kFields) {
    const std::vector<TextRange> matches = FindMatches(content, terms);
    if (matches.empty()) continue;
    hit->field = field;
    snippet = MakeSnippet(content, matches);
    break;
  }
  hit->snippet = std::move(snippet.text);
  hit->marks = std::move(snippet.marks);
}

std::string_view WhyFound(const SearchHit& hit, const SearchQuery& query) {
  const bool is_package = hit.kind == hit.subject_kind;
  if (hit.marks.empty()) {
    if (is_package && !FindMatches(hit.address, query.terms()).empty()) return "address";
    const bool of_provider =
        std::ranges::any_of(query.terms(), [](const auto& term) { return !term.provider.empty(); });
    if (of_provider || !query.needs().empty()) return "needs";
    if (!query.uses().empty()) return "uses";
    return query.calls().empty() ? "" : "calls";
  }
  if (hit.field == SearchField::kName) return "name";
  const bool is_page = hit.kind >= SearchKind::kDoc;
  if (hit.field == SearchField::kTitle) return is_page ? "title" : "description";
  const bool has_readme =
      is_package || hit.kind == SearchKind::kSubmodule || hit.kind == SearchKind::kExample;
  return has_readme ? "readme" : "text";
}

}  // namespace koya
