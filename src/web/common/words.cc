#include "web/common/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "web/common/embedded.h"

namespace koya::web {
namespace {

bool IsKeyChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

// "name", "section.name", "name:formatter".
bool IsPlaceholderName(std::string_view name) {
  return !name.empty() && name[0] != ':' && !name.ends_with(':') &&
         std::ranges::all_of(name, [](char c) { return IsKeyChar(c) || c == ':'; });
}

// Whether braces enclose names, and backticks come in pairs.
bool MarksClose(std::string_view text) {
  if (std::ranges::count(text, '`') % 2 != 0) return false;
  while (true) {
    std::size_t open = text.find_first_of("{}");
    if (open == text.npos) return true;
    std::size_t close = text.find('}', open);
    if (text[open] == '}' || close == text.npos) return false;
    if (!IsPlaceholderName(text.substr(open + 1, close - open - 1))) return false;
    text.remove_prefix(close + 1);
  }
}

Status ReadWordLine(std::string_view line, WordTable& words) {
  if (line.empty() || line.starts_with('#')) return {};
  std::size_t equals = line.find(" = ");
  if (equals == line.npos || equals + 3 == line.size()) {
    return FailInvalid("is not \"key = text\"");
  }
  std::string_view key = line.substr(0, equals);
  std::string_view text = line.substr(equals + 3);
  if (key.empty() || !std::ranges::all_of(key, IsKeyChar)) {
    return FailInvalid("has a key of other than a-z, 0-9, _ and dots");
  }
  if (text.starts_with(' ') || text.ends_with(' ') || text.ends_with('\r')) {
    return FailInvalid("has blanks around its text");
  }
  if (!MarksClose(text)) {
    return FailInvalid("has a brace or a backtick that encloses nothing");
  }
  if (!words.try_emplace(std::string(key), text).second) {
    return FailInvalid("has the key {} for a second time", key);
  }
  return {};
}

WordTable ReadEmbeddedWords(Language language) {
  std::string name = fmt::format("{}.words", LanguageCode(language));
  auto file = std::ranges::find(EmbeddedWords(), name, &EmbeddedFile::name);
  if (file == EmbeddedWords().end()) throw std::logic_error("there is no words/" + name);
  Result<WordTable> words = ParseWords(file->bytes);
  if (!words) throw std::logic_error(fmt::format("words/{}: {}", name, words.error().message));
  return *std::move(words);
}

// Adds the pieces of `text`, which is code or is not, but never both.
void AddPieces(std::string_view text, bool code, std::vector<WordPiece>& pieces) {
  while (!text.empty()) {
    std::size_t open = std::min(text.find('{'), text.size());
    if (open > 0) pieces.push_back({text.substr(0, open), false, code});
    text.remove_prefix(open);
    if (text.empty()) return;
    std::size_t close = text.find('}');
    pieces.push_back({text.substr(1, close - 1), true, code});
    text.remove_prefix(close + 1);
  }
}

struct TimeUnit {
  std::string_view name;
  std::int64_t seconds;
};

constexpr std::array<TimeUnit, 4> kTimeUnits{
    {{"days", 86400}, {"hours", 3600}, {"minutes", 60}, {"seconds", 1}}};

}  // namespace

Result<WordTable> ParseWords(std::string_view file) {
  WordTable words;
  for (std::size_t number = 1; !file.empty(); ++number) {
    std::size_t end = std::min(file.find('\n'), file.size());
    Status read = ReadWordLine(file.substr(0, end), words);
    if (!read) {
      return FailInvalid("line {} {}", number, read.error().message);
    }
    file.remove_prefix(std::min(end + 1, file.size()));
  }
  return words;
}

std::vector<WordPiece> WordPieces(std::string_view text) {
  std::vector<WordPiece> pieces;
  for (bool code = false; !text.empty(); code = !code) {
    std::size_t end = std::min(text.find('`'), text.size());
    AddPieces(text.substr(0, end), code, pieces);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return pieces;
}

const WordTable& WordsOf(Language language) {
  static const std::map<Language, WordTable> tables = [] {
    std::map<Language, WordTable> read;
    for (Language each : kLanguages) read.emplace(each, ReadEmbeddedWords(each));
    return read;
  }();
  return tables.at(language);
}

std::string_view Word(Language language, std::string_view key) {
  const WordTable& words = WordsOf(language);
  auto word = words.find(key);
  if (word == words.end()) {
    throw std::logic_error(fmt::format("words/{}.words has no {}", LanguageCode(language), key));
  }
  return word->second;
}

std::string FilledWord(Language language, std::string_view key, std::span<const Filling> fillings) {
  std::string text;
  for (const WordPiece& piece : WordPieces(Word(language, key))) {
    if (!piece.placeholder) {
      text += piece.text;
      continue;
    }
    auto filling = std::ranges::find(fillings, piece.text, &Filling::name);
    if (filling == fillings.end()) {
      throw std::logic_error(fmt::format("nothing fills in {{{}}} of {}", piece.text, key));
    }
    text += filling->value;
  }
  return text;
}

std::string DateText(Language language, UnixSeconds time) {
  auto day =
      std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds(std::chrono::seconds(time)));
  std::chrono::year_month_day date(day);
  std::string year = fmt::to_string(static_cast<int>(date.year()));
  std::string number = fmt::to_string(static_cast<unsigned>(date.day()));
  std::string_view month =
      Word(language, fmt::format("time.month_{}", static_cast<unsigned>(date.month())));
  const std::array<Filling, 3> fillings{{{"day", number}, {"month", month}, {"year", year}}};
  return FilledWord(language, "time.date", fillings);
}

std::string DurationText(Language language, std::chrono::seconds duration) {
  std::int64_t seconds = std::max<std::int64_t>(1, duration.count());
  auto unit = std::ranges::find_if(kTimeUnits, [seconds](const TimeUnit& candidate) {
    return seconds == candidate.seconds || seconds >= 2 * candidate.seconds;
  });
  std::int64_t number = (seconds + unit->seconds - 1) / unit->seconds;
  std::string count = fmt::to_string(number);
  const std::array<Filling, 1> fillings{{{"count", count}}};
  return FilledWord(language, fmt::format("time.{}_{}", unit->name, number == 1 ? "one" : "other"),
                    fillings);
}

}  // namespace koya::web
