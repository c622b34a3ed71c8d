// A table of the pages' words: one file per language in words/, all with the same keys.
//
//   # a remark
//   sign_in.wrong = That user name and password do not go together.
//   denied.again = To try again, run `tofu login {host}` once more.
//
// {name} is filled in by the caller; `…` is code. Neither is nested, and braces and backticks have
// no other use.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "web/common/language.h"

namespace koya::web {

using WordTable = std::map<std::string, std::string, std::less<>>;  // text by key

// Parses a file of words. Fails (kInvalid) at the first line that is not "key = text" with a unique
// lower-case key, a text, and closed marks; the message names the line.
Result<WordTable> ParseWords(std::string_view file);

// A piece of a text: words, a name to be filled in, or either within code.
struct WordPiece {
  std::string_view text;  // or the name, without its braces
  bool placeholder = false;
  bool code = false;
  friend bool operator==(const WordPiece&, const WordPiece&) = default;
};

// The pieces of a text that ParseWords has accepted; they point into it.
std::vector<WordPiece> WordPieces(std::string_view text);

// The words of a language. Read at the first call; thread-safe.
const WordTable& WordsOf(Language language);

// Throws std::logic_error for a key that no file has: a bug of the caller.
std::string_view Word(Language language, std::string_view key);

struct Filling {
  std::string_view name;
  std::string_view value;
};

// A word with all its names filled in, as plain text without escaping. Throws std::logic_error for
// a name without a filling.
std::string FilledWord(Language language, std::string_view key, std::span<const Filling> fillings);

// ---- times and durations in the words of a language

// "18 Nov 2026", "2026年11月18日": the day in UTC.
std::string DateText(Language language, UnixSeconds time);

// "90 days", "12 hours", "5 minutes", "1 second": in the largest unit with a value of two or more
// (or exactly one), rounded up, so that waiting that long is enough. At least one second.
std::string DurationText(Language language, std::chrono::seconds duration);

}  // namespace koya::web
