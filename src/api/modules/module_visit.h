// Common part of the module pages: resolves the version, reads its data, and shows a page of its
// own when the version does not exist.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/common/call.h"
#include "service/modules/module_metadata.h"
#include "web/modules/module_pages.h"

namespace koya {
class ModuleAddress;
}
namespace koya::inspect {
struct ModuleContents;
}

namespace koya::api {

class PageAnswer;

// One version of a module, read for a page. Not copyable: `page` points into it.
struct ModulePageContext {
  ModulePageContext() = default;
  ModulePageContext(const ModulePageContext&) = delete;
  ModulePageContext& operator=(const ModulePageContext&) = delete;

  std::vector<ModuleVersionRecord> versions;  // newest first
  std::vector<WithdrawnModuleVersion> withdrawn;
  std::shared_ptr<const inspect::ModuleContents> contents;  // null: unavailable just now
  web::ModulePage page;
};

// Renders the body of a tab. Fails: as the services that it calls.
using ModuleTabRenderer = Task<std::string> (*)(Call&, const PageAnswer&, ModulePageContext&);

// How long the page of a tab may be cached.
enum class CachePolicy {
  kUntilChange,  // of the module
  kMinute,       // it shows numbers of fetches
  kUnkept,       // it depends on other things, too
};

// The page of a tab for {version} of the path, which may be "latest"; a path without {version}
// means the same. A version that does not exist has a page that names others: 404, or 410 if it was
// withdrawn. Fails: kNotFound, kInvalid; as the catalog.
Task<http::Response> AnswerModuleTab(Call& call, ModuleTabRenderer render, CachePolicy life);

// Looks up the version `text` of the module {namespace}, {name} and {system}; if it does not exist,
// `absence` describes the page to show. Fails: kNotFound: no such module, or no version at all.
struct ModuleLookUp {
  std::unique_ptr<ModulePageContext> visit;  // null: `absence`
  std::optional<web::ModuleAbsence> absence;
};
using Making = service::ContentsRequest::Making;
Task<ModuleLookUp> LookUpModule(Call& call, std::string text, Making making = Making::kPage);
// The same, for paths where {system} has more than the name of the system.
Task<ModuleLookUp> LookUpModule(Call& call, std::string_view system, std::string text,
                                Making making = Making::kPage);
// The same for a module that the path does not name. REQUIRES: the caller may know of its
// namespace.
Task<ModuleLookUp> LookUpModule(Call& call, ModuleAddress address, std::string text, Making making);

// The page for a version that does not exist.
Task<http::Response> AnswerAbsence(PageAnswer& page, const web::ModuleAbsence& absence);

// {version} of the path as it was sent, or "" for the newest.
std::string VersionText(const Call& call);

// Renders on a worker, since README files and lists of inputs take milliseconds.
template <class Render>
Task<std::string> RenderAside(Call& call, Render render) {
  auto work = [&render]() -> Result<std::string> { return render(); };
  co_return co_await call.reading.Do(std::move(work));
}

}  // namespace koya::api
