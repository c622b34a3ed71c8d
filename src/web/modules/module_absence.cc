// The page at the address of a version that is withdrawn, or was never here.
#include <fmt/format.h>

#include "inspect/documents.h"
#include "web/common/package_paths.h"
#include "web/common/template_engine.h"
#include "web/common/view_parts.h"
#include "web/modules/module_pages.h"

namespace koya::web {

std::string RenderModuleAbsence(const PageFrame& frame, const ModuleAbsence& absence) {
  const std::string path = ModuleAddressPath(absence.address);
  PageFrame framed = frame;
  framed.current = Section::kModules;
  framed.crumbs = {{absence.address.ns(), NamespacePath(absence.address.ns())},
                   {absence.address.ToString(), path}};
  View view = FrameView(framed);
  const bool gone = absence.withdrawal.has_value();
  view.Text("module_ns", absence.address.ns())
      .Text("module_name", absence.address.name())
      .Text("module_system", absence.address.system())
      .Text("title_module", fmt::format("{} {}", absence.address.ToString(), absence.version))
      .Text("module_version", absence.version)
      .Flag("is_withdrawn", gone)
      .Text("reason", gone ? absence.withdrawal->reason : "")
      .Text("reason_lang", gone ? inspect::GuessLanguage(absence.withdrawal->reason) : "")
      .Text("successor", gone ? absence.withdrawal->successor : "")
      .Text("successor_path", gone && !absence.withdrawal->successor.empty()
                                  ? fmt::format("{}/{}", path, absence.withdrawal->successor)
                                  : "")
      .Text("newest_version", absence.newest)
      .Text("newest_path", path)
      .Text("major_version", absence.newest_of_major)
      .Text("major_path", fmt::format("{}/{}", path, absence.newest_of_major))
      .Text("versions_path", path + "/latest/versions")
      .Flag("has_nothing", absence.newest.empty());
  AddTime(view, "gone", frame.language, gone ? absence.withdrawal->at : 0);
  return RenderTemplate("module_absence", frame.language, view);
}

}  // namespace koya::web
