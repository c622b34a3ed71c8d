#include "catalog/sql/search/search_words.h"

#include <algorithm>
#include <limits>

#include "base/text.h"

namespace koya::sql {
namespace {

constexpr std::size_t kMostWords = 16;

}  // namespace

std::vector<std::string> SearchWords(std::string_view query) {
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

std::uint64_t RowsUpTo(const PageRequest& page) {
  const std::uint64_t limit = std::min(page.limit, kLongestPage) + 1;
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return page.offset > most - limit ? most : page.offset + limit;
}

std::string Containing(std::string_view word) {
  std::string pattern = "%";
  for (char c : word) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern + "%";
}

}  // namespace koya::sql
