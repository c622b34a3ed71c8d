#include "markup/front_matter.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/text.h"
#include "markup/characters.h"
#include "markup/plain_text.h"

namespace koya::markup {
namespace {

// One text value of a YAML file.
struct Scalar {
  std::string text;  // the readable part, also when something is wrong
  std::string why;   // the fault; empty: none
};

std::string_view WithoutBlanks(std::string_view text) {
  std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  std::size_t end = text.find_last_not_of(" \t");
  return text.substr(begin, end == text.npos ? 0 : end - begin + 1);
}

// Lines of plain and quoted values are one text: an end of a line is a blank.
std::string Folded(std::string_view first, std::span<const std::string_view> below) {
  std::string out(WithoutBlanks(first));
  for (std::string_view line : below) {
    std::string_view text = WithoutBlanks(line);
    if (text.empty()) continue;
    if (!out.empty()) out += ' ';
    out += text;
  }
  return out;
}

std::string_view WithoutComment(std::string_view text) {
  if (text.starts_with('#')) return {};
  for (std::size_t at = text.find('#'); at != text.npos; at = text.find('#', at + 1)) {
    if (text[at - 1] == ' ' || text[at - 1] == '\t') return WithoutBlanks(text.substr(0, at));
  }
  return text;
}

Scalar ReadSingleQuoted(std::string_view text) {
  Scalar out;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] != '\'') {
      out.text += text[at];
    } else if (text.substr(at + 1).starts_with('\'')) {
      out.text += text[at++];
    } else {
      if (!WithoutComment(WithoutBlanks(text.substr(at + 1))).empty()) {
        out.why = "there is more behind the quoted text";
      }
      return out;
    }
  }
  out.why = "the quoted text has no end";
  return out;
}

// Appends what the escape at the start of `text`, which begins behind the backslash, stands for;
// returns its length.
std::size_t AppendEscape(std::string_view text, std::string& out) {
  if (text.empty()) return 0;
  std::size_t digits = text[0] == 'x' ? 2 : text[0] == 'u' ? 4 : text[0] == 'U' ? 8 : 0;
  if (digits > 0) {
    std::string_view number = text.substr(1, digits);
    unsigned long code = 0;
    auto read = std::from_chars(number.data(), number.data() + number.size(), code, 16);
    bool whole = number.size() == digits && read.ptr == number.data() + number.size();
    AppendUtf8(whole && code <= 0x10FFFF ? static_cast<char32_t>(code) : kReplacement, out);
    return 1 + number.size();
  }
  if (text[0] == 'n' || text[0] == 't' || text[0] == 'r') {
    out += ' ';
  } else {
    out += text[0];
  }
  return 1;
}

Scalar ReadDoubleQuoted(std::string_view text) {
  Scalar out;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '\\') {
      at += AppendEscape(text.substr(at + 1), out.text);
    } else if (text[at] != '"') {
      out.text += text[at];
    } else {
      if (!WithoutComment(WithoutBlanks(text.substr(at + 1))).empty()) {
        out.why = "there is more behind the quoted text";
      }
      return out;
    }
  }
  out.why = "the quoted text has no end";
  return out;
}

Scalar ReadBlock(std::string_view header, std::span<const std::string_view> below) {
  Scalar out{Folded({}, below), {}};
  std::string_view rest = WithoutComment(WithoutBlanks(header.substr(1)));
  bool known = std::ranges::all_of(
      rest, [](char c) { return c == '-' || c == '+' || (c > '0' && c <= '9'); });
  if (rest.size() > 2 || !known) out.why = "what follows \"|\" or \">\" is not understood";
  return out;
}

std::string_view WhyNot(char first) {
  switch (first) {
    case '&':
      return "anchors are not followed";
    case '*':
      return "aliases are not followed";
    case '!':
      return "tags are not followed";
    case '[':
    case '{':
      return "a text is expected, and not a list or a map";
    case '%':
    case '@':
    case '`':
      return "a text that begins so must be quoted";
    default:
      return {};
  }
}

// `first`: the text after "name:". `below`: the lines under it that are blank or begin with a
// blank. Neither has line ends.
Scalar ReadScalar(std::string_view first, std::span<const std::string_view> below) {
  std::string_view start = WithoutBlanks(first);
  if (start.starts_with('|') || start.starts_with('>')) return ReadBlock(start, below);
  std::string folded = Folded(first, below);
  if (folded.empty()) return {};
  if (folded[0] == '\'') return ReadSingleQuoted(folded);
  if (folded[0] == '"') return ReadDoubleQuoted(folded);
  if (std::string_view why = WhyNot(folded[0]); !why.empty()) return {{}, std::string(why)};
  bool list = start.empty() && (folded == "-" || folded.starts_with("- "));
  if (list) return {{}, std::string(WhyNot('['))};
  // Comments end lines, and lines are one by now: only the first may have one.
  std::string_view plain = WithoutComment(start);
  std::string text = Folded(plain, below);
  if (text == "~" || text == "null") text.clear();
  return {std::move(text), {}};
}

constexpr std::size_t kMostHeader = 64 << 10;
constexpr std::size_t kMostUnread = 20;

struct Field {
  std::string_view name;
  std::string FrontMatter::* value;
  std::size_t most;
};
constexpr std::array kFields = std::to_array<Field>({
    {"page_title", &FrontMatter::page_title, 300},
    {"subcategory", &FrontMatter::subcategory, 300},
    {"description", &FrontMatter::description, 1000},
    {"layout", &FrontMatter::layout, 300},
});

bool IsBlankLine(std::string_view line) { return line.find_first_not_of(" \t") == line.npos; }

bool IsRule(std::string_view line, std::string_view rule) {
  return line.starts_with(rule) && IsBlankLine(line.substr(rule.size()));
}

struct HeaderLines {
  std::vector<std::string_view> lines;  // between the rules
  std::size_t first_line = 0;           // the number of lines[0]
  std::size_t bytes = 0;                // of the text, the second rule included
};

// The first line of `text`, which is left without it and its end.
std::string_view TakeLine(std::string_view& text) {
  std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end);
  text.remove_prefix(text.starts_with("\r\n") ? 2 : std::min<std::size_t>(1, text.size()));
  return line;
}

// None: `text` begins otherwise. Without lines and bytes: it has no end.
std::optional<HeaderLines> FindHeader(std::string_view text) {
  std::string_view rest = text.substr(0, kMostHeader);
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  HeaderLines out;
  std::string_view line;
  do {
    if (rest.empty()) return std::nullopt;
    line = TakeLine(rest);
    ++out.first_line;
  } while (IsBlankLine(line));
  if (!IsRule(line, "---")) return std::nullopt;
  ++out.first_line;
  while (!rest.empty()) {
    line = TakeLine(rest);
    if (IsRule(line, "---") || IsRule(line, "...")) {
      out.bytes = static_cast<std::size_t>(rest.data() - text.data());
      return out;
    }
    out.lines.push_back(line);
  }
  out.lines.clear();
  return out;
}

// The name before ":", and where its value begins; npos: the line has none.
struct NameOfLine {
  std::string_view name;
  std::size_t value = std::string_view::npos;
};
NameOfLine FindName(std::string_view line) {
  std::size_t colon = line.find(':');
  bool ends = colon != line.npos &&
              (colon + 1 == line.size() || line[colon + 1] == ' ' || line[colon + 1] == '\t');
  if (!ends) return {};
  std::string_view name = line.substr(0, colon);
  while (name.ends_with(' ')) name.remove_suffix(1);
  bool quoted = name.size() > 1 && name.front() == name.back() &&
                (name.front() == '"' || name.front() == '\'');
  if (quoted) name = name.substr(1, name.size() - 2);
  return {name, colon + 1};
}

class HeaderReader {
 public:
  HeaderReader(const HeaderLines& header, FrontMatter& out) : header_(header), out_(out) {}

  void Read() {
    const std::vector<std::string_view>& lines = header_.lines;
    for (std::size_t at = 0; at < lines.size();) {
      std::size_t next = at + 1;
      while (next < lines.size() && IsBelow(lines[next])) ++next;
      if (!IsBlankLine(lines[at]) && !IsRemark(lines[at])) ReadEntry(at, next);
      at = next;
    }
  }

 private:
  static bool IsBelow(std::string_view line) {
    return line.empty() || line[0] == ' ' || line[0] == '\t';
  }

  // Generators of docs put comments of HTML here too.
  static bool IsRemark(std::string_view line) {
    return line.starts_with('#') || line.starts_with("<!--");
  }

  void Tell(std::size_t at, std::string why) {
    if (out_.unread.size() < kMostUnread) {
      out_.unread.push_back({header_.first_line + at, std::move(why)});
    }
  }

  void ReadEntry(std::size_t at, std::size_t next) {
    std::string_view line = header_.lines[at];
    NameOfLine found = FindName(line);
    if (found.value == line.npos) return Tell(at, "this is not \"name: value\"");
    const auto* field = std::ranges::find(kFields, found.name, &Field::name);
    if (field == kFields.end()) return;
    auto number = static_cast<std::size_t>(field - kFields.begin());
    std::string name(field->name);
    if (seen_[number]) return Tell(at, name + " appears a second time");
    seen_[number] = true;
    Scalar value = ReadScalar(line.substr(found.value),
                              std::span(header_.lines).subspan(at + 1, next - at - 1));
    if (!value.why.empty()) Tell(at, name + ": " + value.why);
    out_.*field->value = OneLine(FitToShow(value.text), field->most);
  }

  const HeaderLines& header_;
  FrontMatter& out_;
  std::array<bool, kFields.size()> seen_ = {};
};

}  // namespace

FrontMatter ReadFrontMatter(std::string_view text) {
  FrontMatter out;
  out.body = text;
  std::optional<HeaderLines> header = FindHeader(text);
  if (!header) return out;
  if (header->bytes == 0) {
    out.unread.push_back({header->first_line - 1, "the front matter that begins here has no end"});
    return out;
  }
  out.body = text.substr(header->bytes);
  HeaderReader(*header, out).Read();
  return out;
}

}  // namespace koya::markup
