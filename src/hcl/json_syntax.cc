#include "hcl/json_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "hcl/expression_check.h"
#include "hcl/utf8.h"

namespace koya::hcl {
namespace {

// Whether a string has templates. `plain` becomes its value without them: "$${" stands for "${".
bool HasTemplates(std::string_view text, std::string& plain) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    plain += c;
    if (c != '$' && c != '%') continue;
    if (text.substr(i + 1).starts_with('{')) return true;
    bool escaped = i + 2 < text.size() && text[i + 1] == c && text[i + 2] == '{';
    if (!escaped) continue;
    plain += '{';
    i += 2;
  }
  return false;
}

}  // namespace

JsonValues::JsonValues(std::string_view text, std::size_t parts)
    : text_(text), parts_left_(parts), parts_(parts) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text_.starts_with(kMark)) at_ = counted_to_ = kMark.size();
}

Range JsonValues::Here() {
  for (; counted_to_ < at_; ++counted_to_) {
    char c = text_[counted_to_];
    if (c == '\n') {
      ++line_;
      column_ = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      ++column_;
    }
  }
  return {.line = line_, .column = column_, .begin = static_cast<std::uint32_t>(at_), .end = 0};
}

Failure JsonValues::Bad(std::string what) {
  at_ = std::min(at_, text_.size());
  Range range = Here();
  range.end = range.begin;
  problems_.push_back({range, std::move(what)});
  return Fail(ErrorKind::kInvalid, problems_.back().ToString());
}

Failure JsonValues::Unexpected(std::string_view wanted) {
  std::string seen = at_ >= text_.size() ? "the end of the file"
                                         : fmt::format("\"{}\"", Printable(text_.substr(at_, 1)));
  return Bad(fmt::format("{} stands where {} should", seen, wanted));
}

void JsonValues::SkipBlanks() {
  at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
}

Value JsonValues::Read() {
  Value value;
  SkipBlanks();
  Status read = ReadValue(value, 0);
  if (!read) return value;
  SkipBlanks();
  if (at_ < text_.size()) static_cast<void>(Unexpected("the end of the file"));
  std::ranges::sort(problems_, [](const Problem& a, const Problem& b) {
    return std::tie(a.range.begin, a.what) < std::tie(b.range.begin, b.what);
  });
  return value;
}

Status JsonValues::ReadValue(Value& value, std::size_t depth) {
  value.range = Here();
  if (depth > kMaxNesting) return Bad("this is nested too deeply");
  if (parts_left_ == 0) {
    return Bad(fmt::format("there is too much in it: up to {} parts are read", parts_));
  }
  --parts_left_;
  char c = At(at_);
  if (c == '{') {
    RETURN_IF_ERROR(ReadObject(value, depth));
  } else if (c == '[') {
    RETURN_IF_ERROR(ReadList(value, depth));
  } else if (c == '"') {
    std::string text;
    RETURN_IF_ERROR(ReadString(text));
    bool templates = HasTemplates(text, value.text);
    value.kind = templates ? Value::Kind::kTemplate : Value::Kind::kText;
    if (templates) value.text = std::move(text);
  } else if (c == '-' || (c >= '0' && c <= '9')) {
    RETURN_IF_ERROR(ReadNumber(value));
  } else {
    RETURN_IF_ERROR(ReadWord(value));
  }
  value.range.end = static_cast<std::uint32_t>(at_);
  value.source = text_.substr(value.range.begin, at_ - value.range.begin);
  return {};
}

// After an element: "," and the next one follows, or the end.
Status JsonValues::ReadSeparator(char end) {
  SkipBlanks();
  if (At(at_) == ',') {
    ++at_;
    SkipBlanks();
    if (At(at_) == end && at_ < text_.size()) return Unexpected("another element");
    return {};
  }
  if (At(at_) == end && at_ < text_.size()) return {};
  return Unexpected(fmt::format("\",\" or \"{}\"", end));
}

Status JsonValues::ReadObject(Value& value, std::size_t depth) {
  value.kind = Value::Kind::kObject;
  ++at_;
  SkipBlanks();
  while (At(at_) != '}') {
    RETURN_IF_ERROR(ReadMember(value, depth));
    RETURN_IF_ERROR(ReadSeparator('}'));
  }
  ++at_;
  ReportDuplicates(value);
  return {};
}

Status JsonValues::ReadMember(Value& object, std::size_t depth) {
  if (At(at_) != '"') return Unexpected("a name in quotes");
  Member& member = object.members.emplace_back();
  member.range = Here();
  RETURN_IF_ERROR(ReadString(member.name));
  member.range.end = static_cast<std::uint32_t>(at_);
  SkipBlanks();
  if (At(at_) != ':') return Unexpected("\":\"");
  ++at_;
  SkipBlanks();
  return ReadValue(member.value, depth + 1);
}

Status JsonValues::ReadList(Value& value, std::size_t depth) {
  value.kind = Value::Kind::kList;
  ++at_;
  SkipBlanks();
  while (At(at_) != ']') {
    RETURN_IF_ERROR(ReadValue(value.items.emplace_back(), depth + 1));
    RETURN_IF_ERROR(ReadSeparator(']'));
  }
  ++at_;
  return {};
}

Status JsonValues::ReadString(std::string& out) {
  Range begin = Here();
  ++at_;
  while (true) {
    std::size_t end = std::min(text_.find_first_of("\"\\\n", at_), text_.size());
    out += text_.substr(at_, end - at_);
    at_ = end;
    if (end == text_.size() || text_[end] == '\n') {
      begin.end = begin.begin;
      problems_.push_back({begin, "a string does not end on its line"});
      return Fail(ErrorKind::kInvalid, problems_.back().ToString());
    }
    ++at_;
    if (text_[end] == '"') return {};
    RETURN_IF_ERROR(ReadEscape(out));
  }
}

Result<std::uint32_t> JsonValues::ReadCode() {
  std::optional<std::uint32_t> code = HexNumber(text_.substr(std::min(at_, text_.size())), 4);
  if (!code) return Bad("\\u takes four hexadecimal digits");
  at_ += 4;
  return *code;
}

// After the backslash.
Status JsonValues::ReadEscape(std::string& out) {
  constexpr std::string_view kLetters = "nrtbf\"\\/";
  constexpr std::string_view kMeanings = "\n\r\t\b\f\"\\/";
  char c = At(at_++);
  std::size_t known = kLetters.find(c);
  if (c != '\0' && known != kLetters.npos) {
    out += kMeanings[known];
    return {};
  }
  if (c != 'u') return Bad("a string holds a backslash that means nothing");
  ASSIGN_OR_RETURN(std::uint32_t code, ReadCode());
  bool high = code >= 0xD800 && code < 0xDC00;
  if (high && At(at_) == '\\' && At(at_ + 1) == 'u') {
    at_ += 2;
    ASSIGN_OR_RETURN(std::uint32_t low, ReadCode());
    if (low >= 0xDC00 && low < 0xE000) code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  if (!IsCharacter(code)) return Bad("a string names a character that there is not");
  AppendUtf8(code, out);
  return {};
}

Status JsonValues::ReadNumber(Value& value) {
  std::size_t begin = at_;
  auto digits = [this] {
    std::size_t from = at_;
    while (At(at_) >= '0' && At(at_) <= '9') ++at_;
    return at_ > from;
  };
  if (At(at_) == '-') ++at_;
  bool sound = digits();
  if (At(at_) == '.') {
    ++at_;
    sound = digits() && sound;
  }
  if (At(at_) == 'e' || At(at_) == 'E') {
    at_ += At(at_ + 1) == '+' || At(at_ + 1) == '-' ? 2 : 1;
    sound = digits() && sound;
  }
  if (!sound) return Unexpected("a digit");
  value.kind = Value::Kind::kNumber;
  value.text = text_.substr(begin, at_ - begin);
  return {};
}

// true, false, null
Status JsonValues::ReadWord(Value& value) {
  constexpr std::array<std::string_view, 3> kWords{"true", "false", "null"};
  const auto* word = std::ranges::find_if(
      kWords, [&](std::string_view each) { return text_.substr(at_).starts_with(each); });
  if (word == kWords.end()) return Unexpected("a value");
  at_ += word->size();
  value.kind = *word == "null" ? Value::Kind::kNull : Value::Kind::kBool;
  value.text = *word;
  return {};
}

void JsonValues::ReportDuplicates(const Value& object) {
  std::vector<const Member*> sorted;
  for (const Member& each : object.members) {
    if (each.name != "//") sorted.push_back(&each);
  }
  std::ranges::sort(sorted, [](const Member* a, const Member* b) {
    return std::tie(a->name, a->range.begin) < std::tie(b->name, b->range.begin);
  });
  for (std::size_t i = 1; i < sorted.size() && problems_.size() < kMaxProblems; ++i) {
    if (sorted[i]->name != sorted[i - 1]->name) continue;
    problems_.push_back({sorted[i]->range,
                         fmt::format("\"{}\" stands here twice", Printable(sorted[i]->name, 40))});
  }
}

namespace {

const BlockShape* FindShape(const BodyShape& shape, std::string_view type) {
  const BlockShape* end = shape.blocks + shape.count;
  const BlockShape* found =
      std::find_if(shape.blocks, end, [&](const BlockShape& each) { return each.type == type; });
  return found == end ? nullptr : found;
}

// Sorts members into attributes and blocks.
class JsonBodies {
 public:
  explicit JsonBodies(std::vector<Problem>& problems) : problems_(problems) {}

  void Convert(Value& object, const BodyShape& shape, Body& out, bool evaluated = false);
  // Of the list that a whole file may be.
  void ConvertItem(Value& item, const BodyShape& shape, Body& out) {
    if (item.kind == Value::Kind::kObject) {
      Convert(item, shape, out);
    } else if (item.range.end > 0 && !std::exchange(told_item_, true)) {
      Tell(item.range, "a configuration in JSON is an object, or a list of objects");
    }
  }

 private:
  void AddBlocks(Value& value, const BlockShape& shape, const Block& named, Body& out);
  void CheckTemplates(const Value& value);
  void Tell(const Range& range, std::string what) {
    if (problems_.size() < kMaxProblems) problems_.push_back({range, std::move(what)});
  }

  std::vector<Problem>& problems_;
  bool told_item_ = false;
};

// Of a value that is not whole the range has no end.
bool Whole(const Value& value) { return value.range.end > 0; }

// Clients read the text as that of a heredoc: without escapes.
Status CheckTemplate(std::string_view text) {
  return CheckExpression(fmt::format("<<END_OF_TEMPLATE\n{}\nEND_OF_TEMPLATE\n", text));
}

void JsonBodies::CheckTemplates(const Value& value) {
  if (value.kind == Value::Kind::kTemplate) {
    const Status read = CheckTemplate(value.text);
    if (!read) {
      const std::string& said = read.error().message;  // "line N: …", of the template
      Tell(value.range, fmt::format("the template of this string cannot be read: {}",
                                    said.substr(std::min(said.find(": ") + 2, said.size()))));
    }
  }
  for (const Value& each : value.items) CheckTemplates(each);
  for (const Member& each : value.members) CheckTemplates(each.value);
}

void JsonBodies::Convert(Value& object, const BodyShape& shape, Body& out, bool evaluated) {
  for (Member& member : object.members) {
    if (member.name == "//") continue;
    if (const BlockShape* block = FindShape(shape, member.name)) {
      Block named{.type = member.name, .labels = {}, .range = member.range};
      AddBlocks(member.value, *block, named, out);
    } else if (Whole(member.value)) {
      const bool literal = member.name == "description" || member.name == "deprecated";
      if (evaluated && !literal) CheckTemplates(member.value);
      out.attributes.push_back(std::move(member));
    }
  }
}

// `named`: the type, and the labels so far.
void JsonBodies::AddBlocks(Value& value, const BlockShape& shape, const Block& named, Body& out) {
  if (value.kind == Value::Kind::kNull) return;
  if (value.kind == Value::Kind::kList) {
    for (Value& each : value.items) AddBlocks(each, shape, named, out);
    return;
  }
  if (value.kind != Value::Kind::kObject) {
    if (Whole(value)) {
      Tell(value.range, fmt::format("\"{}\" takes an object", Printable(named.type, 40)));
    }
    return;
  }
  if (named.labels.size() == shape.labels) {
    if (!Whole(value)) return;
    Block block = named;
    block.range.end = value.range.end;
    block.source = value.source;
    Convert(value, shape.inner, block.body, shape.evaluated);
    out.blocks.push_back(std::move(block));
    return;
  }
  for (Member& member : value.members) {
    if (member.name == "//") continue;
    Block labelled = named;
    labelled.labels.push_back(member.name);
    labelled.range = member.range;
    AddBlocks(member.value, shape, labelled, out);
  }
}

std::optional<Problem> NotReadable(std::string_view text, std::size_t most) {
  if (text.size() > most) {
    return Problem{{.line = 1, .column = 1},
                   fmt::format("it has {} bytes; up to {} are read", text.size(), most)};
  }
  if (std::optional<Range> bad = FirstBadLine(text)) return Problem{*bad, "it is not UTF-8"};
  return std::nullopt;
}

}  // namespace

Parsed ParseJsonPartly(std::string_view text, const BodyShape& shape, const ParseLimits& limits) {
  Parsed parsed;
  if (auto problem = NotReadable(text, std::min(limits.bytes, kMaxText))) {
    parsed.problems.push_back(*std::move(problem));
    return parsed;
  }
  JsonValues values(text, limits.parts);
  Value root = values.Read();
  parsed.problems = values.problems();
  parsed.parts = values.parts();
  parsed.steps = text.size();
  JsonBodies bodies(parsed.problems);
  if (root.kind == Value::Kind::kList) {
    for (Value& each : root.items) bodies.ConvertItem(each, shape, parsed.body);
  } else if (root.kind == Value::Kind::kObject) {
    bodies.Convert(root, shape, parsed.body);
  } else if (Whole(root)) {
    parsed.problems.push_back(
        {root.range, "a configuration in JSON is an object, or a list of objects"});
  }
  return parsed;
}

}  // namespace koya::hcl
