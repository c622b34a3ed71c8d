#include "inspect/expressions.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "hcl/hcl.h"
#include "hcl/references.h"

namespace koya::inspect {
namespace {

using ValueKind = hcl::Value::Kind;

// Replaces "\r\n" by "\n", strips trailing blanks of lines, and cuts a very long text.
std::string CleanLines(std::string_view text) {
  std::string out;
  const bool cut = text.size() > kMaxExpression;
  text = CutUtf8(text, kMaxExpression);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out += text.substr(0, end);
    if (end == text.npos) break;
    out.erase(out.find_last_not_of(" \t\r") + 1);
    out += '\n';
    text.remove_prefix(end + 1);
  }
  out.erase(out.find_last_not_of(" \t\r\n") + 1);
  if (cut) out += "…";
  return out;
}

// "${x}" as a whole is x.
std::string_view Unwrapped(std::string_view text) {
  bool wrapped = text.size() > 3 && text.starts_with("${") && text.ends_with('}') &&
                 text.find('}') == text.size() - 1;
  return wrapped ? text.substr(2, text.size() - 3) : text;
}

// JSON keeps templates in lists and objects, too.
void AddReferences(const hcl::Value& value, std::set<std::string>& out) {
  auto add = [&](const hcl::Mentions& found) {
    out.insert(found.references.begin(), found.references.end());
  };
  if (value.kind == ValueKind::kOther) add(hcl::FindMentions(value.source));
  if (value.kind == ValueKind::kTemplate) add(hcl::FindTemplateMentions(value.text));
  for (const hcl::Value& each : value.items) AddReferences(each, out);
  for (const hcl::Member& each : value.members) {
    if (each.computed) add(hcl::FindMentions(each.name));
    AddReferences(each.value, out);
  }
}

}  // namespace

std::string TextOf(const hcl::Value& value) {
  return value.kind == ValueKind::kText || value.kind == ValueKind::kTemplate
             ? value.text
             : CleanLines(value.source);
}

std::string TextOf(const hcl::Body& body, std::string_view name) {
  const hcl::Value* value = body.FindAttribute(name);
  return value == nullptr || value->kind == ValueKind::kNull ? std::string() : TextOf(*value);
}

std::string SourceOf(const hcl::Value& value) { return CleanLines(value.source); }

std::string ExpressionOf(const hcl::Value& value) {
  if (value.kind == ValueKind::kTemplate) return std::string(Unwrapped(value.text));
  return TextOf(value);
}

std::string ExpressionOf(const hcl::Body& body, std::string_view name) {
  const hcl::Value* value = body.FindAttribute(name);
  return value == nullptr || value->kind == ValueKind::kNull ? std::string() : ExpressionOf(*value);
}

bool FlagOf(const hcl::Body& body, std::string_view name, bool otherwise) {
  const hcl::Value* value = body.FindAttribute(name);
  return value == nullptr ? otherwise : hcl::LiteralBool(*value).value_or(otherwise);
}

std::vector<std::string> ReferencesOf(const hcl::Value& value) {
  std::set<std::string> found;
  AddReferences(value, found);
  return {found.begin(), found.end()};
}

std::vector<Condition> ConditionsOf(const hcl::Body& body, std::string_view type) {
  std::vector<Condition> out;
  for (const hcl::Block& each : body.blocks) {
    if (each.type != type) continue;
    out.push_back({ExpressionOf(each.body, "condition"), TextOf(each.body, "error_message")});
  }
  return out;
}

Repetition RepetitionOf(const hcl::Body& body) {
  Repetition out{.count = ExpressionOf(body, "count"),
                 .for_each = ExpressionOf(body, "for_each"),
                 .enabled = {}};
  auto lifecycle = std::ranges::find(body.blocks, "lifecycle", &hcl::Block::type);
  if (lifecycle != body.blocks.end()) out.enabled = ExpressionOf(lifecycle->body, "enabled");
  return out;
}

std::vector<std::string> ItemsOf(const hcl::Body& body, std::string_view name) {
  const hcl::Value* value = body.FindAttribute(name);
  std::vector<std::string> out;
  if (value == nullptr) return out;
  if (value->kind != ValueKind::kList) return {ExpressionOf(*value)};
  for (const hcl::Value& each : value->items) out.push_back(ExpressionOf(each));
  return out;
}

}  // namespace koya::inspect
