#include "inspect/provider/schema_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace koya::inspect::provider {
namespace {

using enum ChangeGrade;
using enum ChangeGlyph;

bool IsGiven(const SchemaNode& node) { return node.required || node.optional || node.block; }
bool MustBeGiven(const SchemaNode& node) { return node.required || node.least > 0; }

std::string Below(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

std::string_view OneWord(const SchemaNode& node) { return node.block ? "block" : "attribute"; }

// "of type number", "a list of objects"
std::string ShapeWords(const SchemaNode& node) {
  if (node.block) return "a block";
  if (node.nesting != Nesting::kNone) return std::string(NestingName(node.nesting)) + " of objects";
  return node.type.empty() ? "any" : node.type;
}

// The text between the parentheses of "WORD(…)"; else empty.
std::string_view InnerType(std::string_view type, std::string_view word) {
  bool is =
      type.starts_with(word) && type.substr(word.size()).starts_with('(') && type.ends_with(')');
  return is ? type.substr(word.size() + 1, type.size() - word.size() - 2) : std::string_view();
}

}  // namespace

std::string_view ChangeGradeName(ChangeGrade grade) {
  switch (grade) {
    case kSafe:
      return "safe";
    case kCompatible:
      return "compatible";
    case kReadThis:
      return "read this";
    case kBreaking:
      return "breaking";
  }
  return {};
}

bool IsWiderType(std::string_view before, std::string_view after) {
  if (before == after || after == "any") return true;
  if (after == "string") return before == "number" || before == "bool";
  for (std::string_view word : {"list", "set", "map"}) {
    std::string_view inner = InnerType(before, word);
    std::string_view wider = InnerType(after, word);
    if (!inner.empty() && !wider.empty()) return IsWiderType(inner, wider);
  }
  return false;
}

VersionStep StepFor(ChangeGrade worst, bool before_one) {
  switch (worst) {
    case kSafe:
      return VersionStep::kPatch;
    case kCompatible:
    case kReadThis:
      return VersionStep::kMinor;
    case kBreaking:
      return before_one ? VersionStep::kMinor : VersionStep::kMajor;
  }
  return VersionStep::kMajor;
}

void SchemaComparison::Add(const SchemaItem* before, const SchemaItem* after) {
  if (before != nullptr && after != nullptr) return CompareItem(*before, *after);
  const SchemaItem& item = before != nullptr ? *before : *after;
  Place place{item.kind, item.name, {}};
  if (before != nullptr) return AddChange(place, kBreaking, kRemoved, "it is gone");
  AddChange(place, kCompatible, kAdded, "it is new");
}

void SchemaComparison::AddChange(const Place& place, ChangeGrade grade, ChangeGlyph glyph,
                                 std::string sentence) {
  worst_ = std::max(worst_, grade);
  if (changes_.size() >= most_) {
    ++left_out_;
    return;
  }
  changes_.push_back({grade, glyph, place.kind, place.item, place.path, std::move(sentence)});
}

void SchemaComparison::CompareItem(const SchemaItem& before, const SchemaItem& after) {
  Place place{after.kind, after.name, {}};
  if (after.version > before.version) {
    AddChange(place, kReadThis, kChanged,
              fmt::format("states are brought from version {} to {}, and not back", before.version,
                          after.version));
  } else if (after.version < before.version) {
    AddChange(place, kBreaking, kChanged,
              fmt::format("its version goes back from {} to {}: newer states cannot be read",
                          before.version, after.version));
  }
  if (after.deprecated && !before.deprecated) {
    AddChange(
        place, kCompatible, kChanged,
        after.deprecation.empty() ? "it is deprecated" : "it is deprecated: " + after.deprecation);
  }
  if (before.returns != after.returns) {
    AddChange(place, kBreaking, kChanged,
              fmt::format("it returned {}, and returns {}", before.returns, after.returns));
  }
  if (before.description != after.description) {
    AddChange(place, kSafe, kChanged, "its description is another");
  }
  if (after.kind == SchemaKind::kFunction) return CompareParameters(before, after);
  CompareNodes(place, before.nodes, after.nodes);
}

// Both are sorted by name.
void SchemaComparison::CompareNodes(const Place& place, const std::vector<SchemaNode>& before,
                                    const std::vector<SchemaNode>& after) {
  auto old = before.begin();
  auto now = after.begin();
  while (old != before.end() || now != after.end()) {
    bool gone = now == after.end() || (old != before.end() && old->name < now->name);
    bool added = old == before.end() || (now != after.end() && now->name < old->name);
    Place here{place.kind, place.item, Below(place.path, gone ? old->name : now->name)};
    if (gone) {
      AddChange(here, kBreaking, kRemoved, fmt::format("the {} is gone", OneWord(*old++)));
    } else if (added) {
      AddAdded(here, *now++);
    } else {
      CompareNode(here, *old++, *now++);
    }
  }
}

void SchemaComparison::AddAdded(const Place& place, const SchemaNode& node) {
  if (MustBeGiven(node)) {
    return AddChange(place, kBreaking, kAdded,
                     fmt::format("the {} is new and must be given", OneWord(node)));
  }
  AddChange(place, kCompatible, kAdded, fmt::format("the {} is new", OneWord(node)));
}

// Arguments are given by their place: names are for reading.
void SchemaComparison::CompareParameters(const SchemaItem& before, const SchemaItem& after) {
  Place place{after.kind, after.name, {}};
  std::size_t common = std::min(before.nodes.size(), after.nodes.size());
  for (std::size_t i = 0; i < common; ++i) {
    const SchemaNode& old = before.nodes[i];
    const SchemaNode& now = after.nodes[i];
    Place here{after.kind, after.name, now.name};
    if (old.name != now.name) AddChange(here, kSafe, kChanged, "it was called " + old.name);
    if (old.variadic != now.variadic) {
      AddChange(here, now.variadic ? kCompatible : kBreaking, kChanged,
                now.variadic ? "it takes any number of values" : "it takes one value only");
    }
    CompareShape(here, old, now);
    if (old.nullable != now.nullable) {
      AddChange(here, now.nullable ? kCompatible : kBreaking, kChanged,
                now.nullable ? "it may be null" : "it may no longer be null");
    }
    CompareWords(here, old, now);
  }
  for (std::size_t i = common; i < before.nodes.size(); ++i) {
    AddChange({after.kind, after.name, before.nodes[i].name}, kBreaking, kRemoved,
              "the parameter is gone");
  }
  for (std::size_t i = common; i < after.nodes.size(); ++i) {
    bool may = after.nodes[i].variadic;
    AddChange({after.kind, after.name, after.nodes[i].name}, may ? kCompatible : kBreaking, kAdded,
              may ? "more values may be given" : "the parameter is new and must be given");
  }
}

void SchemaComparison::CompareNode(const Place& place, const SchemaNode& before,
                                   const SchemaNode& after) {
  if (before.block != after.block) {
    return AddChange(place, kBreaking, kChanged,
                     fmt::format("it was {}, and is {}", before.block ? "a block" : "an attribute",
                                 after.block ? "a block" : "an attribute"));
  }
  CompareUse(place, before, after);
  CompareShape(place, before, after);
  CompareSecrecy(place, before, after);
  CompareCount(place, before, after);
  CompareWords(place, before, after);
  CompareNodes(place, before.nodes, after.nodes);
}

void SchemaComparison::CompareUse(const Place& place, const SchemaNode& before,
                                  const SchemaNode& after) {
  if (before.block) return;
  if (IsGiven(before) && !IsGiven(after)) {
    return AddChange(place, kBreaking, kChanged, "it can no longer be given");
  }
  if (after.required && !before.required) {
    return AddChange(place, kBreaking, kChanged, "it must be given now");
  }
  if (before.required && !after.required) {
    AddChange(place, kCompatible, kChanged, "it need not be given");
  } else if (!IsGiven(before) && IsGiven(after)) {
    AddChange(place, kCompatible, kChanged, "it can be given");
  }
  if (before.computed && !after.computed) {
    AddChange(place, kReadThis, kChanged,
              "without a value it is null: the provider no longer sets it");
  } else if (!before.computed && after.computed) {
    AddChange(place, kReadThis, kChanged, "without a value the provider sets it");
  }
}

void SchemaComparison::CompareShape(const Place& place, const SchemaNode& before,
                                    const SchemaNode& after) {
  bool same = before.type == after.type && before.nesting == after.nesting;
  if (same) return;
  std::string sentence = fmt::format("it was {}, and is {}", ShapeWords(before), ShapeWords(after));
  bool wider = before.nesting == after.nesting && IsWiderType(before.type, after.type);
  bool read = before.computed || after.computed;
  ChangeGrade grade = !wider ? kBreaking : read ? kReadThis : kCompatible;
  AddChange(place, grade, kChanged, std::move(sentence));
}

void SchemaComparison::CompareSecrecy(const Place& place, const SchemaNode& before,
                                      const SchemaNode& after) {
  if (before.sensitive != after.sensitive) {
    AddChange(place, kReadThis, kChanged,
              after.sensitive ? "it is sensitive: outputs that show it must be too"
                              : "it is no longer sensitive, and is shown");
  }
  if (before.write_only != after.write_only) {
    AddChange(place, kBreaking, kChanged,
              after.write_only
                  ? "it is write-only: nothing can refer to it, and only newer clients know it"
                  : "it is no longer write-only, and is kept in states");
  }
}

void SchemaComparison::CompareCount(const Place& place, const SchemaNode& before,
                                    const SchemaNode& after) {
  if (before.least != after.least) {
    AddChange(
        place, after.least > before.least ? kBreaking : kCompatible, kChanged,
        fmt::format("at least {} of it must be given, and it was {}", after.least, before.least));
  }
  if (before.most == after.most) return;
  bool fewer = after.most != 0 && (before.most == 0 || after.most < before.most);
  AddChange(place, fewer ? kBreaking : kCompatible, kChanged,
            after.most == 0 ? "any number of it may be given"
                            : fmt::format("at most {} of it may be given", after.most));
}

void SchemaComparison::CompareWords(const Place& place, const SchemaNode& before,
                                    const SchemaNode& after) {
  if (after.deprecated && !before.deprecated) {
    AddChange(
        place, kCompatible, kChanged,
        after.deprecation.empty() ? "it is deprecated" : "it is deprecated: " + after.deprecation);
  } else if (before.deprecated && !after.deprecated) {
    AddChange(place, kSafe, kChanged, "it is no longer deprecated");
  }
  if (before.description != after.description) {
    AddChange(place, kSafe, kChanged, "its description is another");
  }
}

SchemaComparison CompareSchemas(std::span<const SchemaItem> before,
                                std::span<const SchemaItem> after, std::size_t most) {
  SchemaComparison out(most);
  auto key = [](const SchemaItem& item) { return std::tie(item.kind, item.name); };
  auto old = before.begin();
  auto now = after.begin();
  while (old != before.end() || now != after.end()) {
    if (now == after.end() || (old != before.end() && key(*old) < key(*now))) {
      out.Add(&*old++, nullptr);
    } else if (old == before.end() || key(*now) < key(*old)) {
      out.Add(nullptr, &*now++);
    } else {
      out.Add(&*old++, &*now++);
    }
  }
  return out;
}

}  // namespace koya::inspect::provider
