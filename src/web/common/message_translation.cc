#include "web/common/message_translation.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "web/common/words.h"

namespace koya::web {
namespace {

constexpr std::string_view kSayPrefix = "say.";

struct Saying {
  std::string_view key;
  std::vector<WordPiece> pieces;
};

std::vector<Saying> ReadSayings() {
  std::vector<Saying> sayings;
  const WordTable& words = WordsOf(Language::kEnglish);
  for (auto word = words.lower_bound(kSayPrefix); word != words.end(); ++word) {
    if (!word->first.starts_with(kSayPrefix)) break;
    sayings.push_back({word->first, WordPieces(word->second)});
  }
  return sayings;
}

// One reading of a text as a saying.
using Reading = std::map<std::string_view, std::string_view>;

// Finds the ways in which `text` is those pieces: two are enough to know that it is not one.
class SayingReader {
 public:
  explicit SayingReader(std::span<const WordPiece> pieces) : pieces_(pieces) {}

  std::vector<Reading> Read(std::string_view text) {
    Match(0, text, {});
    return std::move(readings_);
  }

 private:
  // How much is tried for one text.
  static constexpr std::size_t kMostTries = 2000;

  void Match(std::size_t at, std::string_view text, const Reading& so_far) {
    if (readings_.size() > 1 || ++tries_ > kMostTries) return;
    if (at == pieces_.size()) {
      if (text.empty()) readings_.push_back(so_far);
      return;
    }
    const WordPiece& piece = pieces_[at];
    if (!piece.placeholder) {
      if (text.starts_with(piece.text)) Match(at + 1, text.substr(piece.text.size()), so_far);
      return;
    }
    Reading reading = so_far;
    if (at + 1 == pieces_.size()) {
      reading[piece.text] = text;
      return Match(at + 1, {}, reading);
    }
    const std::string_view next = pieces_[at + 1].text;
    for (std::size_t end = text.find(next); end != text.npos; end = text.find(next, end + 1)) {
      reading[piece.text] = text.substr(0, end);
      Match(at + 1, text.substr(end), reading);
    }
  }

  std::span<const WordPiece> pieces_;
  std::vector<Reading> readings_;
  std::size_t tries_ = 0;
};

}  // namespace

MessageTranslation SayIn(Language language, std::string_view english) {
  static const std::vector<Saying> sayings = ReadSayings();
  if (language == Language::kEnglish) return {std::string(english), language};
  for (const Saying& saying : sayings) {
    const std::vector<Reading> readings = SayingReader(saying.pieces).Read(english);
    if (readings.size() != 1) continue;
    std::vector<Filling> fillings;
    for (const auto& [name, value] : readings[0]) fillings.push_back({name, value});
    return {FilledWord(language, saying.key, fillings), language};
  }
  return {std::string(english), Language::kEnglish};
}

MessageTranslation NameIn(Language language, std::string_view english) {
  MessageTranslation whole = SayIn(language, english);
  const std::size_t colon = english.find(": ");
  if (whole.language == language || colon == english.npos) return whole;
  MessageTranslation rest = SayIn(language, english.substr(colon + 2));
  rest.text.insert(0, english.substr(0, colon + 2));
  return rest;
}

}  // namespace koya::web
