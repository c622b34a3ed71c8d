// The tab of versions.
// The page at the address of a version that is withdrawn, or was never here.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "inspect/documents.h"
#include "web/common/package_paths.h"
#include "web/common/template_engine.h"
#include "web/common/view_parts.h"
#include "web/modules/module_pages.h"
#include "web/modules/module_parts.h"

namespace koya::web {
namespace {

// A version that is here, or was.
struct ListedVersion {
  const Version* version;
  UnixSeconds published_at;
  const ModuleVersionRecord* record;        // null: it was withdrawn
  const WithdrawnModuleVersion* withdrawn;  // null: it is here
};

std::vector<ListedVersion> RowsOf(const ModulePage& page, const ModuleVersionsForm& form) {
  auto wanted = [&form](const Version& version) {
    return !form.allowed || form.allowed->Allows(version);
  };
  std::vector<ListedVersion> rows;
  for (const ModuleVersionRecord& each : page.versions) {
    if (wanted(each.version)) rows.push_back({&each.version, each.published_at, &each, nullptr});
  }
  for (const WithdrawnModuleVersion& each : page.withdrawn) {
    if (wanted(each.version)) rows.push_back({&each.version, each.published_at, nullptr, &each});
  }
  std::ranges::sort(rows, [&form](const ListedVersion& a, const ListedVersion& b) {
    if (form.by_date && a.published_at != b.published_at) return a.published_at > b.published_at;
    return *a.version > *b.version;
  });
  return rows;
}

const ModuleVersionRecord* BeforeOf(const ModulePage& page, const ModuleVersionRecord& record) {
  ModulePage asked = page;
  asked.record = &record;
  return asked.before();
}

// The suggested replacement of a withdrawn or deprecated version: the newest of its major that is
// neither, else the newest of all. An available version is never replaced with an older one.
std::string SuccessorOf(const ModulePage& page, const Version& version, bool is_there) {
  auto is_good = [&](const ModuleVersionRecord& each) {
    return each.deprecation.empty() && (!is_there || each.version > version);
  };
  for (const ModuleVersionRecord& each : page.versions) {
    const bool near = !each.version.is_prerelease() && each.version.major() == version.major();
    if (near && is_good(each)) return each.version.ToString();
  }
  return is_good(page.newest()) ? page.newest().version.ToString() : "";
}

void AddJudgement(const ModuleVersionRecord& record, const ModuleVersionRecord* before,
                  View& view) {
  const bool judged =
      record.step && before != nullptr && record.step->before == before->version.ToString();
  view.Flag("is_judged", judged)
      .Flag("is_unjudged", !judged && before != nullptr)
      .Flag("row_agrees", judged && record.step->agrees)
      .Flag("needs_major", judged && record.step->needed == "major")
      .Flag("needs_minor", judged && record.step->needed == "minor");
}

View ListedVersionView(const PageFrame& frame, const ModulePage& page,
                       const ModuleVersionsForm& form, const ListedVersion& row) {
  const ModuleVersionRecord* record = row.record;
  const std::string version = row.version->ToString();
  const ModuleVersionRecord* before = record == nullptr ? nullptr : BeforeOf(page, *record);
  const std::string deprecation = record == nullptr ? "" : record->deprecation;
  const std::string reason = record == nullptr ? row.withdrawn->withdrawal.reason : "";
  const bool needs_other = record == nullptr || !deprecation.empty();
  auto fetches = form.fetches.find(version);
  std::string changes;
  if (before != nullptr) {
    changes = PathWith(PathWith(ModuleVersionPath(record->address, record->version, "changes"),
                                "from", before->version.ToString()),
                       "to", version);
  }
  View view;
  view.Text("row_version", version)
      .Text("row_path", record == nullptr ? "" : ModuleVersionPath(record->address, *row.version))
      .Flag("is_row_newest", version == page.newest().version.ToString())
      .Text("row_withdrawn", reason)
      .Text("row_deprecation", deprecation)
      .Text("row_lang", inspect::GuessLanguage(reason + deprecation))
      .Text("row_use", needs_other ? SuccessorOf(page, *row.version, record != nullptr) : "")
      .Flag("is_there", record != nullptr)
      .Flag("row_verified", record != nullptr && !record->provenance.empty())
      .Text("deprecate_path", record != nullptr && form.may_deprecate
                                  ? ModuleVersionPath(record->address, *row.version, "deprecate")
                                  : "")
      .Text("withdraw_path", record != nullptr && form.may_withdraw
                                 ? ModuleVersionPath(record->address, *row.version, "withdraw")
                                 : "")
      .Text("row_fetches", fetches == form.fetches.end() ? "" : NumberText(fetches->second))
      .Text("row_changes", changes);
  AddTime(view, "row", frame.language, row.published_at);
  if (record == nullptr) {
    AddStep(view, ShownStep::kNone);
    view.Flag("is_judged", false).Flag("is_unjudged", false).Flag("row_agrees", false);
    view.Flag("needs_major", false).Flag("needs_minor", false);
    return view;
  }
  AddStep(view, StepOf(*row.version, before == nullptr ? nullptr : &before->version));
  AddJudgement(*record, before, view);
  return view;
}

}  // namespace

std::string RenderModuleVersions(const PageFrame& frame, const ModulePage& page,
                                 const ModuleVersionsForm& form) {
  constexpr std::uint64_t kRows = ModuleVersionsForm::kRows;
  View view = ModuleView(frame, page, ModuleTab::kVersions);
  const std::vector<ListedVersion> rows = RowsOf(page, form);
  const std::uint64_t parts = rows.size() / kRows + 1;
  const std::uint64_t begin = (std::clamp<std::uint64_t>(form.number, 1, parts) - 1) * kRows;
  const std::uint64_t end = std::min<std::uint64_t>(begin + kRows, rows.size());
  std::vector<View> views;
  for (std::uint64_t i = begin; i < end; ++i)
    views.push_back(ListedVersionView(frame, page, form, rows[i]));
  std::string path = ModuleTabPath(page, "versions");
  if (form.allowed) path = PathWith(path, "constraint", form.constraint);
  if (form.by_date) path = PathWith(path, "by", "date");
  AddPager(view, {.offset = begin, .shown = end - begin, .size = kRows, .total = rows.size()},
           path);
  view.Flag("has_rows", !views.empty())
      .List("rows", std::move(views))
      .Text("constraint", form.constraint)
      .Text("constraint_problem", form.problem)
      .Flag("by_date", form.by_date)
      .Flag("has_actions", form.may_deprecate || form.may_withdraw)
      .Text("versions_json", ModuleAddressPath(page.record->address) + ".json");
  return RenderTemplate("module_versions", frame.language, view);
}

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
