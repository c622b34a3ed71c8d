// Searches and the words of texts: limits hold, positions are in the text, and a text's own word,
// when searched for, is found and marked in it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "domain/search_document.h"
#include "domain/search_highlight.h"
#include "domain/search_query.h"
#include "domain/search_words.h"

namespace {

void CheckWords(std::string_view text) {
  constexpr std::size_t kMost = 200;
  const auto words = koya::SplitSearchWords(text, kMost);
  if (words.size() > kMost) std::abort();
  for (const koya::SearchWord& word : words) {
    if (word.text.empty() || word.text.size() > koya::kLongestSearchWord) std::abort();
    if (word.begin >= word.end || word.end > text.size()) std::abort();
    if (!koya::IsUtf8(word.text)) std::abort();
    if (word.text.find_first_of(" |\"'\\:%") != std::string::npos) std::abort();
    if (!koya::IsForgivable(word.text)) continue;
    for (const std::string& piece : koya::SpellingPieces(word.text)) {
      if (!koya::IsUtf8(piece) || !koya::IsNearlySpelt(piece, word.text)) std::abort();
    }
  }
}

void CheckMarks(std::string_view text, const std::vector<koya::TextRange>& marks) {
  std::size_t at = 0;
  for (const koya::TextRange& mark : marks) {
    if (mark.begin < at || mark.end < mark.begin || mark.end > text.size()) std::abort();
    at = mark.end;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = std::min(input.find('\n'), input.size());
  const std::string_view text = input.substr(std::min(cut + 1, input.size()));
  CheckWords(text);
  if (koya::SearchFacet('u', text).size() > 4 * koya::kLongestFacet + 2) std::abort();
  const auto query = koya::SearchQuery::Parse(input.substr(0, cut));
  if (!query) {
    if (query.error().message.empty()) std::abort();  // a refusal without a reason
    return 0;
  }
  if (query->terms().size() > koya::kMostSearchParts) std::abort();
  for (const koya::SearchTerm& term : query->terms()) {
    if (term.words.empty()) std::abort();
  }
  const auto matches = koya::FindMatches(text, query->terms());
  CheckMarks(text, matches);
  const koya::Snippet snippet = koya::MakeSnippet(text, matches);
  if (snippet.text.size() > koya::kLongestSnippet) std::abort();
  CheckMarks(snippet.text, snippet.marks);
  return 0;
}
