// What lies in a module's archive: its folders and files, submodules and examples.
#include <algorithm>
#include <array>
#include <utility>

#include "api/common/page_answer.h"
#include "api/common/query.h"
#include "api/common/route.h"
#include "api/modules/module_visit.h"
#include "base/text.h"
#include "domain/topic.h"
#include "service/modules/module_metadata.h"

namespace koya::api {
namespace {

constexpr std::size_t kMostShownText = std::size_t{256} << 10;
constexpr std::size_t kMostRaw = std::size_t{4} << 20;
constexpr std::size_t kMostExampleFiles = 16;
constexpr std::size_t kMostExampleText = std::size_t{64} << 10;

// What pages may show as an image; everything else is text, or bytes.
struct RawType {
  std::string_view ending;
  std::string_view media_type;
};
constexpr std::array<RawType, 7> kRawImages{{{".png", "image/png"},
                                             {".jpg", "image/jpeg"},
                                             {".jpeg", "image/jpeg"},
                                             {".gif", "image/gif"},
                                             {".webp", "image/webp"},
                                             {".avif", "image/avif"},
                                             {".svg", "image/svg+xml"}}};

std::string RawMediaType(std::string_view path, std::string_view bytes) {
  const std::string folded = AsciiLower(path);
  auto image = std::ranges::find_if(
      kRawImages, [&folded](const RawType& each) { return folded.ends_with(each.ending); });
  if (image != kRawImages.end()) return std::string(image->media_type);
  const bool text = IsUtf8(bytes) && !bytes.contains('\0');
  return text ? "text/plain; charset=utf-8" : "application/octet-stream";
}

// A file as it is: whatever it contains, no script in it runs and no reference in it loads
// anything.
http::Response RawFile(const std::string& path, std::string bytes) {
  std::string media_type = RawMediaType(path, bytes);
  return http::Response::FromDocument(http::MakeDocument(
      std::move(bytes),
      {.content_type = std::move(media_type),
       .cache_control = "private, no-cache",
       .fields =
           {{"Content-Security-Policy",
             "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"},
            {"Cross-Origin-Resource-Policy", "same-origin"},
            {"Referrer-Policy", "no-referrer"}},
       .compress = false,
       .lasting = false}));
}

// Cut behind a whole line, as far as there is one.
std::string WholeLines(std::string text) {
  const std::size_t newline = text.rfind('\n');
  if (newline != text.npos) text.resize(newline + 1);
  return text;
}

web::ModuleFilesPage FilePage(service::ModuleFile file) {
  web::ModuleFilesPage shown{.path = std::move(file.path), .is_file = true, .size = file.size};
  shown.cut = file.bytes.size() < file.size;
  shown.text = shown.cut ? WholeLines(std::move(file.bytes)) : std::move(file.bytes);
  shown.is_text = IsUtf8(shown.text) && !shown.text.contains('\0');
  if (!shown.is_text) shown.text.clear();
  return shown;
}

Task<std::optional<service::ModuleFile>> ReadModuleFile(Call& call, const ModulePageContext& visit,
                                                        std::string path, std::size_t most) {
  std::vector<std::string> paths{std::move(path)};
  ASSIGN_OR_CO_RETURN(
      std::vector<service::ModuleFile> files,
      co_await call.services.modules.insides.ReadFiles(service::ArchiveOf(*visit.page.record),
                                                       call.reading, std::move(paths), most));
  if (files.empty()) co_return std::optional<service::ModuleFile>();
  co_return std::optional(std::move(files.front()));
}

Task<http::Response> SendFiles(Call& call, PageAnswer& page, const ModulePageContext& visit,
                               const web::ModuleFilesPage& shown) {
  auto render = [&] { return web::RenderModuleFiles(page.frame, visit.page, shown); };
  ASSIGN_OR_CO_RETURN(std::string html, co_await RenderAside(call, render));
  if (visit.contents == nullptr) co_return co_await page.SendUnkept(std::move(html));
  co_return co_await page.Send(std::move(html), ModuleTopic(visit.page.record->address));
}

Failure NoSuchFile() { return FailNotFound("this version's archive has no such file or folder"); }

Task<std::string> RenderFilesTab(Call& call, const PageAnswer& page, ModulePageContext& visit) {
  const web::ModuleFilesPage root;
  auto render = [&] { return web::RenderModuleFiles(page.frame, visit.page, root); };
  co_return co_await RenderAside(call, render);
}

// ---- submodules and examples

template <web::ModuleFolderKind kKind>
Task<std::string> RenderFoldersTab(Call& call, const PageAnswer& page, ModulePageContext& visit) {
  auto render = [&] { return web::RenderModuleFolders(page.frame, visit.page, kKind); };
  co_return co_await RenderAside(call, render);
}

Task<std::vector<web::ModuleSourceFile>> ExampleSources(Call& call, const ModulePageContext& visit,
                                                        std::vector<std::string> paths) {
  if (paths.size() > kMostExampleFiles) paths.resize(kMostExampleFiles);
  std::vector<web::ModuleSourceFile> sources;
  Result<std::vector<service::ModuleFile>> files = co_await call.services.modules.insides.ReadFiles(
      service::ArchiveOf(*visit.page.record), call.reading, std::move(paths), kMostExampleText);
  if (!files && service::IsTurnedAway(files.error())) co_return Failure(std::move(files).error());
  if (!files) co_return sources;  // the page shows the rest
  for (service::ModuleFile& each : *files) {
    const bool cut = each.bytes.size() < each.size;
    sources.push_back({std::move(each.path), std::move(each.bytes), cut});
  }
  co_return sources;
}

Task<std::string> RenderFolderPage(Call& call, const PageAnswer& page, ModulePageContext& visit,
                                   web::ModuleFolderKind kind) {
  web::ModuleFolderPage folder{.kind = kind};
  folder.part = web::FindModuleFolder(visit.page, kind, call.path("path"));
  if (folder.part == nullptr) co_return NoSuchFile();
  if (kind == web::ModuleFolderKind::kExample) {
    ASSIGN_OR_CO_RETURN(folder.sources, co_await ExampleSources(call, visit, folder.part->files));
  }
  auto render = [&] { return web::RenderModuleFolder(page.frame, visit.page, folder); };
  co_return co_await RenderAside(call, render);
}

template <web::ModuleFolderKind kKind>
Task<std::string> RenderFolderTab(Call& call, const PageAnswer& page, ModulePageContext& visit) {
  co_return co_await RenderFolderPage(call, page, visit, kKind);
}

Task<http::Response> ListModuleFiles(Call& call) {
  co_return co_await AnswerModuleTab(call, RenderFilesTab, CachePolicy::kUntilChange);
}

Task<http::Response> ShowModuleFile(Call& call) {
  PageAnswer page(call);
  ASSIGN_OR_CO_RETURN(ModuleLookUp found, co_await LookUpModule(call, VersionText(call)));
  if (found.absence) co_return co_await AnswerAbsence(page, *found.absence);
  const ModulePageContext& visit = *found.visit;
  std::string path(call.path("path"));
  ASSIGN_OR_CO_RETURN(std::optional<std::string> raw, QueryParameter(call.request().query, "raw"));
  if (!raw && web::IsModuleFolder(visit.page, path)) {
    co_return co_await SendFiles(call, page, visit, {.path = std::move(path)});
  }
  if (web::LacksModuleFile(visit.page, path)) co_return NoSuchFile();
  ASSIGN_OR_CO_RETURN(
      std::optional<service::ModuleFile> file,
      co_await ReadModuleFile(call, visit, std::move(path), raw ? kMostRaw : kMostShownText));
  if (!file) co_return NoSuchFile();
  if (!raw) co_return co_await SendFiles(call, page, visit, FilePage(*std::move(file)));
  if (file->bytes.size() < file->size) {
    co_return Fail(
        ErrorKind::kTooLarge,
        "this file is larger than 4 MiB and can't be shown alone: download the module's archive");
  }
  co_return RawFile(file->path, std::move(file->bytes));
}

Task<http::Response> ListModuleSubmodules(Call& call) {
  co_return co_await AnswerModuleTab(call, RenderFoldersTab<web::ModuleFolderKind::kSubmodule>,
                                     CachePolicy::kUntilChange);
}

Task<http::Response> ListModuleExamples(Call& call) {
  co_return co_await AnswerModuleTab(call, RenderFoldersTab<web::ModuleFolderKind::kExample>,
                                     CachePolicy::kUntilChange);
}

Task<http::Response> ShowModuleSubmodule(Call& call) {
  co_return co_await AnswerModuleTab(call, RenderFolderTab<web::ModuleFolderKind::kSubmodule>,
                                     CachePolicy::kUntilChange);
}

Task<http::Response> ShowModuleExample(Call& call) {
  co_return co_await AnswerModuleTab(call, RenderFolderTab<web::ModuleFolderKind::kExample>,
                                     CachePolicy::kUntilChange);
}

}  // namespace

std::span<const Route> ModuleFilePageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/modules/{namespace}/{name}/{system}/{version}/submodules", Access::kBrowse,
                 ResourceScope::kNamespace, ListModuleSubmodules, "Show a module's submodules",
                 KeptPage),
      Route::Get("/modules/{namespace}/{name}/{system}/{version}/submodules/{path...}",
                 Access::kBrowse, ResourceScope::kNamespace, ShowModuleSubmodule,
                 "Show a submodule", KeptPage),
      Route::Get("/modules/{namespace}/{name}/{system}/{version}/examples", Access::kBrowse,
                 ResourceScope::kNamespace, ListModuleExamples, "Show a module's examples",
                 KeptPage),
      Route::Get("/modules/{namespace}/{name}/{system}/{version}/examples/{path...}",
                 Access::kBrowse, ResourceScope::kNamespace, ShowModuleExample, "Show an example",
                 KeptPage),
      Route::Get("/modules/{namespace}/{name}/{system}/{version}/files", Access::kBrowse,
                 ResourceScope::kNamespace, ListModuleFiles, "Show a module's files", KeptPage),
      Route::Get("/modules/{namespace}/{name}/{system}/{version}/files/{path...}", Access::kBrowse,
                 ResourceScope::kNamespace, ShowModuleFile, "Show a file", KeptPage),
  };
  return kRoutes;
}

}  // namespace koya::api
