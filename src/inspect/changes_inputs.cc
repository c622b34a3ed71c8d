// Changes of inputs and outputs.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "hcl/type.h"
#include "inspect/change_list.h"
#include "inspect/type_change.h"
#include "inspect/value_form.h"

namespace koya::inspect {
namespace {

std::string Shown(const std::string& text) { return Printable(text, 80); }

std::string Named(std::string_view noun, const std::string& name) {
  return fmt::format("{} \"{}\"", noun, Shown(name));
}

std::string Way(const std::string& from, const std::string& to, std::size_t most) {
  const DifferingTexts shown(from, to, most);
  return fmt::format("from {} to {}", shown.first, shown.second);
}

std::string TypeText(const std::string& written) {
  if (written.empty()) return "any";
  auto type = hcl::ParseType(written);
  return type ? hcl::ToString(*type) : written;
}

// In one line.
std::string DefaultText(const Input& input) {
  if (!input.default_text.contains('\n')) return input.default_text;
  if (!input.default_json.empty()) return input.default_json;
  std::string line;
  for (char c : input.default_text) {
    const bool blank = c == '\n' || c == '\t' || c == ' ';
    if (!blank) line += c;
    if (blank && !line.ends_with(' ')) line += ' ';
  }
  return line;
}

// Compares one input or output with its older self.
template <class T>
class ThingChanges {
 public:
  ThingChanges(ChangeSection section, std::string_view noun, const T& from, const T& to,
               ChangeList& out)
      : section_(section), noun_(noun), from_(from), to_(to), out_(out) {}

  void Tell(ChangeKind kind, std::string sentence) {
    out_.Add(section_, ChangeSign::kChanged, kind, Named(noun_, to_.name), to_.place,
             std::move(sentence));
  }
  // A flag that was turned on or off.
  void TellFlag(bool T::* flag, ChangeKind on, std::string_view on_sentence, ChangeKind off,
                std::string_view off_sentence) {
    if (from_.*flag == to_.*flag) return;
    bool now = to_.*flag;
    Tell(now ? on : off, std::string(now ? on_sentence : off_sentence));
  }
  void TellWords() {
    if (from_.deprecated.empty() && !to_.deprecated.empty()) {
      Tell(ChangeKind::kCompatible, fmt::format("It is deprecated: {}", Shown(to_.deprecated)));
    } else if (!from_.deprecated.empty() && to_.deprecated.empty()) {
      Tell(ChangeKind::kCompatible, "It is no longer deprecated.");
    } else if (from_.deprecated != to_.deprecated) {
      Tell(ChangeKind::kSafe, "Its deprecation message changed.");
    }
    if (from_.description != to_.description) Tell(ChangeKind::kSafe, "Its description changed.");
  }
  // Conditions that were not there before, and those that are gone.
  void TellConditions(std::vector<Condition> T::* conditions, std::string_view noun) {
    if (from_.*conditions == to_.*conditions) return;
    std::multiset<std::string> before;
    for (const Condition& each : from_.*conditions) before.insert(ExpressionForm(each.condition));
    std::string message;
    bool added = false;
    for (const Condition& each : to_.*conditions) {
      if (before.extract(ExpressionForm(each.condition))) continue;
      added = true;
      if (message.empty()) message = each.message;
    }
    if (added) {
      Tell(ChangeKind::kReadThis,
           message.empty()
               ? fmt::format("A {} was added: values accepted before may be rejected.", noun)
               : fmt::format("A {} was added: \"{}\"", noun, Shown(message)));
    } else if (!before.empty()) {
      Tell(ChangeKind::kCompatible, fmt::format("A {} was removed.", noun));
    }
  }

 private:
  ChangeSection section_;
  std::string_view noun_;
  const T& from_;
  const T& to_;
  ChangeList& out_;
};

using InputChanges = ThingChanges<Input>;

hcl::Type TypeOf(const Input& input) {
  return hcl::ParseType(input.type.empty() ? "any" : input.type).value_or(hcl::Type());
}

// What callers have to know of a type that takes other values.
std::string_view EffectWords(TypeEffect effect) {
  switch (effect) {
    case TypeEffect::kReordered:
      return ": clients convert it.";
    case TypeEffect::kConverted:
      return ": clients convert it, and reject values that cannot be converted.";
    case TypeEffect::kRefused:
      return ": values accepted before may be rejected.";
    case TypeEffect::kDropped:
      return " was removed: values from callers are dropped.";
    case TypeEffect::kNeeded:
      return " is required now.";
    case TypeEffect::kAdded:
      return " is new and optional.";
    case TypeEffect::kEased:
      return " is optional now.";
    case TypeEffect::kWider:
    case TypeEffect::kDefault:
      return ".";
  }
  return ".";
}

std::string SentenceOf(const TypeDifference& difference) {
  const std::string what = difference.path.empty()
                               ? std::string("Its type")
                               : "In its type, " + Printable(difference.path, 120);
  const std::string_view effect = EffectWords(difference.effect);
  if (difference.from.empty()) return fmt::format("{}{}", what, effect);
  const std::string_view verb = difference.effect == TypeEffect::kWider     ? "is wider:"
                                : difference.effect == TypeEffect::kDefault ? "has another default:"
                                                                            : "changed";
  return fmt::format("{} {} {}{}", what, verb, Way(difference.from, difference.to, 120), effect);
}

// In configurations from before there were types, the default said which was meant.
bool DefaultSaidType(const Input& from, const hcl::Type& before, const hcl::Type& after) {
  return before.kind == hcl::Type::Kind::kAny && !from.required &&
         FitsType(from.default_json, after);
}

void TellType(const Input& from, const Input& to, InputChanges& changes) {
  if (from.type == to.type) return;
  auto parse = [](const Input& each) {
    return hcl::ParseType(each.type.empty() ? "any" : each.type);
  };
  auto before = parse(from);
  auto after = parse(to);
  if (!before || !after) {
    return changes.Tell(ChangeKind::kReadThis, "Its type changed, and cannot be read.");
  }
  TypeDifferences differences = CompareTypes(*before, *after);
  const bool said_before = DefaultSaidType(from, *before, *after);
  for (TypeDifference& each : differences.listed) {
    if (said_before) each.effect = TypeEffect::kConverted;
    changes.Tell(KindOf(each.effect), SentenceOf(each));
  }
  if (differences.left_out > 0) {
    changes.Tell(KindOf(differences.listed.back().effect),
                 fmt::format("Its type changed in {} more places.", differences.left_out));
  }
}

// The two values as callers get them: a type that changed is said for itself.
bool SameDefault(const Input& from, const Input& to) {
  const bool same_text =
      from.default_text == to.default_text && from.default_json == to.default_json;
  if (same_text) return true;
  const hcl::Type after = TypeOf(to);
  std::string before = DefaultForm(from.default_text, from.default_json, TypeOf(from));
  if (!from.default_json.empty()) before = DefaultForm(before, before, after);
  return before == DefaultForm(to.default_text, to.default_json, after);
}

void TellDefault(const Input& from, const Input& to, InputChanges& changes) {
  if (!from.required && to.required) {
    changes.Tell(ChangeKind::kBreaking, "Its default was removed: it is required now.");
  } else if (from.required && !to.required) {
    changes.Tell(ChangeKind::kCompatible,
                 fmt::format("It is optional now: {}.", Shown(DefaultText(to))));
  } else if (!to.required && !SameDefault(from, to)) {
    std::string before = DefaultText(from);
    std::string after = DefaultText(to);
    // A lone "\r" is visible only in the JSON.
    const bool alike = before == after && !from.default_json.empty() && !to.default_json.empty();
    changes.Tell(
        ChangeKind::kReadThis,
        fmt::format("Its default changed {}.",
                    alike ? Way(from.default_json, to.default_json, 80) : Way(before, after, 80)));
  }
}

void CompareInput(const Input& from, const Input& to, ChangeList& out) {
  InputChanges changes(ChangeSection::kInputs, "input", from, to, out);
  TellType(from, to, changes);
  TellDefault(from, to, changes);
  // With a default, null is taken and means that.
  changes.TellFlag(&Input::nullable, ChangeKind::kCompatible, "It accepts null now.",
                   to.required ? ChangeKind::kBreaking : ChangeKind::kReadThis,
                   to.required ? "It no longer accepts null." : "Null means its default now.");
  changes.TellFlag(&Input::ephemeral, ChangeKind::kBreaking,
                   "It is ephemeral: values derived from it can no longer be stored.",
                   ChangeKind::kCompatible, "It is no longer ephemeral.");
  changes.TellFlag(&Input::constant, ChangeKind::kBreaking,
                   "Its value must be known before evaluation.", ChangeKind::kCompatible,
                   "Its value need not be known before evaluation.");
  changes.TellFlag(&Input::sensitive, ChangeKind::kReadThis,
                   "It is sensitive: outputs derived from it become sensitive, too.",
                   ChangeKind::kReadThis, "It is no longer sensitive: its values may be shown.");
  changes.TellConditions(&Input::validations, "validation");
  changes.TellWords();
}

// The declared type is a promise to users of the output: any other type is another promise.
void TellOutputType(const Output& from, const Output& to, ThingChanges<Output>& changes) {
  if (from.type == to.type) return;
  if (from.type.empty()) {
    return changes.Tell(ChangeKind::kReadThis, fmt::format("Its type is declared: {}.",
                                                           Printable(TypeText(to.type), 120)));
  }
  if (to.type.empty()) {
    return changes.Tell(ChangeKind::kReadThis,
                        fmt::format("Its type is declared no longer: it was {}.",
                                    Printable(TypeText(from.type), 120)));
  }
  auto before = hcl::ParseType(from.type);
  auto after = hcl::ParseType(to.type);
  if (!before || !after) {
    return changes.Tell(ChangeKind::kReadThis, "Its type changed, and cannot be read.");
  }
  std::vector<TypeDifference> differences = CompareTypes(*before, *after).listed;
  std::erase_if(differences, [](const TypeDifference& each) {
    return each.effect == TypeEffect::kDefault;  // nothing is given to it
  });
  if (differences.empty()) return;
  changes.Tell(
      ChangeKind::kBreaking,
      fmt::format("Its type changed {}.", Way(TypeText(from.type), TypeText(to.type), 120)));
}

void CompareOutput(const Output& from, const Output& to, ChangeList& out) {
  ThingChanges<Output> changes(ChangeSection::kOutputs, "output", from, to, out);
  TellOutputType(from, to, changes);
  changes.TellFlag(&Output::ephemeral, ChangeKind::kBreaking,
                   "It is ephemeral: it can be used in fewer places.", ChangeKind::kCompatible,
                   "It is no longer ephemeral.");
  changes.TellFlag(
      &Output::sensitive, ChangeKind::kReadThis,
      "It is sensitive: callers that output it must mark that output as sensitive, or they fail.",
      ChangeKind::kReadThis, "It is no longer sensitive: its value may be shown.");
  changes.TellConditions(&Output::preconditions, "precondition");
  changes.TellWords();
}

template <class T>
const std::string& NameOfThing(const T& each) {
  return each.name;
}

}  // namespace

void CompareInputs(const ModulePart& from, const ModulePart& to, ChangeList& out) {
  Paired pairs(from.inputs, to.inputs, NameOfThing<Input>);
  ChangeList::ForgetUnknown(from, to, pairs,
                            [](const Input& each) { return "variable " + each.name; });
  auto add = [&](ChangeSign sign, ChangeKind kind, const Input& input, std::string sentence) {
    out.Add(ChangeSection::kInputs, sign, kind, Named("input", input.name), input.place,
            std::move(sentence));
  };
  for (const Input* each : pairs.removed) {
    add(ChangeSign::kRemoved, ChangeKind::kBreaking, *each,
        "It was removed: callers that set it fail.");
  }
  for (const Input* each : pairs.added) {
    if (each->required) {
      add(ChangeSign::kAdded, ChangeKind::kBreaking, *each,
          "It is new and has no default: every caller must set it.");
    } else {
      add(ChangeSign::kAdded, ChangeKind::kCompatible, *each,
          fmt::format("It is new and optional: {}.", Shown(DefaultText(*each))));
    }
  }
  for (const auto& [before, after] : pairs.both) CompareInput(*before, *after, out);
}

void CompareOutputs(const ModulePart& from, const ModulePart& to, ChangeList& out) {
  Paired pairs(from.outputs, to.outputs, NameOfThing<Output>);
  ChangeList::ForgetUnknown(from, to, pairs,
                            [](const Output& each) { return "output " + each.name; });
  auto add = [&](ChangeSign sign, ChangeKind kind, const Output& output, std::string sentence) {
    out.Add(ChangeSection::kOutputs, sign, kind, Named("output", output.name), output.place,
            std::move(sentence));
  };
  for (const Output* each : pairs.removed) {
    add(ChangeSign::kRemoved, ChangeKind::kBreaking, *each,
        "It was removed: callers that use it fail.");
  }
  for (const Output* each : pairs.added) {
    add(ChangeSign::kAdded, ChangeKind::kCompatible, *each, "It is new.");
  }
  for (const auto& [before, after] : pairs.both) CompareOutput(*before, *after, out);
}

}  // namespace koya::inspect
