// Changes of inputs and outputs.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "hcl/type.h"
#include "inspect/change_list.h"
#include "inspect/type_change.h"

namespace koya::inspect {
namespace {

std::string Shown(const std::string& text) { return Printable(text, 80); }

std::string Named(std::string_view noun, const std::string& name) {
  return fmt::format("{} \"{}\"", noun, Shown(name));
}

std::string TypeText(const Input& input) {
  if (input.type.empty()) return "any";
  auto type = hcl::ParseType(input.type);
  return Printable(type ? hcl::ToString(*type) : input.type, 120);
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
      Tell(ChangeKind::kSafe, "What its deprecation says changed.");
    }
    if (from_.description != to_.description) Tell(ChangeKind::kSafe, "Its description changed.");
  }
  // Conditions that were not there before, and those that are gone.
  void TellConditions(std::vector<Condition> T::* conditions, std::string_view noun) {
    if (from_.*conditions == to_.*conditions) return;
    std::multiset<std::string> before;
    for (const Condition& each : from_.*conditions) before.insert(each.condition);
    std::string message;
    bool added = false;
    for (const Condition& each : to_.*conditions) {
      if (before.extract(each.condition)) continue;
      added = true;
      if (message.empty()) message = each.message;
    }
    if (added) {
      Tell(ChangeKind::kReadThis,
           message.empty()
               ? fmt::format("A {} was added: what was taken before may be refused.", noun)
               : fmt::format("A {} was added: \"{}\"", noun, Shown(message)));
    } else if (!before.empty()) {
      Tell(ChangeKind::kCompatible, fmt::format("A {} was taken away.", noun));
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
  auto way = [&] { return fmt::format("from {} to {}", TypeText(from), TypeText(to)); };
  switch (CompareTypes(*before, *after)) {
    case TypeChange::kSame:
      return;
    case TypeChange::kDefaults:
      return changes.Tell(ChangeKind::kReadThis, "A default inside its type changed.");
    case TypeChange::kWider:
      return changes.Tell(ChangeKind::kCompatible, fmt::format("Its type is wider: {}.", way()));
    case TypeChange::kNarrower:
      return changes.Tell(
          ChangeKind::kBreaking,
          fmt::format("Its type changed {}: values that were taken may be refused.", way()));
  }
}

// Literals are compared by what they mean, other expressions as they are written.
bool SameDefault(const Input& from, const Input& to) {
  bool literal = !from.default_json.empty() && !to.default_json.empty();
  return literal ? from.default_json == to.default_json : from.default_text == to.default_text;
}

void TellDefault(const Input& from, const Input& to, InputChanges& changes) {
  if (!from.required && to.required) {
    changes.Tell(ChangeKind::kBreaking, "Its default is gone: it has to be given.");
  } else if (from.required && !to.required) {
    changes.Tell(ChangeKind::kCompatible,
                 fmt::format("It need not be given any more: {}.", Shown(to.default_text)));
  } else if (!to.required && !SameDefault(from, to)) {
    changes.Tell(ChangeKind::kReadThis,
                 fmt::format("Its default changed from {} to {}.", Shown(from.default_text),
                             Shown(to.default_text)));
  }
}

void CompareInput(const Input& from, const Input& to, ChangeList& out) {
  InputChanges changes(ChangeSection::kInputs, "input", from, to, out);
  TellType(from, to, changes);
  TellDefault(from, to, changes);
  changes.TellFlag(&Input::nullable, ChangeKind::kCompatible, "It takes null now.",
                   ChangeKind::kBreaking, "It takes null no longer.");
  changes.TellFlag(&Input::ephemeral, ChangeKind::kBreaking,
                   "It is ephemeral: what is made of it can no longer be stored.",
                   ChangeKind::kCompatible, "It is no longer ephemeral.");
  changes.TellFlag(&Input::constant, ChangeKind::kBreaking,
                   "It has to be known before anything is evaluated.", ChangeKind::kCompatible,
                   "It need not be known before anything is evaluated.");
  changes.TellFlag(&Input::sensitive, ChangeKind::kReadThis,
                   "It is sensitive: outputs made of it become so, too.", ChangeKind::kReadThis,
                   "It is no longer sensitive: its values may be shown.");
  changes.TellConditions(&Input::validations, "validation");
  changes.TellWords();
}

void CompareOutput(const Output& from, const Output& to, ChangeList& out) {
  ThingChanges<Output> changes(ChangeSection::kOutputs, "output", from, to, out);
  changes.TellFlag(&Output::ephemeral, ChangeKind::kBreaking,
                   "It is ephemeral: it can be used in fewer places.", ChangeKind::kCompatible,
                   "It is no longer ephemeral.");
  changes.TellFlag(&Output::sensitive, ChangeKind::kReadThis,
                   "It is sensitive: outputs made of it have to say so, too.",
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
        "It is gone: callers that give it are refused.");
  }
  for (const Input* each : pairs.added) {
    if (each->required) {
      add(ChangeSign::kAdded, ChangeKind::kBreaking, *each,
          "It is new and has no default: every caller has to give it.");
    } else {
      add(ChangeSign::kAdded, ChangeKind::kCompatible, *each,
          fmt::format("It is new, and may be left out: {}.", Shown(each->default_text)));
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
        "It is gone: callers that use it are refused.");
  }
  for (const Output* each : pairs.added) {
    add(ChangeSign::kAdded, ChangeKind::kCompatible, *each, "It is new.");
  }
  for (const auto& [before, after] : pairs.both) CompareOutput(*before, *after, out);
}

}  // namespace koya::inspect
