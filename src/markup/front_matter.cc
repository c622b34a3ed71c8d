#include "markup/front_matter.h"

#include <algorithm>
#include <array>
#include <optional>

#include "markup/plain_text.h"
#include "markup/utf8.h"
#include "markup/yaml_scalar.h"

namespace koya::markup {
namespace {

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
