#include "api/routes.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "api/admission.h"
#include "api/common/audience.h"
#include "api/common/call.h"
#include "api/common/denials.h"
#include "api/common/page_context.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "http/server/message.h"
#include "service/common/attachments.h"
#include "web/site/home_page.h"
#include "web/site/message_page.h"

namespace koya::api {
namespace {

constexpr std::span<const Route> (*kTables[])() = {
    DiscoveryRoutes,
    ModuleRoutes,
    ProviderRoutes,
    MirrorRoutes,
    OriginRoutes,
    HomePageRoutes,
    SignInPageRoutes,
    ConsentRoutes,
    OauthRoutes,
    FirstRunRoutes,
    SitePageRoutes,
    OidcSignInRoutes,
    SearchPageRoutes,
    ProviderPageRoutes,
    ProviderHistoryPageRoutes,
    ProviderDocsPageRoutes,
    VersionFormRoutes,
    MirrorPageRoutes,
    MirrorPackagesPageRoutes,
    MirrorProviderPageRoutes,
    ModulePageRoutes,
    ModuleChangesPageRoutes,
    ModuleFilePageRoutes,
    NamespacePageRoutes,
    NamespacePeopleRoutes,
    NamespaceTrustPageRoutes,
    SetupPageRoutes,
    ClientDownloadRoutes,
    AccountPageRoutes,
    NotificationRoutes,
    FeedRoutes,
    AdminStateRoutes,
    AdminAuditPageRoutes,
    AdminGrantsPageRoutes,
    AdminUserPageRoutes,
    AdminGroupPageRoutes,
    AdminSignInPageRoutes,
    ManualPageRoutes,
    ModuleListingRoutes,
    ProviderListingRoutes,
    OpenapiRoutes,
    SearchRoutes,
    LockRoutes,
    PolicyRoutes,
    McpRoutes,
    ModuleDiffRoutes,
    ModulePublishingRoutes,
    ModuleInsideRoutes,
    ProviderPublishingRoutes,
    AttachmentRoutes,
    ProviderDiffRoutes,
    ProviderDocsRoutes,
    SigningKeyRoutes,
    VerifyRoutes,
    MirrorStatusRoutes,
    InventoryRoutes,
    MirrorImportRoutes,
    MirrorDocsRoutes,
    AuditRoutes,
    UsageRoutes,
    TokenRoutes,
    SessionRoutes,
    IdentityProviderRoutes,
    UpkeepRoutes,
    BackupRoutes,
    AccountRoutes,
    NamespaceRoutes,
    TrustRoutes,
};

// A page that clients do not need to get a token.
bool IsForShow(const Route& route) {
  if (route.pattern == "/-/cli/") return false;  // a document, then
  return route.access == Access::kBrowse || route.pattern == "/" ||
         route.pattern.starts_with("/-/admin") || route.pattern == "/-/opensearch.xml" ||
         route.pattern.starts_with("/-/settings") || route.pattern.starts_with("/namespaces/") ||
         route.pattern.starts_with("/modules/") || route.pattern.starts_with("/providers/");
}

std::uint64_t MaxBody(const Services& services, BodyLimit limit) {
  switch (limit) {
    case BodyLimit::kNone:
      return 0;
    case BodyLimit::kForm:
      return Form::kMostBytes;
    case BodyLimit::kSmall:
      return kSmallBody;
    case BodyLimit::kKeys:
      return kKeyBody;
    case BodyLimit::kMessage:
      return kMessageBody;
    case BodyLimit::kRelease:
      return kReleaseBody;
    case BodyLimit::kModuleArchive:
      return services.module_upload_bytes;
    case BodyLimit::kProviderFile:
      return services.provider_zip_bytes;
    case BodyLimit::kAttachment:
      return services.attachments.limits().bytes;
  }
  return 0;
}

LimitName MaxBodyName(BodyLimit limit) {
  switch (limit) {
    case BodyLimit::kNone:
      return {};
    case BodyLimit::kModuleArchive:
      return "limits.module_bytes";
    case BodyLimit::kProviderFile:
      return "limits.provider_zip_bytes";
    case BodyLimit::kAttachment:
      return "limits.attachment_bytes";
    default:
      return "fixed.request_document_bytes";
  }
}

Awaitable<http::Response> AnswerOrExplain(const Route& route, http::Exchange& exchange,
                                          Services& services) {
  Result<http::Response> reply = co_await Answer(route, exchange, services);
  if (reply) {
    if (IsDenied(route, reply->status)) {
      co_await NoteDenied(route, exchange, services, reply->status);
    }
    co_return *std::move(reply);
  }
  const unsigned status = StatusFor(reply.error().kind);
  if (IsDenied(route, status)) {
    co_await NoteDenied(route, exchange, services, status);
  }
  co_return co_await ErrorAnswer(route.access, std::move(reply).error(), exchange.request,
                                 services);
}

Task<http::Response> GetNothing(Call& /*call*/) {
  co_return FailNotFound("there is nothing at this path");
}

constexpr Route kElsewhere = Route::Get("", Access::kRead, ResourceScope::kListing, GetNothing, "");

}  // namespace

std::span<const Route> Routes() {
  static const std::vector<Route> kRoutes = [] {
    std::vector<Route> routes;
    for (const auto table : kTables) routes.insert(routes.end(), table().begin(), table().end());
    return routes;
  }();
  return kRoutes;
}

std::vector<http::RouteSpec> BindRoutes(Services& services) {
  // Each template is read when it is first shown; that of the start page now already.
  web::RenderHome({}, {});
  std::vector<http::RouteSpec> specs;
  for (const Route& route : Routes()) {
    if (!services.site.enabled && IsForShow(route)) continue;
    if (!services.site.mcp && route.pattern == "/-/mcp") continue;
    http::Handler handler = [&route, &services](http::Exchange& exchange) {
      return AnswerOrExplain(route, exchange, services);
    };
    http::ReadyAnswer ready;
    if (route.ready != nullptr) {
      ready = [&route, &services](http::Exchange& exchange) {
        return ReadyAnswer(route, exchange, services);
      };
    }
    specs.push_back({route.method, std::string(route.pattern), MaxBody(services, route.body),
                     std::move(handler), std::move(ready), MaxBodyName(route.body)});
  }
  return specs;
}

http::RouteSpec BindElsewhere(Services& services) {
  return {.handler = [&services](http::Exchange& exchange) {
    return AnswerOrExplain(kElsewhere, exchange, services);
  }};
}

namespace {

web::PageFrame NobodysFrame(const http::Request& request, Services& services) {
  PageContext visit(request, services);
  // The links to other languages lead to the start page: there is nothing at this address.
  visit.SetPath("/");
  web::PageFrame frame = visit.Frame();
  frame.csrf.clear();
  frame.notice.reset();
  return frame;
}

}  // namespace

http::Response EngineErrorAnswer(const http::EngineError& error, Services& services) {
  const bool shows_pages = services.site.enabled && WantsPages(error.request, error.target);
  if (!shows_pages) return EngineErrorReply(error);
  const web::MessagePage page{.status = error.status,
                              .text = std::string(error.message),
                              .code = {},
                              .request_id = std::string(error.request.request_id),
                              .retry_after = std::chrono::seconds(error.status == 429 ? 1 : 0),
                              .status_url = error.status >= 500 ? services.site.status_url : ""};
  http::Response reply;
  reply.fields.emplace_back("Content-Type", "text/html; charset=utf-8");
  for (auto& field : PageContext::PageFields()) reply.fields.push_back(std::move(field));
  reply.body = web::RenderMessage(NobodysFrame(error.request, services), page);
  return reply;
}

}  // namespace koya::api
