#include "service/input_history.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "inspect/contents.h"

namespace koya::service {
namespace {

// An input or output; null: there is none of the name.
template <class Thing>
const Thing* ThingNamed(const std::vector<Thing>& things, const std::string& name) {
  auto found = std::ranges::find(things, name, &Thing::name);
  return found == things.end() ? nullptr : &*found;
}

// Those that `older` lacks came in `version`, and are looked for no further.
template <class Thing>
void FindAdded(const std::vector<Thing>& older, const std::string& version,
               std::vector<const Thing*>& unadded, std::map<std::string, std::string>& added_in) {
  std::erase_if(unadded, [&](const Thing* each) {
    const bool is_new = ThingNamed(older, each->name) == nullptr;
    if (is_new) added_in.emplace(each->name, version);
    return is_new;
  });
}

// What is not known yet of the inputs and outputs, while one version after the other is looked at.
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
    FindAdded(older.inputs, version, unadded_, history_.added_in);
    FindAdded(older.outputs, version, unadded_outputs_, history_.outputs_added_in);
    std::erase_if(unchanged_, [&](const inspect::Input* each) {
      const inspect::Input* before = ThingNamed(older.inputs, each->name);
      if (before == nullptr) return true;  // it came then, and its default with it
      const bool changed = before->required || before->default_text != each->default_text;
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

Task<InputHistory> FindInputHistory(ModuleInsides& insides, SharedContents contents,
                                    std::vector<ModuleVersionRecord> versions) {
  HistoryWalk walk(contents->root);
  if (!contents->root.unread.empty()) co_return walk.Take();
  for (std::size_t i = 1; i < versions.size() && i <= kMostVersionsBefore; ++i) {
    Result<SharedContents> older = co_await insides.Find(ArchiveOf(versions[i]));
    if (!older || !(*older)->root.unread.empty()) break;
    walk.Compare((*older)->root, versions[i - 1].version.ToString());
  }
  co_return walk.Take();
}

}  // namespace koya::service
