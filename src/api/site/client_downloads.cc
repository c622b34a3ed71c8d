// The koya programs that this server hands out: a server that runs from a release tree serves the
// archive of that tree.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "api/common/audience.h"
#include "api/common/call.h"
#include "api/common/page_answer.h"
#include "api/common/query.h"
#include "api/common/route.h"
#include "service/operate/client_archives.h"
#include "web/site/setup_page.h"
#include "web/site/small_texts.h"
#include "wire/discovery.h"

namespace koya::api {
namespace {

// Its location names its digest, so that a client never gets the archive of another version.
std::string PathOf(const service::ClientArchive& archive) {
  return fmt::format("/-/cli/{}?sha256={}", archive.FileName(), archive.digest.hex());
}

std::vector<web::ClientProgram> ProgramsOf(const service::ClientArchiveList& archives) {
  std::vector<web::ClientProgram> programs;
  for (const service::ClientArchive& each : *archives) {
    programs.push_back(
        {.arch = each.arch, .path = PathOf(each), .digest = each.digest.hex(), .size = each.size});
  }
  return programs;
}

std::string ProgramsDocument(const Services& services, const service::ClientArchiveList& archives) {
  wire::ClientPrograms document{.version = services.site.version, .platforms = {}};
  for (const service::ClientArchive& each : *archives) {
    document.platforms.push_back({.os = "linux",
                                  .arch = each.arch,
                                  .url = services.url + PathOf(each),
                                  .sha256 = each.digest.hex(),
                                  .size = each.size});
  }
  return wire::Encode(document);
}

// A page for people, a document for programs.
Task<http::Response> ShowClientPrograms(Call& call) {
  const Services& services = call.services;
  ASSIGN_OR_CO_RETURN(service::ClientArchiveList archives, co_await services.upkeep.clients.List());
  if (!services.site.enabled || !WantsPages(call.request(), call.request().path)) {
    co_return JsonRepresentationReply(ProgramsDocument(services, archives));
  }
  PageAnswer page(call);
  page.frame.canonical = "/-/cli/";
  web::ClientProgramsPage shown{.url = services.url, .programs = ProgramsOf(archives)};
  co_return co_await page.SendUnkept(web::RenderClientPrograms(page.frame, shown));
}

Task<http::Response> GetInstallScript(Call& call) {
  const Services& services = call.services;
  ASSIGN_OR_CO_RETURN(service::ClientArchiveList archives, co_await services.upkeep.clients.List());
  if (archives->empty()) {
    co_return FailNotFound(
        "this server runs a program built from source and hands out no client: build koya from the "
        "same source, or ask the server's operator to run a release");
  }
  http::Response reply;
  reply.fields = {{"Content-Type", "text/x-shellscript; charset=utf-8"},
                  {"Cache-Control", "private, no-cache"}};
  reply.body = web::InstallScript(services.site.version, services.url, ProgramsOf(archives));
  co_return reply;
}

Task<http::Response> GetClientArchive(Call& call) {
  ASSIGN_OR_CO_RETURN(Form query, Form::Parse(call.request().query));
  ASSIGN_OR_CO_RETURN(service::ClientArchiveList archives,
                      co_await call.services.upkeep.clients.List());
  const std::string_view name = call.path("file");
  auto found = std::ranges::find(*archives, name, &service::ClientArchive::FileName);
  if (found == archives->end()) {
    co_return FailNotFound("this server has no such archive: /-/cli/ lists those that it has");
  }
  const std::string& wanted = query.Get("sha256");
  if (!wanted.empty()) {
    ASSIGN_OR_CO_RETURN(Digest digest, Digest::Parse(wanted));
    if (digest != found->digest) {
      co_return FailConflict(
          "this server has another {} now, of koya {}: request /-/cli/install.sh again", name,
          call.services.site.version);
    }
  }
  http::Response reply;
  reply.etag = "\"" + found->digest.hex() + "\"";
  reply.fields = {{"Content-Type", "application/gzip"}, {"Cache-Control", "private, no-cache"}};
  reply.body = http::FileBody{found->file, found->file->get(), found->size};
  co_return reply;
}

}  // namespace

std::span<const Route> ClientDownloadRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/-/cli/", Access::kBrowse, ResourceScope::kListing, ShowClientPrograms,
                 "List the koya programs that this server hands out"),
      Route::Get("/-/cli/install.sh", Access::kRead, ResourceScope::kListing, GetInstallScript,
                 "Get the script that installs koya"),
      Route::Get("/-/cli/{file}", Access::kRead, ResourceScope::kListing, GetClientArchive,
                 "Get an archive of koya"),
  };
  return kRoutes;
}

}  // namespace koya::api
