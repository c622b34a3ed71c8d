#include "inspect/type_change.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "inspect/value_form.h"

namespace koya::inspect {
namespace {

using hcl::Type;
using hcl::TypeAttribute;
using TypeKind = hcl::Type::Kind;

bool Takes(const Type& to, const Type& from);

// Clients turn numbers and bools into strings.
bool TakesPrimitive(TypeKind to, TypeKind from) {
  if (to == from) return true;
  return to == TypeKind::kString && (from == TypeKind::kNumber || from == TypeKind::kBool);
}

bool TakesEach(const Type& element, const std::vector<Type>& from) {
  return std::ranges::all_of(from, [&](const Type& each) { return Takes(element, each); });
}

std::map<std::string_view, const TypeAttribute*> ByName(const Type& type) {
  std::map<std::string_view, const TypeAttribute*> out;
  for (const TypeAttribute& each : type.attributes) out[each.name] = &each;
  return out;
}

// An attribute that is gone would be dropped without a word: it counts as no longer taken.
bool TakesObject(const Type& to, const Type& from) {
  auto before = ByName(from);
  for (const TypeAttribute& each : to.attributes) {
    auto known = before.extract(each.name);
    if (known.empty()) {
      if (!each.optional) return false;
      continue;
    }
    const TypeAttribute& old = *known.mapped();
    if (old.optional && !each.optional) return false;
    if (!Takes(each.type, old.type)) return false;
  }
  return before.empty();
}

// Whether every value that `from` takes is taken by `to`.
bool Takes(const Type& to, const Type& from) {
  if (to.kind == TypeKind::kAny) return true;
  switch (to.kind) {
    case TypeKind::kList:
    case TypeKind::kSet:
      return (from.kind == to.kind || from.kind == TypeKind::kTuple) &&
             TakesEach(to.elements.front(), from.elements);
    case TypeKind::kMap:
      if (from.kind == TypeKind::kObject) {
        return std::ranges::all_of(from.attributes, [&](const TypeAttribute& each) {
          return Takes(to.elements.front(), each.type);
        });
      }
      return from.kind == TypeKind::kMap && TakesEach(to.elements.front(), from.elements);
    case TypeKind::kTuple:
      return from.kind == TypeKind::kTuple && to.elements.size() == from.elements.size() &&
             std::ranges::equal(to.elements, from.elements, Takes);
    case TypeKind::kObject:
      return from.kind == TypeKind::kObject && TakesObject(to, from);
    case TypeKind::kAny:
    case TypeKind::kString:
    case TypeKind::kNumber:
    case TypeKind::kBool:
      break;
  }
  return TakesPrimitive(to.kind, from.kind);
}

// Without defaults, attributes by name.
Type Shape(Type type) {
  for (Type& each : type.elements) each = Shape(std::move(each));
  for (TypeAttribute& each : type.attributes) {
    each.type = Shape(std::move(each.type));
    each.default_text.clear();
    each.default_json.clear();
  }
  std::ranges::sort(type.attributes, {}, &TypeAttribute::name);
  return type;
}

// What defaults mean, in one order.
void AppendDefaults(const Type& type, std::string& out) {
  for (const Type& each : type.elements) AppendDefaults(each, out);
  for (const auto& [name, each] : ByName(type)) {
    out += name;
    if (each->optional && !each->default_text.empty()) {
      out += DefaultForm(each->default_text, each->default_json, each->type);
    } else if (each->optional) {
      out += "null";
    }
    out += '\n';
    AppendDefaults(each->type, out);
  }
}

bool SameDefaults(const Type& from, const Type& to) {
  std::string before;
  std::string after;
  AppendDefaults(from, before);
  AppendDefaults(to, after);
  return before == after;
}

}  // namespace

TypeChange CompareTypes(const Type& from, const Type& to) {
  if (Shape(from) == Shape(to)) {
    return SameDefaults(from, to) ? TypeChange::kSame : TypeChange::kDefaults;
  }
  return Takes(to, from) ? TypeChange::kWider : TypeChange::kNarrower;
}

}  // namespace koya::inspect
