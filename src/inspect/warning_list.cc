#include "inspect/warning_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "base/text.h"
#include "inspect/file_names.h"

namespace koya::inspect {

namespace {

// More equal ones than these, in folders of their own, are one line.
constexpr std::size_t kMostEqual = 3;

// Sorted by place: the first stands for all that say the same in many folders.
void JoinEqual(std::vector<Warning>& warnings) {
  struct Said {
    std::set<std::string_view> folders;
    std::size_t count = 0;
  };
  std::map<std::string_view, Said> said;
  for (const Warning& each : warnings) {
    Said& all = said[each.what];
    all.folders.insert(FolderOf(each.place.file));
    ++all.count;
  }
  std::map<std::string, std::size_t> joined;  // how many more there are
  for (const auto& [what, all] : said) {
    if (all.folders.size() > kMostEqual) joined.emplace(what, all.count - 1);
  }
  std::set<std::string> seen;
  std::erase_if(warnings, [&](Warning& each) {
    const auto known = joined.find(each.what);
    if (known == joined.end()) return false;
    if (!seen.insert(each.what).second) return true;
    each.what += fmt::format(" (and at {} more places)", known->second);
    return false;
  });
}

}  // namespace

void WarningList::MoveTo(ModuleContents& out) {
  std::ranges::sort(kept_, [](const Warning& a, const Warning& b) {
    return std::tie(a.place.file, a.place.line, a.what) <
           std::tie(b.place.file, b.place.line, b.what);
  });
  JoinEqual(kept_);
  std::size_t shown = std::min(kept_.size(), kMaxWarnings);
  out.warnings_left_out = left_out_ + (kept_.size() - shown);
  kept_.resize(shown);
  for (Warning& each : kept_) each.what = Printable(each.what, 600);
  out.warnings = std::move(kept_);
}

}  // namespace koya::inspect
