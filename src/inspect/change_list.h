// The parts of a comparison: collects changes (one thread), pairs the elements to compare, and
// compares types, values and version constraints by meaning (pure).
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "domain/version_constraint.h"
#include "hcl/type.h"
#include "inspect/changes.h"

namespace koya::inspect {

// What a change concerns: an item of a kind that has a name in every language (Change::item), or
// any text.
struct Subject {
  Subject(std::string text) : name(std::move(text)) {}  // NOLINT(*-explicit-*)
  Subject(std::string_view kind, std::string text) : item(kind), name(std::move(text)) {}
  std::string Text() const;

  std::string_view item;
  std::string name;
};

// A sentence about a change. Its code stands for it in the API and in other languages
// (web/words, say.CODE): a sentence that changes its meaning gets another code.
struct Sentence {
  std::string_view code;
  std::string text;
  std::vector<std::string> arguments;
};
template <class... Arguments>
Sentence Say(std::string_view code, fmt::format_string<const Arguments&...> text,
             const Arguments&... arguments) {
  return {code, fmt::format(text, arguments...), {fmt::to_string(arguments)...}};
}

Change MakeChange(ChangeSection section, ChangeSign sign, ChangeKind kind, Subject subject,
                  Place place, Sentence sentence, const std::string& folder = {});

// Collects the changes of one folder; prefixes names in it with the folder.
class ChangeList {
 public:
  ChangeList(const std::string& folder, std::vector<Change>& out) : folder_(folder), out_(out) {}

  // Drops pairs that only seem to be added or removed because the other side has a file that could
  // not be read and may declare them. `declaration`: the name of an element's declaration, as in
  // DeclarationScan.
  template <class Pairs, class Declaration>
  static void ForgetUnknown(const ModulePart& from, const ModulePart& to, Pairs& pairs,
                            Declaration declaration) {
    std::erase_if(pairs.removed,
                  [&](const auto* each) { return to.MayDeclare(declaration(*each)); });
    std::erase_if(pairs.added,
                  [&](const auto* each) { return from.MayDeclare(declaration(*each)); });
  }

  // Returns the change, until the next one is added.
  Change& Add(ChangeSection section, ChangeSign sign, ChangeKind kind, Subject subject,
              const Place& place, Sentence sentence) {
    return out_.emplace_back(
        MakeChange(section, sign, kind, std::move(subject), place, std::move(sentence), folder_));
  }

 private:
  std::string folder_;
  std::vector<Change>& out_;
};

// Pairs the elements of two lists by `key`, a text inside each element; of several in `from` with
// the same key, the first counts. `both` and `added` are in the order of `to`, `removed` in that of
// `from`.
template <class T, class Key>
struct Paired {
  static_assert(std::is_same_v<std::invoke_result_t<Key, const T&>, const std::string&>);
  std::vector<std::pair<const T*, const T*>> both;
  std::vector<const T*> added;
  std::vector<const T*> removed;

  Paired(const std::vector<T>& from, const std::vector<T>& to, Key key) {
    std::unordered_map<std::string_view, const T*> before(from.size());
    for (const T& each : from) before.emplace(key(each), &each);
    for (const T& each : to) {
      auto known = before.find(key(each));
      if (known == before.end()) {
        added.push_back(&each);
      } else {
        both.emplace_back(known->second, &each);
        before.erase(known);
      }
    }
    if (before.empty()) return;
    for (const T& each : from) {
      auto left = before.find(key(each));
      if (left != before.end() && left->second == &each) removed.push_back(&each);
    }
  }
};

// Two texts to show beside each other, each at most `most` bytes long. Texts that would look alike
// are shown from a little before the first difference on.
struct DifferingTexts {
  DifferingTexts(std::string_view a, std::string_view b, std::size_t most);
  std::string first;
  std::string second;
};

void CompareInputs(const ModulePart& from, const ModulePart& to, ChangeList& out);
void CompareOutputs(const ModulePart& from, const ModulePart& to, ChangeList& out);
// Compares resources, data and calls of modules.
void CompareResources(const ModulePart& from, const ModulePart& to, ChangeList& out);
// Compares requirements of providers and client versions.
void CompareRequirements(const ModulePart& from, const ModulePart& to, ChangeList& out);

// Forms of expressions: two with the same meaning are equal however they are written.

// The words of an expression without blanks, comments and line ends between them. A text that is
// not an expression is returned unchanged.
std::string ExpressionForm(std::string_view expression);

// Normalizes a default: `text` as written, `json` its value, "" if it is not a literal. A literal
// is converted to `type` as clients do: numbers by value, attributes by name, defaults of
// optional() filled in, sets without order. The result for a literal is JSON, unless it would be
// very long; other defaults become expressions.
std::string DefaultForm(const std::string& text, const std::string& json, const hcl::Type& type);

// True if clients can convert a literal, given as JSON, to `type`. Null gives no information about
// the type: false.
bool FitsType(const std::string& json, const hcl::Type& type);

// How a changed type affects users who supply a value for it.
enum class TypeEffect : std::uint8_t {
  kWider,      // accepts all values that it accepted
  kAdded,      // a new optional attribute
  kEased,      // an attribute became optional
  kDefault,    // optional() gives another default
  kReordered,  // a list is a set, or a set a list: clients convert it
  kConverted,  // clients convert values that fit, and reject the others
  kRefused,    // values that were accepted may be rejected
  kDropped,    // an attribute was removed: clients drop its value
  kNeeded,     // a required attribute
};

struct TypeDifference {
  TypeEffect effect = TypeEffect::kWider;
  std::string path;  // "[*].subnet_id"; "" for the type itself
  // The types at that path, for kDefault the defaults; empty where an attribute was added or
  // removed.
  std::string from = {};
  std::string to = {};
};

struct TypeDifferences {
  std::vector<TypeDifference> listed;  // most important first; at most kMostListed
  std::size_t left_out = 0;
};
inline constexpr std::size_t kMostListed = 10;

// No differences for types that accept and mean the same. About linear in the size of both.
TypeDifferences CompareTypes(const hcl::Type& from, const hcl::Type& to);

ChangeKind KindOf(TypeEffect effect);

using VersionNumbers = std::array<std::uint64_t, 3>;

// The range of a version constraint, to describe how one constraint differs from another.
struct VersionRange {
  VersionNumbers lower{};                // inclusive; 0.0.0: no lower end
  std::optional<VersionNumbers> upper;   // exclusive; nullopt: no upper end
  std::vector<VersionNumbers> excluded;  // inside the range, by "!="; sorted
  // Parts that name a prerelease: "=1.2.0-rc1"; sorted.
  std::vector<std::string> prereleases;
  friend bool operator==(const VersionRange&, const VersionRange&) = default;
};

// Reads ">= 1.2, < 2.0". Prereleases do not affect the ends. nullopt if the text is no constraint.
std::optional<VersionRange> ReadRange(std::string_view constraint, ConstraintStyle style);

std::string ToString(const VersionNumbers& numbers);

}  // namespace koya::inspect
