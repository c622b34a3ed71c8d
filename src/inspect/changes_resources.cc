// Changes of resources, data and calls of modules.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "inspect/change_list.h"

namespace koya::inspect {
namespace {

// A resource or a call of a module.
struct Held {
  std::string address;
  std::string name;
  const Repetition* repetition = nullptr;
  const ModuleCall* call = nullptr;  // of a module
  const Place* place = nullptr;
};

const std::string& AddressOf(const Held& held) { return held.address; }

std::vector<Held> HeldBy(const ModulePart& part) {
  std::vector<Held> out;
  out.reserve(part.resources.size() + part.calls.size());
  for (const Resource& each : part.resources) {
    out.push_back({each.Address(), each.name, &each.repetition, nullptr, &each.place});
  }
  for (const ModuleCall& each : part.calls) {
    out.push_back({"module." + each.name, each.name, &each.repetition, &each, &each.place});
  }
  return out;
}

// False for things that are only read, or run, during a plan or apply: they cannot be replaced.
bool HasState(const Held& held) {
  return !held.address.starts_with("data.") && !held.address.starts_with("ephemeral.") &&
         !held.address.starts_with("action.");
}

// Compares the called module, not its spelling: "./a/" is "./a", and a registry may be named or
// not.
bool CallsTheSame(const ModuleCall& from, const ModuleCall& to) {
  if (from.source == to.source) return true;
  // What lies outside of the archive has no address.
  return !from.address.empty() && from.kind == to.kind && from.address == to.address &&
         from.subfolder == to.subfolder;
}

// "aws_vpc.a" of "aws_vpc.a[0]", "module.b" of "module.b[\"x\"].aws_vpc.c".
std::string Ground(std::string_view address) {
  std::string_view ground = address.substr(0, address.find('['));
  if (!ground.starts_with("module.")) return std::string(ground);
  return std::string(ground.substr(0, ground.find('.', 7)));
}

// "data this", " this": resources turn into resources only, data into data.
std::string KindAndName(const Held& held) {
  const std::string_view word = std::string_view(held.address).substr(0, held.address.find('.'));
  const bool special =
      word == "data" || word == "ephemeral" || word == "module" || word == "action";
  return fmt::format("{} {}", special ? word : "", held.name);
}

class ResourceChanges {
 public:
  ResourceChanges(const ModulePart& from, const ModulePart& to, ChangeList& out)
      : before_(HeldBy(from)),
        after_(HeldBy(to)),
        pairs_(before_, after_, AddressOf),
        out_(out),
        from_(from),
        to_(to) {
    for (const Refactoring& each : to.refactorings) {
      if (each.kind == "moved") moved_.emplace(Ground(each.from), &each);
      if (each.kind == "removed") removed_.emplace(Ground(each.from), &each);
    }
    if (moved_.empty()) return;
    for (const Held& each : after_) now_.emplace(each.address, &each);
  }

  void Run() {
    if (!pairs_.removed.empty()) {
      for (const Held* each : pairs_.added) added_.emplace(KindAndName(*each), each);
    }
    for (const Held* each : pairs_.removed) TellGone(*each);
    for (const Held* each : pairs_.added) {
      if (from_.MayDeclare(each->address) || told_.contains(each->address)) continue;
      Tell(ChangeSign::kAdded, HasState(*each) ? ChangeKind::kCompatible : ChangeKind::kSafe, *each,
           Say("new", "It is new."));
    }
    for (const auto& [before, after] : pairs_.both) Compare(*before, *after);
  }

 private:
  void Tell(ChangeSign sign, ChangeKind kind, const Held& held, Sentence sentence) {
    out_.Add(ChangeSection::kResources, sign, kind, Printable(held.address, 160), *held.place,
             std::move(sentence));
  }

  void TellGone(const Held& gone) {
    if (moved_.contains(gone.address)) return TellMoved(gone);
    if (auto removed = removed_.find(gone.address); removed != removed_.end()) {
      return TellRemoved(gone, *removed->second);
    }
    // A file that could not be read may declare it, or the block that moves or removes it.
    const bool unknown =
        to_.MayDeclare(gone.address) || to_.MayDeclare("moved") || to_.MayDeclare("removed");
    if (unknown) return;
    if (!HasState(gone)) {
      return Tell(ChangeSign::kRemoved, ChangeKind::kSafe, gone, Say("data_gone", "It is gone."));
    }
    if (const Held* other = OtherType(gone)) {
      told_.insert(other->address);
      return Tell(
          ChangeSign::kChanged, ChangeKind::kReadThis, *other,
          Say("type_of_resource", "Its type changed, it was {}: existing objects are replaced.",
              Printable(gone.address, 160)));
    }
    Tell(ChangeSign::kRemoved, ChangeKind::kReadThis, gone,
         Say("resource_gone",
             "It was removed without a moved or removed block: existing objects are destroyed."));
  }

  void TellRemoved(const Held& gone, const Refactoring& block) {
    out_.Add(
        ChangeSection::kResources, ChangeSign::kRemoved, ChangeKind::kSafe,
        Printable(gone.address, 160), block.place,
        block.destroys
            ? Say("removed_destroys", "Removed by a removed block: existing objects are destroyed.")
            : Say("removed_keeps",
                  "Removed by a removed block: existing objects are kept, but no longer managed."));
  }

  // Where the moved blocks lead in the end: those of versions before may still stand there.
  std::string EndOf(const Refactoring& moved) const {
    std::string end = Ground(moved.to);
    std::set<std::string> passed;
    auto next = moved_.find(end);
    while (!now_.contains(end) && next != moved_.end() && passed.insert(end).second) {
      end = Ground(next->second->to);
      next = moved_.find(end);
    }
    return end;
  }

  void TellMoved(const Held& gone) {
    const Refactoring& block = *moved_.find(gone.address)->second;
    const std::string end = EndOf(block);
    if (auto removed = removed_.find(end); removed != removed_.end()) {
      return TellRemoved(gone, *removed->second);
    }
    auto target = now_.find(end);
    if (target == now_.end() && !to_.MayDeclare(end)) {
      out_.Add(
          ChangeSection::kResources, ChangeSign::kRemoved, ChangeKind::kReadThis,
          Printable(gone.address, 160), block.place,
          Say("moved_nowhere",
              "A moved block leads to {}, which does not exist: existing objects are destroyed.",
              Printable(end, 160)));
      return;
    }
    told_.insert(end);
    out_.Add(
        ChangeSection::kResources, ChangeSign::kMoved, ChangeKind::kSafe,
        Printable(gone.address, 160), block.place,
        Say("moved_to", "A moved block leads to {}: nothing is replaced.", Printable(end, 160)));
    const bool whole = block.from == gone.address && block.to == end;
    if (whole && target != now_.end()) CompareRepetition(*gone.repetition, *target->second);
  }

  // An added element of the same name that no other line reports as changed. Each candidate is
  // examined only once: hundreds of resources may be called "this".
  const Held* OtherType(const Held& gone) {
    auto [at, end] = added_.equal_range(KindAndName(gone));
    while (at != end) {
      const Held* other = at->second;
      at = added_.erase(at);
      if (!told_.contains(other->address)) return other;
    }
    return nullptr;
  }

  void Compare(const Held& from, const Held& to) {
    if (!moved_.contains(to.address)) CompareRepetition(*from.repetition, to);
    if (to.call == nullptr) return;
    const std::string& before = from.call->constraint;
    const std::string& after = to.call->constraint;
    if (!CallsTheSame(*from.call, *to.call)) {
      const DifferingTexts shown(to.call->source, from.call->source, 120);
      Tell(ChangeSign::kChanged, ChangeKind::kReadThis, to,
           Say("other_module", "Another module is called: {} instead of {}.", shown.first,
               shown.second));
    } else if (before != after) {
      TellVersion(before, after, to);
    }
  }

  // Which majors are called is what the lower ends say.
  void TellVersion(const std::string& before, const std::string& after, const Held& to) {
    const auto old_range = ReadRange(before, ConstraintStyle::kModule);
    const auto new_range = ReadRange(after, ConstraintStyle::kModule);
    const bool same = old_range && old_range == new_range;
    const bool same_major = old_range && new_range && old_range->lower[0] == new_range->lower[0];
    const DifferingTexts shown(after, before, 80);
    const auto tell = [&](ChangeKind kind, Sentence sentence) {
      Tell(ChangeSign::kChanged, kind, to, std::move(sentence));
    };
    if (same) {
      tell(ChangeKind::kSafe,
           Say("range_of_module",
               "The range of its versions is written differently: \"{}\" instead of \"{}\".",
               shown.first, shown.second));
    } else if (same_major) {
      tell(
          ChangeKind::kSafe,
          Say("other_version", "Another version of its module is called: \"{}\" instead of \"{}\".",
              shown.first, shown.second));
    } else {
      tell(ChangeKind::kReadThis,
           Say("other_major",
               "Another major version of its module is called: \"{}\" instead of \"{}\".",
               shown.first, shown.second));
    }
  }

  // Clients move one that is not repeated to the first of "count", and back, by themselves.
  void CompareRepetition(const Repetition& from, const Held& to) {
    const std::string before = from.Kind();
    const std::string after = to.repetition->Kind();
    if (before == after) return;
    bool harmless = !HasState(to) || (before != "for_each" && after != "for_each");
    auto named = [](const std::string& kind) { return kind.empty() ? "a single one" : kind; };
    const std::string was = named(before);
    const std::string is = named(after);
    if (!harmless) {
      return Tell(ChangeSign::kChanged, ChangeKind::kReadThis, to,
                  Say("went_replaced",
                      "It went from {} to {}: addresses change, and existing objects may be "
                      "replaced.",
                      was, is));
    }
    Tell(ChangeSign::kChanged, ChangeKind::kSafe, to,
         HasState(to)
             ? Say("went_moved", "It went from {} to {}: clients move existing objects.", was, is)
             : Say("went", "It went from {} to {}.", was, is));
  }

  std::vector<Held> before_;
  std::vector<Held> after_;
  Paired<Held, decltype(&AddressOf)> pairs_;
  ChangeList& out_;
  const ModulePart& from_;
  const ModulePart& to_;
  std::map<std::string, const Held*> now_;             // by address, where anything moved
  std::map<std::string, const Refactoring*> moved_;    // by what they come from
  std::map<std::string, const Refactoring*> removed_;  // likewise
  std::multimap<std::string, const Held*> added_;      // by kind and name
  std::set<std::string> told_;                         // new ones that another line reports
};

}  // namespace

void CompareResources(const ModulePart& from, const ModulePart& to, ChangeList& out) {
  ResourceChanges(from, to, out).Run();
}

}  // namespace koya::inspect
