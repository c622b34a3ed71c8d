#include "service/input_history.h"

#include <algorithm>
#include <utility>

#include "inspect/contents.h"

namespace koya::service {
namespace {

const inspect::Input* InputNamed(const inspect::ModulePart& part, const std::string& name) {
  auto found = std::ranges::find(part.inputs, name, &inspect::Input::name);
  return found == part.inputs.end() ? nullptr : &*found;
}

// What is not known yet of the inputs, while one version after the other is looked at.
class HistoryWalk {
 public:
  // `newest` must outlive this.
  explicit HistoryWalk(const inspect::ModulePart& newest) {
    for (const inspect::Input& each : newest.inputs) {
      unadded_.push_back(&each);
      if (!each.required) unchanged_.push_back(&each);
    }
  }

  // `older` comes right before `version`.
  void Compare(const inspect::ModulePart& older, const std::string& version) {
    std::erase_if(unadded_, [&](const inspect::Input* each) {
      const bool is_new = InputNamed(older, each->name) == nullptr;
      if (is_new) history_.added_in.emplace(each->name, version);
      return is_new;
    });
    std::erase_if(unchanged_, [&](const inspect::Input* each) {
      const inspect::Input* before = InputNamed(older, each->name);
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
