// What the pages of modules are made of: which version is meant, what is known of it, and what is
// shown when there is none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "service/module_insides.h"
#include "web/module_pages.h"

namespace koya::inspect {
struct ModuleContents;
}

namespace koya::api {

class PageAnswer;

// One version of a module, read for a page. Not copied: `page` points into it.
struct ModuleVisit {
  ModuleVisit() = default;
  ModuleVisit(const ModuleVisit&) = delete;
  ModuleVisit& operator=(const ModuleVisit&) = delete;

  std::vector<ModuleVersionRecord> versions;  // newest first
  std::vector<WithdrawnModuleVersion> withdrawn;
  std::shared_ptr<const inspect::ModuleContents> contents;  // null: they cannot be told just now
  web::ModulePage page;
};

// Renders what a tab shows. Fails: as what it asks for.
using ModuleTabRenderer = Task<std::string> (*)(Call&, const PageAnswer&, ModuleVisit&);

// How long a tab stands for.
enum class TabLife {
  kUntilChange,  // of the module
  kMinute,       // it counts fetches
  kUnkept,       // it tells of other things, too
};

// The page of a tab of the version that the path names: {version}, which may be "latest", or
// nothing, which is the same. A version that is not here has a page that names others: 404, or 410
// where it was withdrawn. Fails: kNotFound, kInvalid; as the catalog.
Task<http::Response> AnswerModuleTab(Call& call, ModuleTabRenderer render, TabLife life);

// The version that `text` names among those of {namespace}, {name} and {system}: nullptr where it
// is not here, and `absence` then says what to show. Fails: kNotFound: no such module, or no
// version at all.
struct ModuleLookUp {
  std::unique_ptr<ModuleVisit> visit;  // null: `absence`
  std::optional<web::ModuleAbsence> absence;
};
using Making = service::ContentsWish::Making;
Task<ModuleLookUp> LookUpModule(Call& call, std::string text, Making making = Making::kPage);
// The same, where the path has more in {system} than that.
Task<ModuleLookUp> LookUpModule(Call& call, std::string_view system, std::string text,
                                Making making = Making::kPage);

// Of a version that is not here.
Task<http::Response> AnswerAbsence(PageAnswer& page, const web::ModuleAbsence& absence);

// "": the newest. As it stands in the path where the route has {version}.
std::string VersionText(const Call& call);

// Renders on a worker: README files and lists of inputs take milliseconds.
template <class Render>
Task<std::string> RenderAside(Call& call, Render render) {
  auto work = [&render]() -> Result<std::string> { return render(); };
  co_return co_await call.reading.Do(std::move(work));
}

}  // namespace koya::api
