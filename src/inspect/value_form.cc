#include "inspect/change_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/decimal.h"
#include "hcl/hcl.h"
#include "hcl/json_syntax.h"
#include "hcl/lexer.h"

namespace koya::inspect {
namespace {

using hcl::Token;
using hcl::TokenKind;
using FormValue = hcl::Value;
using FormType = hcl::Type;
using FormKind = hcl::Value::Kind;
using WantedKind = hcl::Type::Kind;

constexpr std::size_t kMaxTemplateForms = 20;  // templates in strings in templates …

std::optional<std::vector<std::string>> WordsOf(std::string_view text, std::size_t depth);

std::string Joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& each : words) out.append(each).append(1, '\n');
  return out;
}

// Behind "${" at the beginning of `text`: how long the expression is, up to its "}".
std::optional<std::size_t> InterpolationLength(std::string_view text) {
  hcl::Lexer lexer(text);
  Token token;
  std::size_t open = 0;
  while (lexer.Next(token) && token.kind != TokenKind::kEnd) {
    if (token.Is('{')) ++open;
    if (!token.Is('}')) continue;
    if (open == 0) return token.range.begin;
    --open;
  }
  return std::nullopt;
}

// A template string: its literal text as written, and the words of its expressions.
std::string TemplateForm(std::string_view source, std::size_t depth) {
  std::string out;
  while (!source.empty()) {
    const char c = source.front();
    const bool sign = c == '$' || c == '%';
    const bool begins = sign && source.substr(1).starts_with('{');
    if (!begins) {
      const bool escaped = sign && source.size() > 2 && source[1] == c && source[2] == '{';
      out += source.substr(0, escaped ? 3 : 1);
      source.remove_prefix(escaped ? 3 : 1);
      continue;
    }
    const std::optional<std::size_t> length = InterpolationLength(source.substr(2));
    const auto words = length ? WordsOf(source.substr(2, *length), depth + 1) : std::nullopt;
    if (!words) return out.append(source);
    out += source.substr(0, 2);
    out += Joined(*words);
    source.remove_prefix(2 + *length);
  }
  return out;
}

// `words` without brackets around the whole of them.
void DropOuterBrackets(std::vector<std::string>& words) {
  std::size_t begin = 0;
  std::size_t end = words.size();
  std::vector<std::size_t> closes(words.size(), 0);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "(") open.push_back(i);
    if (words[i] != ")" || open.empty()) continue;
    closes[open.back()] = i;
    open.pop_back();
  }
  while (end - begin > 2 && words[begin] == "(" && closes[begin] == end - 1) {
    ++begin;
    --end;
  }
  words = {words.begin() + static_cast<std::ptrdiff_t>(begin),
           words.begin() + static_cast<std::ptrdiff_t>(end)};
}

// Collects the words of an expression; nullopt if the text is not an expression.
class WordCollector {
 public:
  WordCollector(std::string_view text, std::size_t depth)
      : text_(text), depth_(depth), lexer_(text) {}

  std::optional<std::vector<std::string>> Run() {
    Token token;
    while (true) {
      if (!lexer_.Next(token)) return std::nullopt;
      if (token.kind == TokenKind::kEnd) break;
      Take(token);
    }
    DropOuterBrackets(words_);
    return std::move(words_);
  }

 private:
  void Take(const Token& token) {
    const std::string_view source =
        text_.substr(token.range.begin, token.range.end - token.range.begin);
    if (token.kind == TokenKind::kNewline || token.Is(',')) {
      // A line's end separates attributes of an object, and means nothing elsewhere.
      const bool separates =
          token.kind != TokenKind::kNewline || (!open_.empty() && open_.back() == '{');
      comma_ = comma_ || separates;
      return;
    }
    const bool closes = token.Is(')') || token.Is(']') || token.Is('}');
    if (closes && !open_.empty()) open_.pop_back();
    // One behind the last element, or before the first, is none.
    if (comma_ && !closes && !opened_) words_.emplace_back(",");
    comma_ = false;
    // "{ for" goes on over lines.
    if (opened_ && token.kind == TokenKind::kIdentifier && source == "for") open_.back() = '(';
    opened_ = token.Is('(') || token.Is('[') || token.Is('{');
    if (opened_) open_.push_back(token.sign);
    words_.push_back(Word(token, source));
  }

  std::string Word(const Token& token, std::string_view source) const {
    if (token.kind == TokenKind::kText) return hcl::QuotedJson(token.text);
    if (token.kind == TokenKind::kTemplate && depth_ < kMaxTemplateForms) {
      return TemplateForm(source, depth_);
    }
    return std::string(source);
  }

  std::string_view text_;
  std::size_t depth_;
  hcl::Lexer lexer_;
  std::vector<std::string> words_;
  std::string open_;     // brackets that are open
  bool opened_ = false;  // the last word opened one
  bool comma_ = false;   // since the last word
};

std::optional<std::vector<std::string>> WordsOf(std::string_view text, std::size_t depth) {
  return WordCollector(text, depth).Run();
}

// "-12e-1" of -1.2; nothing where `text` is no number, or one whose exponent is beyond all use.
std::optional<std::string> NumberForm(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  std::string digits;
  std::int64_t exponent = 0;
  std::size_t at = 0;
  bool behind_point = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !behind_point && at > 0) {
      behind_point = true;
    } else if (c >= '0' && c <= '9') {
      digits += c;
      if (behind_point) --exponent;
    } else {
      break;
    }
  }
  if (digits.empty()) return std::nullopt;
  if (at < text.size()) {
    if (text[at] != 'e' && text[at] != 'E') return std::nullopt;
    std::string_view power = text.substr(at + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    const auto written = ParseDecimal<std::int64_t>(power);
    if (!written || std::abs(*written) >= std::int64_t{1} << 40) return std::nullopt;
    exponent += *written;
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return "0";
  const std::size_t last = digits.find_last_not_of('0');
  exponent += static_cast<std::int64_t>(digits.size() - last - 1);
  digits.resize(last + 1);
  const std::string_view sign = negative ? "-" : "";
  // As clients turn it into a string, where that is short.
  if (exponent >= 0 && exponent < 100) {
    return fmt::format("{}{}{}", sign, digits,
                       std::string(static_cast<std::size_t>(exponent), '0'));
  }
  if (exponent < 0 && exponent > -100) {
    const auto places = static_cast<std::size_t>(-exponent);
    if (digits.size() <= places) digits.insert(0, places - digits.size() + 1, '0');
    digits.insert(digits.size() - places, 1, '.');
    return fmt::format("{}{}", sign, digits);
  }
  return fmt::format("{}{}e{}", sign, digits, exponent);
}

class LiteralForm {
 public:
  // Nothing when it would be too long: what optional() gives may be repeated often.
  static std::optional<std::string> Of(const FormValue& value, const FormType& type) {
    LiteralForm form;
    form.Append(value, type);
    if (form.IsTooLong()) return std::nullopt;
    return std::move(form.out_);
  }

 private:
  static constexpr std::size_t kMost = 1 << 20;
  bool IsTooLong() const { return out_.size() + spent_ > kMost; }

  void Append(const FormValue& value, const FormType& type) {
    if (IsTooLong()) return;
    switch (value.kind) {
      case FormKind::kText:
      case FormKind::kTemplate:
        return AppendText(value, type.kind);
      case FormKind::kNumber: {
        const std::string number = NumberForm(value.text).value_or(value.text);
        out_ += type.kind == WantedKind::kString ? hcl::QuotedJson(number) : number;
        return;
      }
      case FormKind::kBool:
        out_ += type.kind == WantedKind::kString ? hcl::QuotedJson(value.text) : value.text;
        return;
      case FormKind::kList:
        return AppendItems(value, type);
      case FormKind::kObject:
        return AppendMembers(value, type);
      case FormKind::kNull:
      case FormKind::kOther:
        out_ += "null";
        return;
    }
  }

  void AppendText(const FormValue& value, WantedKind wanted) {
    const bool plain = value.kind == FormKind::kText;
    if (wanted == WantedKind::kNumber && plain) {
      if (std::optional<std::string> number = NumberForm(value.text)) {
        out_ += *number;
        return;
      }
    }
    if (wanted == WantedKind::kBool && plain) {
      if (value.text == "true" || value.text == "1") return void(out_ += "true");
      if (value.text == "false" || value.text == "0") return void(out_ += "false");
    }
    // As written in JSON: the decoded text no longer shows which "${" begins a template.
    out_ += value.source;
  }

  const FormType& ElementType(const FormType& type, std::size_t at) const {
    const bool tuple = type.kind == WantedKind::kTuple;
    const bool collection = type.kind == WantedKind::kList || type.kind == WantedKind::kSet ||
                            type.kind == WantedKind::kMap;
    if (collection && !type.elements.empty()) return type.elements.front();
    return tuple && at < type.elements.size() ? type.elements[at] : any_;
  }

  void AppendItems(const FormValue& value, const FormType& type) {
    if (type.kind == WantedKind::kSet) {
      std::set<std::string> items;
      for (const FormValue& each : value.items) {
        const std::size_t begin = out_.size();
        Append(each, ElementType(type, 0));
        spent_ += out_.size() - begin;
        items.insert(out_.substr(begin));
        out_.resize(begin);
      }
      out_ += '[';
      for (const std::string& each : items) out_.append(each).append(1, ',');
      out_ += ']';
      return CloseList();
    }
    out_ += '[';
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      Append(value.items[i], ElementType(type, i));
      out_ += ',';
    }
    out_ += ']';
    CloseList();
  }

  // Without the "," before the last sign.
  void CloseList() {
    if (out_[out_.size() - 2] == ',') out_.erase(out_.size() - 2, 1);
  }

  void AppendMembers(const FormValue& value, const FormType& type) {
    std::map<std::string_view, const FormValue*> members;
    for (const hcl::Member& each : value.members) members[each.name] = &each.value;
    out_ += '{';
    if (type.kind == WantedKind::kObject) {
      AppendAttributes(members, type);
    } else {
      const FormType& element = type.kind == WantedKind::kMap ? ElementType(type, 0) : any_;
      for (const auto& [name, each] : members) {
        out_ += hcl::QuotedJson(name) + ":";
        Append(*each, element);
        out_ += ',';
      }
    }
    out_ += '}';
    CloseList();
  }

  // Others than those of the type are dropped.
  void AppendAttributes(const std::map<std::string_view, const FormValue*>& members,
                        const FormType& type) {
    std::map<std::string_view, const hcl::TypeAttribute*> wanted;
    for (const hcl::TypeAttribute& each : type.attributes) wanted[each.name] = &each;
    for (const auto& [name, attribute] : wanted) {
      auto given = members.find(name);
      const bool null = given == members.end() || given->second->kind == FormKind::kNull;
      out_ += hcl::QuotedJson(name) + ":";
      if (!null) {
        Append(*given->second, attribute->type);
      } else if (!attribute->default_json.empty()) {
        spent_ += attribute->default_json.size();
        hcl::JsonValues values(attribute->default_json, hcl::ParseLimits().parts);
        Append(values.Read(), attribute->type);
      } else {
        out_ += attribute->default_text.empty() ? "null" : ExpressionForm(attribute->default_text);
      }
      out_ += ',';
    }
  }

  const FormType any_;
  std::string out_;
  std::size_t spent_ = 0;  // in addition to the size of out_
};

bool Fits(const FormValue& value, const FormType& type);

bool FitsAttributes(const FormValue& value, const FormType& type) {
  std::map<std::string_view, const FormValue*> members;
  for (const hcl::Member& each : value.members) members[each.name] = &each.value;
  return std::ranges::all_of(type.attributes, [&](const hcl::TypeAttribute& each) {
    auto given = members.find(each.name);
    return given == members.end() ? each.optional : Fits(*given->second, each.type);
  });
}

bool FitsElements(const FormValue& value, const FormType& type) {
  return std::ranges::all_of(
      value.items, [&](const FormValue& each) { return Fits(each, type.elements.front()); });
}

bool Fits(const FormValue& value, const FormType& type) {
  if (type.kind == WantedKind::kAny || value.kind == FormKind::kNull) return true;
  const bool text = value.kind == FormKind::kText || value.kind == FormKind::kTemplate;
  switch (type.kind) {
    case WantedKind::kAny:
      return true;
    case WantedKind::kString:
      return text || value.kind == FormKind::kNumber || value.kind == FormKind::kBool;
    case WantedKind::kNumber:
      return value.kind == FormKind::kNumber || (text && NumberForm(value.text));
    case WantedKind::kBool:
      return value.kind == FormKind::kBool ||
             (text && (value.text == "true" || value.text == "false"));
    case WantedKind::kList:
    case WantedKind::kSet:
      return value.kind == FormKind::kList && FitsElements(value, type);
    case WantedKind::kTuple:
      return value.kind == FormKind::kList && value.items.size() == type.elements.size() &&
             std::ranges::equal(value.items, type.elements, Fits);
    case WantedKind::kMap:
      return value.kind == FormKind::kObject &&
             std::ranges::all_of(value.members, [&](const hcl::Member& each) {
               return Fits(each.value, type.elements.front());
             });
    case WantedKind::kObject:
      return value.kind == FormKind::kObject && FitsAttributes(value, type);
  }
  return false;
}

}  // namespace

bool FitsType(const std::string& json, const hcl::Type& type) {
  if (json.empty()) return false;
  hcl::JsonValues values(json, hcl::ParseLimits().parts);
  const FormValue value = values.Read();
  return value.kind != FormKind::kNull && Fits(value, type);
}

std::string ExpressionForm(std::string_view expression) {
  auto words = WordsOf(expression, 0);
  if (!words) return std::string(expression);
  // "${x}" as a whole is x, as older configurations have it.
  if (words->size() == 1 && words->front().starts_with("\"${") &&
      words->front().ends_with("\n}\"")) {
    const std::string& word = words->front();
    const std::string inner = word.substr(3, word.size() - 5);
    if (!inner.contains("${") && !inner.contains("%{")) return inner;
  }
  return Joined(*words);
}

std::string DefaultForm(const std::string& text, const std::string& json, const hcl::Type& type) {
  if (json.empty()) return ExpressionForm(text);
  hcl::JsonValues values(json, hcl::ParseLimits().parts);
  const FormValue value = values.Read();
  return LiteralForm::Of(value, type).value_or(json);
}

}  // namespace koya::inspect
