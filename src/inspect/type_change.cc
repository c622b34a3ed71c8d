#include "inspect/change_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <ranges>
#include <string_view>
#include <utility>

namespace koya::inspect {
namespace {

using hcl::Type;
using hcl::TypeAttribute;
using TypeKind = hcl::Type::Kind;

// What a mismatch inside a mismatch may cost: each member of a tuple is held against the whole
// element of a list.
constexpr std::size_t kMostSteps = 5'000'000;

bool IsPrimitive(TypeKind kind) {
  return kind == TypeKind::kString || kind == TypeKind::kNumber || kind == TypeKind::kBool;
}
bool IsSequence(TypeKind kind) { return kind == TypeKind::kList || kind == TypeKind::kSet; }

// Clients turn numbers and bools into strings, and strings back where they can.
TypeEffect PrimitiveEffect(TypeKind from, TypeKind to) {
  if (to == TypeKind::kString) return TypeEffect::kWider;
  return from == TypeKind::kString ? TypeEffect::kConverted : TypeEffect::kRefused;
}

std::map<std::string_view, const TypeAttribute*> ByName(const Type& type) {
  std::map<std::string_view, const TypeAttribute*> out;
  for (const TypeAttribute& each : type.attributes) out[each.name] = &each;
  return out;
}

// As optional() gives it to callers.
std::string GivenDefault(const TypeAttribute& attribute) {
  if (attribute.default_text.empty()) return "null";
  return DefaultForm(attribute.default_text, attribute.default_json, attribute.type);
}

class TypeComparison {
 public:
  void Compare(const Type& from, const Type& to) {
    ++steps_;
    if (from.kind != to.kind) return Mismatch(from, to);
    switch (to.kind) {
      case TypeKind::kAny:
      case TypeKind::kString:
      case TypeKind::kNumber:
      case TypeKind::kBool:
        return;
      case TypeKind::kList:
      case TypeKind::kSet:
      case TypeKind::kMap:
        return Inside("[*]", from.elements.front(), to.elements.front());
      case TypeKind::kTuple:
        return CompareTuples(from, to);
      case TypeKind::kObject:
        return CompareObjects(from, to);
    }
  }

  TypeDifferences Finish() && {
    TypeDifferences out;
    for (std::vector<TypeDifference>& each : std::views::reverse(by_kind_)) {
      for (TypeDifference& difference : each) {
        if (out.listed.size() == kMostListed) break;
        out.listed.push_back(std::move(difference));
      }
    }
    out.left_out = count_ - out.listed.size();
    return out;
  }

 private:
  void Tell(TypeEffect effect, std::string from = {}, std::string to = {}) {
    ++count_;
    worst_ = std::max(worst_, effect);
    std::vector<TypeDifference>& list = by_kind_[static_cast<std::size_t>(KindOf(effect))];
    if (list.size() == kMostListed) return;
    list.push_back({effect, path_, std::move(from), std::move(to)});
  }
  void TellTypes(TypeEffect effect, const Type& from, const Type& to) {
    const std::size_t listed = by_kind_[static_cast<std::size_t>(KindOf(effect))].size();
    if (listed == kMostListed) return Tell(effect);
    Tell(effect, hcl::ToString(from), hcl::ToString(to));
  }

  void Inside(std::string_view step, const Type& from, const Type& to) {
    const std::size_t length = path_.size();
    path_ += step;
    Compare(from, to);
    path_.resize(length);
  }

  // What becomes of values of each of `from` where one `to` is wanted.
  template <class Types>
  TypeEffect Worst(const Types& from, const Type& to) {
    TypeComparison inner;
    inner.path_ = "[*]";
    for (const Type& each : from) {
      inner.steps_ += steps_;
      inner.Compare(each, to);
      steps_ = std::exchange(inner.steps_, 0);
      if (steps_ > kMostSteps) return TypeEffect::kRefused;
      if (inner.worst_ >= TypeEffect::kRefused) break;
    }
    return std::min(inner.worst_, TypeEffect::kRefused);
  }

  TypeEffect MismatchEffect(const Type& from, const Type& to) {
    if (to.kind == TypeKind::kAny) return TypeEffect::kWider;
    if (IsPrimitive(to.kind) && IsPrimitive(from.kind)) return PrimitiveEffect(from.kind, to.kind);
    // Elements of any kind, but all of one: most that are given are such.
    if (IsPrimitive(to.kind) && from.kind == TypeKind::kAny && !path_.empty()) {
      return TypeEffect::kConverted;
    }
    if (IsSequence(to.kind) && IsSequence(from.kind)) {
      return std::max(TypeEffect::kReordered, Worst(from.elements, to.elements.front()));
    }
    if (IsSequence(to.kind) && from.kind == TypeKind::kTuple) {
      return Worst(from.elements, to.elements.front());
    }
    if (to.kind == TypeKind::kMap && from.kind == TypeKind::kObject) {
      auto types = std::views::transform(from.attributes, &TypeAttribute::type);
      return Worst(types, to.elements.front());
    }
    return TypeEffect::kRefused;
  }

  void Mismatch(const Type& from, const Type& to) { TellTypes(MismatchEffect(from, to), from, to); }

  void CompareTuples(const Type& from, const Type& to) {
    if (from.elements.size() != to.elements.size()) {
      return TellTypes(TypeEffect::kRefused, from, to);
    }
    for (std::size_t i = 0; i < to.elements.size(); ++i) {
      Inside(fmt::format("[{}]", i), from.elements[i], to.elements[i]);
    }
  }

  void CompareObjects(const Type& from, const Type& to) {
    auto before = ByName(from);
    steps_ += from.attributes.size();
    const std::size_t length = path_.size();
    for (const TypeAttribute& each : to.attributes) {
      path_.append(".").append(each.name);
      auto known = before.extract(each.name);
      if (known.empty()) {
        Tell(each.optional ? TypeEffect::kAdded : TypeEffect::kNeeded);
      } else {
        CompareAttributes(*known.mapped(), each);
      }
      path_.resize(length);
    }
    for (const TypeAttribute& each : from.attributes) {
      if (!before.contains(each.name)) continue;
      path_.append(".").append(each.name);
      Tell(TypeEffect::kDropped);
      path_.resize(length);
    }
  }

  void CompareAttributes(const TypeAttribute& from, const TypeAttribute& to) {
    const std::size_t differences = count_;
    Compare(from.type, to.type);
    if (from.optional != to.optional) {
      return Tell(to.optional ? TypeEffect::kEased : TypeEffect::kNeeded);
    }
    if (!to.optional || count_ > differences) return;
    std::string before = GivenDefault(from);
    std::string after = GivenDefault(to);
    if (before != after) Tell(TypeEffect::kDefault, std::move(before), std::move(after));
  }

  std::string path_;
  std::size_t steps_ = 0;
  std::size_t count_ = 0;
  TypeEffect worst_ = TypeEffect::kWider;
  std::array<std::vector<TypeDifference>, 4> by_kind_;  // by ChangeKind
};

}  // namespace

ChangeKind KindOf(TypeEffect effect) {
  switch (effect) {
    case TypeEffect::kWider:
    case TypeEffect::kAdded:
    case TypeEffect::kEased:
      return ChangeKind::kCompatible;
    case TypeEffect::kDefault:
    case TypeEffect::kReordered:
    case TypeEffect::kConverted:
      return ChangeKind::kReadThis;
    case TypeEffect::kRefused:
    case TypeEffect::kDropped:
    case TypeEffect::kNeeded:
      return ChangeKind::kBreaking;
  }
  return ChangeKind::kBreaking;
}

TypeDifferences CompareTypes(const Type& from, const Type& to) {
  TypeComparison comparison;
  comparison.Compare(from, to);
  return std::move(comparison).Finish();
}

}  // namespace koya::inspect
