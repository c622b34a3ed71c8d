#include "inspect/documents.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/text.h"

namespace koya::inspect {
namespace {

// How many bytes the character at the beginning of `text` has; 0: it is none.
std::size_t CharacterLength(std::string_view text) {
  auto first = static_cast<unsigned char>(text.front());
  std::size_t length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  return text.size() >= length && IsUtf8(text.substr(0, length)) ? length : 0;
}

// Cut behind the last whole line that fits.
std::string_view Cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t newline = text.rfind('\n', most - 1);
  if (newline != text.npos && newline > 0) return text.substr(0, newline + 1);
  return CutUtf8(text, most);
}

std::string_view TrimmedText(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

bool IsVersionCharacter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
         c == '-' || c == '+';
}

// Whether `line` names the version: not as a part of another ("11.2.3", "1.2.3-rc1").
bool NamesVersion(std::string_view line, std::string_view version) {
  for (std::size_t at = line.find(version); at != line.npos; at = line.find(version, at + 1)) {
    std::string_view before = line.substr(0, at);
    std::string_view after = line.substr(at + version.size());
    if (before.ends_with('v') || before.ends_with('V')) before.remove_suffix(1);
    bool begins = before.empty() || !IsVersionCharacter(before.back());
    while (after.starts_with('.') && (after.size() == 1 || after[1] == ' ')) after.remove_prefix(1);
    if (begins && (after.empty() || !IsVersionCharacter(after.front()))) return true;
  }
  return false;
}

// The level of "## …", 0 for other lines.
std::size_t HeadingLevel(std::string_view line) {
  std::size_t level = std::min(line.find_first_not_of('#'), line.size());
  bool heading = level >= 1 && level <= 6 && (level == line.size() || line[level] == ' ');
  return heading ? level : 0;
}

// The level of a heading by the line below it, 0 when it is none.
std::size_t UnderlineLevel(std::string_view below) {
  below = TrimmedText(below);
  if (below.size() < 3) return 0;
  if (below.find_first_not_of('=') == below.npos) return 1;
  return below.find_first_not_of('-') == below.npos ? 2 : 0;
}

// Walks over the lines of a Markdown text, and knows its headings.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}

  bool Next() {
    level_ = 0;
    if (at_ >= text_.size()) return false;
    begin_ = at_;
    line_ = TakeLine();
    std::string_view trimmed = TrimmedText(line_);
    if (trimmed.starts_with("```") || trimmed.starts_with("~~~")) fenced_ = !fenced_;
    if (fenced_) return true;
    level_ = HeadingLevel(line_);
    if (level_ > 0 || trimmed.empty()) return true;
    std::size_t after = at_;
    level_ = at_ < text_.size() ? UnderlineLevel(TakeLine()) : 0;
    if (level_ == 0) at_ = after;
    return true;
  }
  std::size_t level() const { return level_; }  // of a heading, else 0
  std::string_view line() const { return line_; }
  std::size_t begin() const { return begin_; }
  std::size_t end() const { return at_; }

 private:
  std::string_view TakeLine() {
    std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  std::string_view text_;
  std::string_view line_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;
  std::size_t level_ = 0;
  bool fenced_ = false;
};

}  // namespace

std::string GuessLanguage(std::string_view text) {
  std::size_t kana = 0;
  std::size_t han = 0;
  std::size_t letters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    if (c >= 'A' && c <= 'z') ++letters;
    if ((c & 0xF0) != 0xE0 || i + 2 >= text.size()) continue;
    auto code = static_cast<std::uint32_t>((c & 0x0F) << 12 | (text[i + 1] & 0x3F) << 6 |
                                           (text[i + 2] & 0x3F));
    if (code >= 0x3040 && code <= 0x30FF) ++kana;
    if (code >= 0x4E00 && code <= 0x9FFF) ++han;
    i += 2;
  }
  if ((kana + han) * 20 < letters) return "en";
  if (kana > 0) return "ja";
  return han > 0 ? "zh" : "en";
}

std::string CleanText(std::string_view text) {
  if (IsUtf8(text)) return std::string(text);
  std::string out;
  while (!text.empty()) {
    std::size_t length = CharacterLength(text);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

Readme ReadReadme(std::string file, std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  std::string_view kept = Cut(text, kMaxReadme);
  Readme readme{.file = std::move(file), .text = CleanText(kept), .cut = kept.size() < text.size()};
  readme.has_generated_docs = kept.find("<!-- BEGIN_TF_DOCS -->") != kept.npos;
  readme.language = GuessLanguage(readme.text);
  return readme;
}

std::string ChangelogSection(std::string_view text, std::string_view version) {
  if (version.empty()) return {};
  Lines lines(text);
  while (lines.Next() && (lines.level() == 0 || !NamesVersion(lines.line(), version))) {
  }
  if (lines.level() == 0) return {};
  std::size_t level = lines.level();
  std::size_t begin = lines.end();
  std::size_t end = text.size();
  while (lines.Next()) {
    if (lines.level() == 0 || lines.level() > level) continue;
    end = lines.begin();
    break;
  }
  return CleanText(Cut(TrimmedText(text.substr(begin, end - begin)), kMaxChangelog));
}

namespace {

// Licences are recognized by words; a longer text is not a licence.
constexpr std::size_t kMaxLicence = 256 << 10;
// Where titles stand: further below licences name one another.
constexpr std::size_t kTitle = 400;

struct Fingerprint {
  std::string_view spdx;
  // All of them stand in it, in letters of one case and with single blanks.
  std::array<std::string_view, 3> words;
  bool in_title = false;
};

// The first that fits counts: those that name others stand before them.
constexpr std::array<Fingerprint, 20> kLicences{{
    {"MPL-2.0", {"mozilla public license", "version 2.0", ""}, true},
    {"AGPL-3.0", {"gnu affero general public license", "version 3", ""}, true},
    {"LGPL-3.0", {"gnu lesser general public license", "version 3", ""}, true},
    {"LGPL-2.1", {"gnu lesser general public license", "version 2.1", ""}, true},
    {"GPL-3.0", {"gnu general public license", "version 3", ""}, true},
    {"GPL-2.0", {"gnu general public license", "version 2", ""}, true},
    {"BUSL-1.1", {"business source license", "licensor", ""}, true},
    {"EPL-2.0", {"eclipse public license", "v 2.0", ""}, true},
    {"EUPL-1.2", {"european union public licence", "1.2", ""}, true},
    {"Apache-2.0", {"apache license", "version 2.0", ""}, true},
    {"CC0-1.0", {"cc0 1.0 universal", "", ""}},
    {"CC-BY-4.0", {"creative commons attribution 4.0 international", "", ""}},
    {"Unlicense", {"this is free and unencumbered software", "public domain", ""}},
    {"BSL-1.0", {"boost software license", "version 1.0", ""}, true},
    {"ISC",
     {"permission to use, copy, modify, and", "above copyright notice and this permission notice",
      "appear in all copies"}},
    {"0BSD", {"permission to use, copy, modify, and", "with or without fee is hereby granted", ""}},
    {"BSD-3-Clause",
     {"redistribution and use in source and binary forms", "endorse or promote products", ""}},
    {"BSD-2-Clause",
     {"redistribution and use in source and binary forms", "this list of conditions", ""}},
    {"MIT",
     {"permission is hereby granted, free of charge",
      "the above copyright notice and this permission notice", ""}},
    {"MIT-0", {"permission is hereby granted, free of charge", "without restriction", ""}},
}};

// In lower case, with single blanks for whatever stands between words.
std::string Flattened(std::string_view text) {
  constexpr std::string_view kNoWord = " \t\r\n*#>=_`";
  std::string out;
  for (char c : text) {
    bool blank = kNoWord.find(c) != kNoWord.npos;
    if (blank && (out.empty() || out.back() == ' ')) continue;
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    out += blank ? ' ' : c;
  }
  return out;
}

// What stands behind "SPDX-License-Identifier:", if it looks like an expression.
std::string NamedLicence(std::string_view text) {
  constexpr std::string_view kName = "SPDX-License-Identifier:";
  std::size_t at = text.find(kName);
  if (at == text.npos) return {};
  std::string_view rest = text.substr(at + kName.size());
  rest = rest.substr(0, rest.find_first_of("\r\n"));
  std::size_t begin = std::min(rest.find_first_not_of(" \t"), rest.size());
  rest.remove_prefix(begin);
  rest = rest.substr(0, rest.find_last_not_of(" \t*/-#") + 1);
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-+() ";
  bool sound = rest.size() <= 100 && rest.find_first_not_of(kAllowed) == rest.npos;
  return sound ? std::string(rest) : std::string();
}

}  // namespace

Licence GuessLicence(std::string file, std::string_view text) {
  Licence licence{.spdx = {}, .file = std::move(file), .evidence = {}};
  text = text.substr(0, kMaxLicence);
  licence.spdx = NamedLicence(text);
  if (!licence.spdx.empty()) {
    licence.evidence = "SPDX-License-Identifier: " + licence.spdx;
    return licence;
  }
  std::string flat = Flattened(text);
  for (const Fingerprint& each : kLicences) {
    bool fits = std::ranges::all_of(each.words, [&](std::string_view words) {
      return std::string_view(flat).substr(0, each.in_title ? kTitle : flat.size()).find(words) !=
             std::string::npos;
    });
    if (!fits) continue;
    licence.spdx = each.spdx;
    for (std::string_view words : each.words) {
      if (words.empty()) continue;
      licence.evidence += licence.evidence.empty() ? "\"" : ", \"";
      licence.evidence += words;
      licence.evidence += '"';
    }
    break;
  }
  return licence;
}

}  // namespace koya::inspect
