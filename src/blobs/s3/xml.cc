#include "blobs/s3/xml.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/encoding.h"
#include "base/text.h"

namespace koya::s3 {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::size_t kLongestEntity = 10;  // "#x0010FFFF"

bool IsNameEnd(char c) { return kBlanks.contains(c) || c == '/' || c == '>' || c == '='; }

void AppendUtf8(std::string& out, std::uint32_t point) {
  auto tail = [&out](std::uint32_t bits) { out += static_cast<char>(0x80U | (bits & 0x3FU)); };
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0U | (point >> 6U));
    tail(point);
  } else if (point < 0x10000) {
    out += static_cast<char>(0xE0U | (point >> 12U));
    tail(point >> 6U);
    tail(point);
  } else {
    out += static_cast<char>(0xF0U | (point >> 18U));
    tail(point >> 12U);
    tail(point >> 6U);
    tail(point);
  }
}

// Of "#38" and "#x26". Control characters are taken: stores write keys so that have some.
std::optional<std::uint32_t> CodePoint(std::string_view entity) {
  entity.remove_prefix(1);
  const bool hex = entity.starts_with('x');
  if (hex) entity.remove_prefix(1);
  if (entity.empty()) return std::nullopt;
  std::uint32_t point = 0;
  for (char c : entity) {
    int digit = HexDigit(c);
    if (digit < 0 || (!hex && digit > 9)) return std::nullopt;
    point = point * (hex ? 16 : 10) + static_cast<std::uint32_t>(digit);
    if (point > 0x10FFFF) return std::nullopt;
  }
  bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  return point == 0 || surrogate ? std::nullopt : std::optional(point);
}

// False: no entity that we know.
bool AppendEntity(std::string& out, std::string_view entity) {
  constexpr std::pair<std::string_view, char> kNamed[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  for (const auto& [name, letter] : kNamed) {
    if (entity == name) {
      out += letter;
      return true;
    }
  }
  if (!entity.starts_with('#')) return false;
  auto point = CodePoint(entity);
  if (point) AppendUtf8(out, *point);
  return point.has_value();
}

class XmlReader {
 public:
  explicit XmlReader(std::string_view text) : text_(text) {}

  Result<XmlElement> Read() {
    if (text_.size() > XmlElement::kMaxBytes) return Bad("it is larger than 4 MiB");
    Skip("\xEF\xBB\xBF");
    RETURN_IF_ERROR(SkipAround());
    XmlElement root;
    if (!Skip("<")) return Bad("it does not begin with an element");
    RETURN_IF_ERROR(ReadElement(root, 1));
    RETURN_IF_ERROR(SkipAround());
    if (at_ != text_.size()) return Bad("something follows its end");
    return root;
  }

 private:
  Failure Bad(std::string_view why) const {
    return FailInvalid("the XML is invalid at byte {}: {}", at_, why);
  }

  std::string_view Rest() const { return text_.substr(at_); }

  bool Skip(std::string_view word) {
    if (!Rest().starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  void SkipBlanks() { at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size()); }

  // Up to `end` and over it. False: there is none.
  bool SkipTo(std::string_view end) {
    std::size_t found = text_.find(end, at_);
    if (found == text_.npos) return false;
    at_ = found + end.size();
    return true;
  }

  // A comment or a processing instruction, if one is next.
  Result<bool> SkipAside() {
    if (Skip("<!--")) {
      if (!SkipTo("-->")) return Bad("a comment has no end");
      return true;
    }
    if (Skip("<?")) {
      if (!SkipTo("?>")) return Bad("an instruction has no end");
      return true;
    }
    return false;
  }

  // Blanks, comments and instructions.
  Status SkipAround() {
    while (true) {
      SkipBlanks();
      ASSIGN_OR_RETURN(bool skipped, SkipAside());
      if (!skipped) return {};
    }
  }

  Result<std::string_view> ReadName() {
    const std::string_view rest = Rest();
    std::size_t size = 0;
    while (size < rest.size() && !IsNameEnd(rest[size]) && rest[size] != '<') ++size;
    std::string_view name = rest.substr(0, size);
    if (name.empty() || name.front() == '!') return Bad("a name was expected");
    at_ += size;
    return name;
  }

  // Up to the end of the tag. True: it is an empty element's.
  Result<bool> SkipAttributes() {
    while (true) {
      SkipBlanks();
      if (Skip("/>")) return true;
      if (Skip(">")) return false;
      RETURN_IF_ERROR(ReadName());
      SkipBlanks();
      if (!Skip("=")) return Bad("an attribute has no value");
      SkipBlanks();
      std::string_view quote = Rest().substr(0, 1);
      if (quote != "\"" && quote != "'") return Bad("an attribute's value has no quotes");
      ++at_;
      if (!SkipTo(quote)) return Bad("an attribute's value has no end");
    }
  }

  Status ReadText(XmlElement& into) {
    std::size_t end = std::min(text_.find_first_of("<&", at_), text_.size());
    into.text += text_.substr(at_, end - at_);
    at_ = end;
    if (!Skip("&")) return {};
    std::string_view entity = Rest().substr(0, kLongestEntity + 1);
    entity = entity.substr(0, entity.find(';'));
    if (entity.size() > kLongestEntity || !AppendEntity(into.text, entity)) {
      return Bad("an entity is unknown");
    }
    at_ += entity.size();
    if (!Skip(";")) return Bad("an entity has no end");
    return {};
  }

  // What stands between the tags; behind the end tag's "</" afterwards.
  Status ReadContent(XmlElement& into, std::size_t depth) {
    while (at_ < text_.size()) {
      if (Skip("</")) return {};
      ASSIGN_OR_RETURN(bool skipped, SkipAside());
      if (skipped) continue;
      if (Skip("<![CDATA[")) {
        std::size_t begin = at_;
        if (!SkipTo("]]>")) return Bad("a CDATA section has no end");
        into.text += text_.substr(begin, at_ - begin - 3);
      } else if (Skip("<")) {
        RETURN_IF_ERROR(ReadElement(into.children.emplace_back(), depth + 1));
      } else {
        RETURN_IF_ERROR(ReadText(into));
      }
    }
    return Bad("an element has no end");
  }

  // Behind its "<".
  Status ReadElement(XmlElement& into, std::size_t depth) {
    if (depth > XmlElement::kMaxDepth) return Bad("elements are nested too deep");
    if (++elements_ > XmlElement::kMaxElements) return Bad("there are too many elements");
    ASSIGN_OR_RETURN(std::string_view name, ReadName());
    into.name = name.substr(name.rfind(':') + 1);
    ASSIGN_OR_RETURN(bool is_empty, SkipAttributes());
    if (is_empty) return {};
    RETURN_IF_ERROR(ReadContent(into, depth));
    ASSIGN_OR_RETURN(std::string_view end, ReadName());
    if (end != name) return Bad("an end tag does not match its element");
    SkipBlanks();
    if (!Skip(">")) return Bad("an end tag has no end");
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t elements_ = 0;
};

}  // namespace

Result<XmlElement> XmlElement::Parse(std::string_view document) {
  return XmlReader(document).Read();
}

const XmlElement* XmlElement::FindChild(std::string_view child) const {
  auto found = std::ranges::find(children, child, &XmlElement::name);
  return found == children.end() ? nullptr : &*found;
}

std::string_view XmlElement::TextOf(std::string_view child) const {
  const XmlElement* found = FindChild(child);
  return found == nullptr ? std::string_view() : std::string_view(found->text);
}

}  // namespace koya::s3
