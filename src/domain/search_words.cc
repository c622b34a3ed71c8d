#include "domain/search_words.h"

#include "base/text.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace koya {
namespace {

enum class Sort { kOther, kWord, kCjk, kJoiner };

struct Character {
  UChar32 code = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  Sort sort = Sort::kOther;
};

bool IsCjk(UChar32 c) {
  if (c < 0x1100) return false;
  UErrorCode failed = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(c, &failed);
  // The prolonged sound mark belongs to both kana, and to neither script.
  return script == USCRIPT_HAN || script == USCRIPT_HIRAGANA || script == USCRIPT_KATAKANA ||
         script == USCRIPT_HANGUL || c == 0x30FC;
}

Sort SortOf(UChar32 c) {
  if (c < 0) return Sort::kOther;
  if (c == '_' || c == '-' || c == '.' || c == '/') return Sort::kJoiner;
  const bool is_word = u_isalnum(c) != 0 || (U_GET_GC_MASK(c) & U_GC_M_MASK) != 0;
  if (!is_word) return Sort::kOther;
  return IsCjk(c) ? Sort::kCjk : Sort::kWord;
}

Character Read(std::string_view text, std::size_t at) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  auto next = static_cast<std::int64_t>(at);
  UChar32 code = 0;
  U8_NEXT(bytes, next, static_cast<std::int64_t>(text.size()), code);
  return {code, at, static_cast<std::size_t>(next), SortOf(code)};
}

void AppendUtf8(std::string* out, UChar32 code) {
  std::uint8_t bytes[U8_MAX_LENGTH];
  std::int32_t length = 0;
  U8_APPEND_UNSAFE(bytes, length, code);
  out->append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
}

std::string Folded(std::string_view text, std::size_t most) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Character c = Read(text, at);
    at = c.end;
    if (c.code < 0) continue;
    const std::size_t before = out.size();
    AppendUtf8(&out, u_foldCase(c.code, U_FOLD_CASE_DEFAULT));
    if (out.size() <= most) continue;
    out.resize(before);
    break;
  }
  return out;
}

bool IsUpper(const Character& c) { return u_isUUppercase(c.code) != 0; }
bool IsLower(const Character& c) { return u_isULowercase(c.code) != 0; }

class Splitter {
 public:
  Splitter(std::string_view text, std::size_t most) : text_(text), most_(most) {}

  std::vector<SearchWord> Split() && {
    for (std::size_t at = 0; at < text_.size() && !full();) {
      const Character c = Read(text_, at);
      if (c.sort == Sort::kCjk) {
        at = TakeCjk(at);
      } else if (c.sort == Sort::kWord) {
        at = TakeRun(at);
      } else {
        at = c.end;
      }
    }
    return std::move(words_);
  }

 private:
  bool full() const { return words_.size() >= most_; }

  void Add(std::size_t begin, std::size_t end, bool besides, bool cjk) {
    if (full()) return;
    // Folding makes a character at most three times as long in bytes: later bytes cannot matter.
    const std::string_view source =
        text_.substr(begin, std::min(end - begin, kLongestSearchWord * 4));
    words_.push_back({Folded(source, kLongestSearchWord), begin, end, besides, cjk});
  }

  // Each two neighbours, then the last one.
  std::size_t TakeCjk(std::size_t at) {
    Character last = Read(text_, at);
    bool alone = true;
    while (last.end < text_.size() && !full()) {
      const Character next = Read(text_, last.end);
      if (next.sort != Sort::kCjk) break;
      Add(last.begin, next.end, false, true);
      alone = false;
      last = next;
    }
    Add(last.begin, last.end, !alone, true);
    return last.end;
  }

  // Its parts, then the whole when there are several.
  std::size_t TakeRun(std::size_t at) {
    const std::size_t run_begin = at;
    std::size_t run_end = at;  // of its last part
    std::size_t parts = 0;
    while (at < text_.size() && !full()) {
      const Character c = Read(text_, at);
      if (c.sort == Sort::kWord) {
        run_end = at = TakePart(at);
        ++parts;
      } else if (c.sort == Sort::kJoiner) {
        at = c.end;
      } else {
        break;
      }
    }
    if (parts > 1) Add(run_begin, run_end, true, false);
    return std::max(at, run_end);
  }

  // Up to where a word begins inside: before a capital after none, and before the last capital of
  // several when a small letter follows: "HTTPServer" is "http" and "server".
  std::size_t TakePart(std::size_t at) {
    const std::size_t begin = at;
    Character last = Read(text_, at);
    while (last.end < text_.size()) {
      const Character next = Read(text_, last.end);
      if (next.sort != Sort::kWord) break;
      if (IsUpper(next)) {
        const bool after_small = !IsUpper(last);
        const bool before_small = IsSmallFrom(next.end);
        if (after_small || before_small) break;
      }
      last = next;
    }
    Add(begin, last.end, false, false);
    return last.end;
  }

  // Whether a word goes on in small letters here: "VPCs" has none but its plural's.
  bool IsSmallFrom(std::size_t at) const {
    if (at >= text_.size()) return false;
    const Character small = Read(text_, at);
    if (!IsLower(small)) return false;
    if (small.code != 's') return true;
    return small.end < text_.size() && IsLower(Read(text_, small.end));
  }

  const std::string_view text_;
  const std::size_t most_;
  std::vector<SearchWord> words_;
};

}  // namespace

std::vector<SearchWord> SplitSearchWords(std::string_view text, std::size_t most) {
  return Splitter(text, most).Split();
}

std::string FoldForSearch(std::string_view text) { return Folded(text, text.size() * 4); }

namespace {

std::vector<std::string_view> LettersOf(std::string_view word) {
  std::vector<std::string_view> letters;
  for (std::size_t at = 0; at < word.size();) {
    std::size_t end = at + 1;
    while (end < word.size() && IsContinuation(word[end])) ++end;
    letters.push_back(word.substr(at, end - at));
    at = end;
  }
  return letters;
}

}  // namespace

bool IsForgivable(std::string_view word) {
  if (word.size() > 128) return false;
  const std::size_t letters = LettersOf(word).size();
  const bool digits = std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
  return letters >= 5 && letters <= 32 && !digits;
}

std::vector<std::string> SpellingPieces(std::string_view word) {
  std::vector<std::string> pieces{std::string(word)};
  for (std::string_view letter : LettersOf(word)) {
    const auto at = static_cast<std::size_t>(letter.data() - word.data());
    pieces.push_back(std::string(word.substr(0, at)).append(word.substr(at + letter.size())));
  }
  std::ranges::sort(pieces);
  pieces.erase(std::ranges::unique(pieces).begin(), pieces.end());
  return pieces;
}

bool IsNearlySpelt(std::string_view a, std::string_view b) {
  std::vector<std::string_view> one = LettersOf(a), two = LettersOf(b);
  if (one.size() > two.size()) std::swap(one, two);
  if (two.size() - one.size() > 1) return false;
  const auto [at_one, at_two] = std::ranges::mismatch(one, two);
  const auto at = static_cast<std::size_t>(at_one - one.begin());
  if (at_two == two.end()) return true;
  auto same_after = [&](std::size_t in_one, std::size_t in_two) {
    return std::ranges::equal(one.begin() + static_cast<std::ptrdiff_t>(in_one), one.end(),
                              two.begin() + static_cast<std::ptrdiff_t>(in_two), two.end());
  };
  if (one.size() < two.size()) return same_after(at, at + 1);
  if (same_after(at + 1, at + 1)) return true;
  return at + 1 < one.size() && one[at] == two[at + 1] && one[at + 1] == two[at] &&
         same_after(at + 2, at + 2);
}

}  // namespace koya
