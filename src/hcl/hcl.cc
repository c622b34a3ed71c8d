#include "hcl/hcl.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.h"
#include "hcl/parser.h"
#include "hcl/utf8.h"

namespace koya::hcl {
namespace {

// What forbids reading `text` at all.
std::optional<Problem> Unreadable(std::string_view text, std::size_t most) {
  if (text.size() > most) {
    return Problem{{.line = 1, .column = 1},
                   fmt::format("it has {} bytes; up to {} are read", text.size(), most)};
  }
  if (std::optional<Range> bad = FirstBadLine(text)) return Problem{*bad, "it is not UTF-8"};
  return std::nullopt;
}

bool ByName(const Member* a, const Member* b) {
  return std::tie(a->name, a->range.begin) < std::tie(b->name, b->range.begin);
}

// Attributes that stand in one body twice; the first counts.
void ReportDuplicates(const Body& body, std::vector<Problem>& problems) {
  std::vector<const Member*> sorted;
  sorted.reserve(body.attributes.size());
  for (const Member& each : body.attributes) sorted.push_back(&each);
  std::ranges::sort(sorted, ByName);
  for (std::size_t i = 1; i < sorted.size() && problems.size() < kMaxProblems; ++i) {
    if (sorted[i]->name != sorted[i - 1]->name) continue;
    problems.push_back({sorted[i]->range,
                        fmt::format("\"{}\" stands here twice", Printable(sorted[i]->name, 40))});
  }
  for (const Block& block : body.blocks) ReportDuplicates(block.body, problems);
}

}  // namespace

const Value* Body::FindAttribute(std::string_view name) const {
  auto found = std::ranges::find(attributes, name, &Member::name);
  return found == attributes.end() ? nullptr : &found->value;
}

std::string Problem::ToString() const { return fmt::format("line {}: {}", range.line, what); }

Parsed ParsePartly(std::string_view text, const ParseLimits& limits) {
  Parsed parsed;
  if (auto problem = Unreadable(text, std::min(limits.bytes, kMaxText))) {
    parsed.problems.push_back(*std::move(problem));
    return parsed;
  }
  parsed = Parser(text, limits.parts).ParseFile();
  ReportDuplicates(parsed.body, parsed.problems);
  std::ranges::sort(parsed.problems, [](const Problem& a, const Problem& b) {
    return std::tie(a.range.begin, a.what) < std::tie(b.range.begin, b.what);
  });
  return parsed;
}

Result<Body> Parse(std::string_view text) {
  if (auto problem = Unreadable(text, kMaxText)) {
    return Fail(ErrorKind::kInvalid, problem->ToString());
  }
  Parsed parsed = Parser(text, ParseLimits().parts).ParseFile();
  if (parsed.problems.empty()) return std::move(parsed.body);
  return Fail(ErrorKind::kInvalid, parsed.problems.front().ToString());
}

Result<Value> ParseExpression(std::string_view text) {
  if (auto problem = Unreadable(text, kMaxText)) {
    return Fail(ErrorKind::kInvalid, problem->ToString());
  }
  Parser parser(text, ParseLimits().parts);
  RETURN_IF_ERROR(parser.Advance());
  ASSIGN_OR_RETURN(Value value, parser.ParseValue(ValuePlace::kArgument, 0));
  RETURN_IF_ERROR(parser.SkipNewlines());
  if (parser.token().kind != TokenKind::kEnd) return parser.Unexpected("the end of the expression");
  return value;
}

}  // namespace koya::hcl
