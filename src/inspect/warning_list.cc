#include "inspect/warning_list.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"

namespace koya::inspect {

void WarningList::MoveTo(ModuleContents& out) {
  std::ranges::sort(kept_, [](const Warning& a, const Warning& b) {
    return std::tie(a.place.file, a.place.line, a.what) <
           std::tie(b.place.file, b.place.line, b.what);
  });
  std::size_t shown = std::min(kept_.size(), kMaxWarnings);
  out.warnings_left_out = left_out_ + (kept_.size() - shown);
  kept_.resize(shown);
  for (Warning& each : kept_) each.what = Printable(each.what, 600);
  out.warnings = std::move(kept_);
}

}  // namespace koya::inspect
