// Changes of inputs and outputs.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "hcl/type.h"
#include "inspect/change_list.h"

namespace koya::inspect {
namespace {

std::string Shown(const std::string& text) { return Printable(text, 80); }

Subject Named(std::string_view noun, const std::string& name) { return {noun, Shown(name)}; }

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

struct ConditionWords {
  Sentence added, removed;
  Sentence (*Added)(const std::string& message);
};
const ConditionWords& ValidationWords() {
  static const auto* words = new ConditionWords{
      Say("validation_new", "A validation was added: values accepted before may be rejected."),
      Say("validation_gone", "A validation was removed."), [](const std::string& message) {
        return Say("validation_says", "A validation was added: \"{}\"", message);
      }};
  return *words;
}
const ConditionWords& PreconditionWords() {
  static const auto* words = new ConditionWords{
      Say("precondition_new", "A precondition was added: values accepted before may be rejected."),
      Say("precondition_gone", "A precondition was removed."), [](const std::string& message) {
        return Say("precondition_says", "A precondition was added: \"{}\"", message);
      }};
  return *words;
}

// Compares one input or output with its older self.
template <class T>
class ThingChanges {
 public:
  ThingChanges(ChangeSection section, std::string_view noun, const T& from, const T& to,
               ChangeList& out)
      : section_(section), noun_(noun), from_(from), to_(to), out_(out) {}

  void Tell(ChangeKind kind, Sentence sentence) {
    out_.Add(section_, ChangeSign::kChanged, kind, Named(noun_, to_.name), to_.place,
             std::move(sentence))
        .before = from_.place;
  }
  // A flag that was turned on or off.
  void TellFlag(bool T::* flag, ChangeKind on, Sentence on_sentence, ChangeKind off,
                Sentence off_sentence) {
    if (from_.*flag == to_.*flag) return;
    bool now = to_.*flag;
    Tell(now ? on : off, std::move(now ? on_sentence : off_sentence));
  }
  void TellWords() {
    if (from_.deprecated.empty() && !to_.deprecated.empty()) {
      Tell(ChangeKind::kCompatible,
           Say("deprecated", "It is deprecated: {}", Shown(to_.deprecated)));
    } else if (!from_.deprecated.empty() && to_.deprecated.empty()) {
      Tell(ChangeKind::kCompatible, Say("undeprecated", "It is no longer deprecated."));
    } else if (from_.deprecated != to_.deprecated) {
      Tell(ChangeKind::kSafe, Say("deprecation_changed", "Its deprecation message changed."));
    }
    if (from_.description != to_.description)
      Tell(ChangeKind::kSafe, Say("description_changed", "Its description changed."));
  }
  // Conditions that were not there before, and those that are gone.
  void TellConditions(std::vector<Condition> T::* conditions, const ConditionWords& words) {
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
      Tell(ChangeKind::kReadThis, message.empty() ? words.added : words.Added(Shown(message)));
    } else if (!before.empty()) {
      Tell(ChangeKind::kCompatible, words.removed);
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

Sentence SentenceOfWhole(TypeEffect effect, const DifferingTexts& shown) {
  const std::string& from = shown.first;
  const std::string& to = shown.second;
  switch (effect) {
    case TypeEffect::kWider:
      return Say("type_wider", "Its type is wider: from {} to {}.", from, to);
    case TypeEffect::kReordered:
      return Say("type_reordered", "Its type changed from {} to {}: clients convert it.", from, to);
    case TypeEffect::kConverted:
      return Say("type_converted",
                 "Its type changed from {} to {}: clients convert it, and reject values that "
                 "cannot be converted.",
                 from, to);
    default:
      return Say("type_changed",
                 "Its type changed from {} to {}: values accepted before may be rejected.", from,
                 to);
  }
}

// What callers have to know of a type that takes other values: of the whole, or of a part of it.
Sentence SentenceOf(const TypeDifference& difference) {
  const DifferingTexts shown(difference.from, difference.to, 120);
  if (difference.path.empty()) return SentenceOfWhole(difference.effect, shown);
  const std::string& from = shown.first;
  const std::string& to = shown.second;
  const std::string path = Printable(difference.path, 120);
  switch (difference.effect) {
    case TypeEffect::kReordered:
      return Say("type_reordered_inside",
                 "In its type, {} changed from {} to {}: clients convert it.", path, from, to);
    case TypeEffect::kConverted:
      return Say("type_converted_inside",
                 "In its type, {} changed from {} to {}: clients convert it, and reject values "
                 "that cannot be converted.",
                 path, from, to);
    case TypeEffect::kRefused:
      return Say("type_changed_inside",
                 "In its type, {} changed from {} to {}: values accepted before may be rejected.",
                 path, from, to);
    case TypeEffect::kDropped:
      return Say("type_dropped_inside",
                 "In its type, {} was removed: values from callers are dropped.", path);
    case TypeEffect::kNeeded:
      return Say("type_needed_inside", "In its type, {} is required now.", path);
    case TypeEffect::kAdded:
      return Say("type_new_inside", "In its type, {} is new and optional.", path);
    case TypeEffect::kEased:
      return Say("type_eased_inside", "In its type, {} is optional now.", path);
    case TypeEffect::kWider:
      return Say("type_wider_inside", "In its type, {} is wider: from {} to {}.", path, from, to);
    case TypeEffect::kDefault:
      return Say("type_default", "In its type, {} has another default: from {} to {}.", path, from,
                 to);
  }
  return {};
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
    return changes.Tell(ChangeKind::kReadThis,
                        Say("type_unread", "Its type changed, and cannot be read."));
  }
  TypeDifferences differences = CompareTypes(*before, *after);
  const bool said_before = DefaultSaidType(from, *before, *after);
  for (TypeDifference& each : differences.listed) {
    if (said_before) each.effect = TypeEffect::kConverted;
    changes.Tell(KindOf(each.effect), SentenceOf(each));
  }
  if (differences.left_out > 0) {
    changes.Tell(KindOf(differences.listed.back().effect),
                 Say("type_more", "Its type changed in {} more places.", differences.left_out));
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
    changes.Tell(ChangeKind::kBreaking,
                 Say("default_gone", "Its default was removed: it is required now."));
  } else if (from.required && !to.required) {
    changes.Tell(ChangeKind::kCompatible,
                 Say("default_new", "It is optional now: {}.", Shown(DefaultText(to))));
  } else if (!to.required && !SameDefault(from, to)) {
    std::string before = DefaultText(from);
    std::string after = DefaultText(to);
    // A lone "\r" is visible only in the JSON.
    const bool alike = before == after && !from.default_json.empty() && !to.default_json.empty();
    const DifferingTexts shown(alike ? from.default_json : before, alike ? to.default_json : after,
                               80);
    changes.Tell(ChangeKind::kReadThis, Say("default_changed", "Its default changed from {} to {}.",
                                            shown.first, shown.second));
  }
}

void CompareInput(const Input& from, const Input& to, ChangeList& out) {
  InputChanges changes(ChangeSection::kInputs, "input", from, to, out);
  TellType(from, to, changes);
  TellDefault(from, to, changes);
  // With a default, null is taken and means that.
  changes.TellFlag(&Input::nullable, ChangeKind::kCompatible,
                   Say("null_taken", "It accepts null now."),
                   to.required ? ChangeKind::kBreaking : ChangeKind::kReadThis,
                   to.required ? Say("null_refused", "It no longer accepts null.")
                               : Say("null_default", "Null means its default now."));
  changes.TellFlag(
      &Input::ephemeral, ChangeKind::kBreaking,
      Say("ephemeral_input", "It is ephemeral: values derived from it can no longer be stored."),
      ChangeKind::kCompatible, Say("not_ephemeral", "It is no longer ephemeral."));
  changes.TellFlag(&Input::constant, ChangeKind::kBreaking,
                   Say("constant", "Its value must be known before evaluation."),
                   ChangeKind::kCompatible,
                   Say("not_constant", "Its value need not be known before evaluation."));
  changes.TellFlag(
      &Input::sensitive, ChangeKind::kReadThis,
      Say("sensitive_input", "It is sensitive: outputs derived from it become sensitive, too."),
      ChangeKind::kReadThis,
      Say("not_sensitive_input", "It is no longer sensitive: its values may be shown."));
  changes.TellConditions(&Input::validations, ValidationWords());
  changes.TellWords();
}

// The declared type is a promise to users of the output: any other type is another promise.
void TellOutputType(const Output& from, const Output& to, ThingChanges<Output>& changes) {
  if (from.type == to.type) return;
  if (from.type.empty()) {
    return changes.Tell(ChangeKind::kReadThis, Say("type_declared", "Its type is declared: {}.",
                                                   Printable(TypeText(to.type), 120)));
  }
  if (to.type.empty()) {
    return changes.Tell(ChangeKind::kReadThis,
                        Say("type_undeclared", "Its type is declared no longer: it was {}.",
                            Printable(TypeText(from.type), 120)));
  }
  auto before = hcl::ParseType(from.type);
  auto after = hcl::ParseType(to.type);
  if (!before || !after) {
    return changes.Tell(ChangeKind::kReadThis,
                        Say("type_unread", "Its type changed, and cannot be read."));
  }
  std::vector<TypeDifference> differences = CompareTypes(*before, *after).listed;
  std::erase_if(differences, [](const TypeDifference& each) {
    return each.effect == TypeEffect::kDefault;  // nothing is given to it
  });
  if (differences.empty()) return;
  const DifferingTexts shown(TypeText(from.type), TypeText(to.type), 120);
  changes.Tell(ChangeKind::kBreaking,
               Say("type_of_output", "Its type changed from {} to {}.", shown.first, shown.second));
}

void CompareOutput(const Output& from, const Output& to, ChangeList& out) {
  ThingChanges<Output> changes(ChangeSection::kOutputs, "output", from, to, out);
  TellOutputType(from, to, changes);
  changes.TellFlag(&Output::ephemeral, ChangeKind::kBreaking,
                   Say("ephemeral_output", "It is ephemeral: it can be used in fewer places."),
                   ChangeKind::kCompatible, Say("not_ephemeral", "It is no longer ephemeral."));
  changes.TellFlag(
      &Output::sensitive, ChangeKind::kReadThis,
      Say("sensitive_output",
          "It is sensitive: callers that output it must mark that output as sensitive, or they "
          "fail."),
      ChangeKind::kReadThis,
      Say("not_sensitive_output", "It is no longer sensitive: its value may be shown."));
  changes.TellConditions(&Output::preconditions, PreconditionWords());
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
  auto add = [&](ChangeSign sign, ChangeKind kind, const Input& input, Sentence sentence) {
    out.Add(ChangeSection::kInputs, sign, kind, Named("input", input.name), input.place,
            std::move(sentence));
  };
  for (const Input* each : pairs.removed) {
    add(ChangeSign::kRemoved, ChangeKind::kBreaking, *each,
        Say("gone_given", "It was removed: callers that set it fail."));
  }
  for (const Input* each : pairs.added) {
    if (each->required) {
      add(ChangeSign::kAdded, ChangeKind::kBreaking, *each,
          Say("new_required", "It is new and has no default: every caller must set it."));
    } else {
      add(ChangeSign::kAdded, ChangeKind::kCompatible, *each,
          Say("new_optional", "It is new and optional: {}.", Shown(DefaultText(*each))));
    }
  }
  for (const auto& [before, after] : pairs.both) CompareInput(*before, *after, out);
}

void CompareOutputs(const ModulePart& from, const ModulePart& to, ChangeList& out) {
  Paired pairs(from.outputs, to.outputs, NameOfThing<Output>);
  ChangeList::ForgetUnknown(from, to, pairs,
                            [](const Output& each) { return "output " + each.name; });
  auto add = [&](ChangeSign sign, ChangeKind kind, const Output& output, Sentence sentence) {
    out.Add(ChangeSection::kOutputs, sign, kind, Named("output", output.name), output.place,
            std::move(sentence));
  };
  for (const Output* each : pairs.removed) {
    add(ChangeSign::kRemoved, ChangeKind::kBreaking, *each,
        Say("gone_used", "It was removed: callers that use it fail."));
  }
  for (const Output* each : pairs.added) {
    add(ChangeSign::kAdded, ChangeKind::kCompatible, *each, Say("new", "It is new."));
  }
  for (const auto& [before, after] : pairs.both) CompareOutput(*before, *after, out);
}

}  // namespace koya::inspect
