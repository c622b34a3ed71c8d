#include "hcl/json_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "hcl/expression_check.h"
#include "hcl/json_values.h"
#include "hcl/utf8.h"

namespace koya::hcl {
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
