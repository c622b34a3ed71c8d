// The tab of versions.
// The page at the address of a version that is withdrawn, or was never here.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "web/common/page_paths.h"
#include "web/common/template_engine.h"
#include "web/common/view.h"
#include "web/modules/module_pages.h"
#include "web/modules/module_parts.h"
#include "wire/identity.h"

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

View ListedVersionView(const ModulePage& page, const ModuleVersionsForm& form,
                       const ListedVersion& row) {
  const ModuleVersionRecord* record = row.record;
  const ModuleVersionRecord* before = record == nullptr ? nullptr : BeforeOf(page, *record);
  const std::string deprecation = record == nullptr ? "" : record->deprecation;
  const bool needs_other = record == nullptr || !deprecation.empty();
  const auto fetches = form.fetches.find(row.version->ToString());
  const std::optional<std::uint64_t> none =
      page.fetches ? std::optional<std::uint64_t>(0) : std::nullopt;
  const auto step = record == nullptr ? std::nullopt : StepSince(*record, before);
  View view;
  view.Set("row_version", *row.version)
      .Set("row_path", record == nullptr ? "" : ModuleVersionPath(record->address, *row.version))
      .Set("restore_path", record == nullptr
                               ? ModuleVersionPath(page.record->address, *row.version) + "/restore"
                               : "")
      .Set("row_at", row.published_at)
      .Set("is_row_newest", *row.version == page.newest().version)
      .Set("row_withdrawn", record == nullptr ? row.withdrawn->withdrawal.reason : "")
      .Set("row_deprecation", deprecation)
      .Set("row_use", needs_other ? SuccessorOf(page, *row.version, record != nullptr) : "")
      .Set("row_verified", record != nullptr && wire::HasClaims(record->provenance))
      .Set("row_fetches", fetches == form.fetches.end() ? none : std::optional(fetches->second))
      .Set("before", before == nullptr ? "" : before->version.ToString())
      .Set("judged", step ? std::optional(View().Of(*step)) : std::nullopt);
  return view.Set("step",
                  record == nullptr
                      ? ShownStep::kNone
                      : StepOf(*row.version, before == nullptr ? nullptr : &before->version));
}

}  // namespace

KOYA_VIEW(ModuleVersionsForm, constraint, problem, by_date);

std::string RenderModuleVersions(const PageFrame& frame, const ModulePage& page,
                                 const ModuleVersionsForm& form) {
  constexpr std::uint64_t kRows = ModuleVersionsForm::kRows;
  View view = ModuleView(frame, page, ModuleTab::kVersions);
  const std::vector<ListedVersion> rows = RowsOf(page, form);
  const std::uint64_t parts = rows.size() / kRows + 1;
  const std::uint64_t begin = (std::clamp<std::uint64_t>(form.number, 1, parts) - 1) * kRows;
  const std::uint64_t end = std::min<std::uint64_t>(begin + kRows, rows.size());
  std::string path = ModuleTabPath(page, "versions");
  if (form.allowed) path = PathWith(path, "constraint", form.constraint);
  if (form.by_date) path = PathWith(path, "by", "date");
  AddPager(view, {.offset = begin, .shown = end - begin, .size = kRows, .total = rows.size()},
           path);
  view.Of(form)
      .List("rows", std::span(rows).subspan(begin, end - begin),
            [&](const ListedVersion& row) { return ListedVersionView(page, form, row); })
      .Set("has_actions", page.rights.may_deprecate || page.rights.may_withdraw);
  return RenderTemplate("module_versions", frame.language, view);
}

std::string RenderModuleAbsence(const PageFrame& frame, const ModuleAbsence& absence) {
  const std::string path = ModuleAddressPath(absence.address);
  PageFrame framed = frame;
  framed.current = Section::kModules;
  framed.crumbs = {{absence.address.ns(), NamespacePath(absence.address.ns())},
                   {absence.address.ToString(), path}};
  View view = FrameView(framed);
  view.Set("module_ns", absence.address.ns())
      .Set("module_name", absence.address.name())
      .Set("module_system", absence.address.system())
      .Set("title_module", fmt::format("{} {}", absence.address.ToString(), absence.version))
      .Set("module_version", absence.version)
      .Set("withdrawal", absence.withdrawal)
      .Set("restore_path", absence.may_restore && absence.withdrawal
                               ? ModulePath(absence.address.ToString(), absence.version, "restore")
                               : "")
      .Set("newest_version", absence.newest)
      .Set("newest_path", path)
      .Set("major_version", absence.newest_of_major);
  return RenderTemplate("module_absence", frame.language, view);
}

}  // namespace koya::web
