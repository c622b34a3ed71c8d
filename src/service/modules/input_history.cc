#include "service/modules/input_history.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "domain/module_record.h"
#include "inspect/contents.h"
#include "service/common/reading.h"
#include "service/modules/module_metadata.h"

namespace koya::service {
namespace {

// Inputs or outputs by name, the first of each: a module may have a hundred thousand.
template <class Thing>
using ByName = std::unordered_map<std::string_view, const Thing*>;

template <class Thing>
ByName<Thing> NamesOf(const std::vector<Thing>& things) {
  ByName<Thing> names;
  names.reserve(things.size());
  for (const Thing& each : things) names.emplace(each.name, &each);
  return names;
}

// Those that `older` lacks came in `version`, and are looked for no further.
template <class Thing>
void FindAdded(const ByName<Thing>& older, const std::string& version,
               std::vector<const Thing*>& unadded, std::map<std::string, std::string>& added_in) {
  std::erase_if(unadded, [&](const Thing* each) {
    const bool is_new = !older.contains(each->name);
    if (is_new) added_in.emplace(each->name, version);
    return is_new;
  });
}

// Inputs and outputs whose history is not known yet, during the walk through the versions.
class HistoryWalk {
 public:
  // `newest` must outlive this.
  explicit HistoryWalk(const inspect::ModulePart& newest) {
    for (const inspect::Input& each : newest.inputs) {
      unadded_.push_back(&each);
      if (!each.required) unchanged_.push_back(&each);
    }
    for (const inspect::Output& each : newest.outputs) unadded_outputs_.push_back(&each);
  }

  // `older` comes right before `version`.
  void Compare(const inspect::ModulePart& older, const std::string& version) {
    const ByName<inspect::Input> inputs = NamesOf(older.inputs);
    FindAdded(inputs, version, unadded_, history_.added_in);
    FindAdded(NamesOf(older.outputs), version, unadded_outputs_, history_.outputs_added_in);
    std::erase_if(unchanged_, [&](const inspect::Input* each) {
      const auto before = inputs.find(each->name);
      if (before == inputs.end()) return true;  // it came then, and its default with it
      const bool changed =
          before->second->required || before->second->default_text != each->default_text;
      if (changed) history_.default_since.emplace(each->name, version);
      return changed;
    });
  }

  InputHistory Take() { return std::move(history_); }

 private:
  std::vector<const inspect::Input*> unadded_;
  std::vector<const inspect::Input*> unchanged_;
  std::vector<const inspect::Output*> unadded_outputs_;
  InputHistory history_;
};

}  // namespace

Task<InputHistory> FindInputHistory(ModuleMetadata& insides, Reading reading,
                                    SharedContents contents,
                                    std::vector<ModuleVersionRecord> versions) {
  HistoryWalk walk(contents->root);
  if (!contents->root.unread.empty()) co_return walk.Take();
  const std::uint64_t beside = reading.claimed();
  for (std::size_t i = 1; i < versions.size() && i <= kMostVersionsBefore; ++i) {
    Result<SharedContents> older =
        co_await insides.FindContents(ArchiveOf(versions[i]), reading, {.beside = beside});
    if (!older && IsTurnedAway(older.error())) co_return Failure(std::move(older).error());
    if (!older || !(*older)->root.unread.empty()) break;
    auto compare = [&]() -> Status {
      walk.Compare((*older)->root, versions[i - 1].version.ToString());
      return {};
    };
    CO_RETURN_IF_ERROR(co_await reading.Do(std::move(compare)));
  }
  co_return walk.Take();
}

}  // namespace koya::service
