#include "inspect/local_calls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "base/text.h"
#include "inspect/file_names.h"

namespace koya::inspect {
namespace {

// Walks along the calls, without recursion: a chain may be as long as there are folders.
class CallWalk {
 public:
  explicit CallWalk(const std::map<std::string, const ModulePart*>& parts) : parts_(parts) {}

  std::vector<Warning> Run() {
    for (const auto& [path, part] : parts_) {
      if (state_[path] == State::kNew) From(part);
    }
    return std::move(warnings_);
  }

 private:
  enum class State { kNew, kOpen, kDone };
  struct Step {
    const ModulePart* part;
    std::size_t next = 0;
  };

  void From(const ModulePart* first) {
    Enter(first);
    while (!way_.empty()) {
      Step& step = way_.back();
      if (step.next == step.part->calls.size()) {
        state_[step.part->path] = State::kDone;
        way_.pop_back();
      } else {
        Follow(*step.part, step.part->calls[step.next++]);
      }
    }
  }

  void Enter(const ModulePart* part) {
    state_[part->path] = State::kOpen;
    way_.push_back({part});
  }

  void Follow(const ModulePart& caller, const ModuleCall& call) {
    // Calls outside the archive were reported before; they have the address of the root, too.
    if (call.kind != "local" || !JoinFolders(caller.path, call.source)) return;
    auto found = parts_.find(call.address);
    if (found == parts_.end()) return TellMissing(call);
    State state = state_[call.address];
    if (state == State::kNew) Enter(found->second);
    if (state == State::kOpen) TellCircle(call);
  }

  void TellMissing(const ModuleCall& call) {
    warnings_.push_back({fmt::format("the module \"{}\" calls \"{}\", where no configuration lies",
                                     Printable(call.name, 80), Printable(call.source, 120)),
                         call.place});
  }

  void TellCircle(const ModuleCall& call) {
    auto begin = std::ranges::find_if(
        way_, [&](const Step& each) { return each.part->path == call.address; });
    std::vector<std::string> names;
    for (auto at = begin; at != way_.end() && names.size() < 10; ++at) {
      names.push_back(at->part->path.empty() ? "the root" : at->part->path);
    }
    names.push_back(call.address.empty() ? "the root" : call.address);
    warnings_.push_back(
        {fmt::format("modules call one another in a circle: {}", fmt::join(names, " → ")),
         call.place});
  }

  const std::map<std::string, const ModulePart*>& parts_;
  std::map<std::string, State> state_;
  std::vector<Step> way_;
  std::vector<Warning> warnings_;
};

}  // namespace

std::vector<Warning> CheckLocalCalls(const std::vector<const ModulePart*>& parts) {
  std::map<std::string, const ModulePart*> by_path;
  for (const ModulePart* each : parts) by_path.emplace(each->path, each);
  return CallWalk(by_path).Run();
}

}  // namespace koya::inspect
