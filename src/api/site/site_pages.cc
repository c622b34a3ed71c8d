#include <algorithm>
#include <utility>

#include "api/common/documents.h"
#include "api/common/page_answer.h"
#include "api/common/page_context.h"
#include "api/common/route.h"
#include "web/common/assets.h"
#include "web/common/text_safety.h"
#include "web/site/setup_page.h"
#include "web/site/small_texts.h"

namespace koya::api {
namespace {

Task<Rendering> RenderAsset(Call& call) {
  std::span<const web::Asset> assets = web::Assets();
  auto found = std::ranges::find_if(
      assets, [&call](const web::Asset& asset) { return asset.path == call.request().path; });
  if (found == assets.end()) {
    co_return FailNotFound("no such file: reload the page that requested it");
  }
  Rendering rendering{.encode = [bytes = found->bytes](const Links&) { return std::string(bytes); },
                      .options = {.content_type = std::string(found->media_type),
                                  .cache_control = "public, max-age=31536000, immutable"},
                      .topic = "assets"};
  co_return rendering;
}

Task<Rendering> RenderFavicon(Call& /*call*/) {
  std::span<const web::Asset> assets = web::Assets();
  const std::string& path = web::AssetPath("icon.svg");
  auto icon = std::ranges::find(assets, path, &web::Asset::path);
  co_return Rendering{.encode = [bytes = icon->bytes](const Links&) { return std::string(bytes); },
                      .options = {.content_type = std::string(icon->media_type),
                                  .cache_control = "public, max-age=86400"},
                      .topic = "assets"};
}

Task<Rendering> RenderRobots(Call& call) {
  const bool open =
      call.services.site.index && call.services.site.enabled && call.services.access.anonymous_read;
  std::string text = open ? web::OpenRobotsText() : web::ClosedRobotsText();
  co_return Rendering{.encode = [text](const Links&) { return text; },
                      .options = {.content_type = "text/plain; charset=utf-8"},
                      .topic = "assets"};
}

Task<Rendering> RenderLlms(Call& call) {
  std::string text =
      web::LlmsText(call.services.SiteName(), call.services.url, call.services.host());
  co_return Rendering{.encode = [text = std::move(text)](const Links&) { return text; },
                      .options = {.content_type = "text/plain; charset=utf-8"},
                      .topic = "assets"};
}

Task<Rendering> RenderOpenSearch(Call& call) {
  std::string text = web::OpenSearchText(call.services.SiteName(), call.services.url);
  co_return Rendering{
      .encode = [text = std::move(text)](const Links&) { return text; },
      .options = {.content_type = "application/opensearchdescription+xml; charset=utf-8"},
      .topic = "assets"};
}

Task<http::Response> GetAsset(Call& call) {
  co_return co_await CachedDocument(call, "", RenderAsset);
}

Task<http::Response> GetFavicon(Call& call) {
  co_return co_await CachedDocument(call, "", RenderFavicon);
}

Task<http::Response> GetRobots(Call& call) {
  co_return co_await CachedDocument(call, "", RenderRobots);
}

Task<http::Response> GetLlms(Call& call) {
  co_return co_await CachedDocument(call, "", RenderLlms);
}

Task<http::Response> GetOpenSearch(Call& call) {
  co_return co_await CachedDocument(call, "", RenderOpenSearch);
}

Task<http::Response> SetPreferences(Call& call) {
  PageContext visit(call.request(), call.services);
  ASSIGN_OR_CO_RETURN(Form form, co_await ReadPageForm(call));
  CO_RETURN_IF_ERROR(co_await visit.Recognise());
  // Pages that anonymous readers share have no csrf token in this form.
  if (!visit.IsSentFromHere() && !visit.Made(form)) co_return visit.StaleForm();
  const std::string& theme = form.Get("theme");
  const std::string& language = form.Get("lang");
  if (!theme.empty()) {
    visit.SetCookie(kThemeCookie, web::ThemeName(web::ParseTheme(theme)), kCookieYear);
  }
  if (web::ParseLanguage(language)) visit.SetCookie(kLanguageCookie, language, kCookieYear);
  std::string to = web::PathWithoutLanguage(form.Get("to"));
  // The settings form of a user has all three fields, and confirms that they were stored.
  const std::string& keys = form.Get("keys");
  if (keys.empty()) co_return visit.GoTo(std::move(to));
  visit.SetCookie(kKeysCookie, keys == "off" ? "off" : "on", kCookieYear);
  co_return visit.GoTo(std::move(to), {.key = "saved", .what = ""});
}

Task<http::Response> ShowSetup(Call& call) {
  PageAnswer page(call);
  ASSIGN_OR_CO_RETURN(Form query, Form::Parse(call.request().query));
  const Services& services = call.services;
  web::SetupPage shown{.choice = web::SetupChoice::Read(query.Get("tool"), query.Get("system"),
                                                        query.Get("purpose"), query.Get("sign_in"),
                                                        query.Get("hosts"), query.Get("direct")),
                       .url = services.url,
                       .host = std::nullopt};
  shown.mirror_wants_token =
      !services.access.anonymous_read || services.access.mirror != Visibility::kPublic;
  Result<HostName> host = HostName::ParseWire(services.host());
  if (host) shown.host = *std::move(host);
  page.frame.canonical = web::kSetupAddress;
  co_return co_await page.SendUnkept(web::RenderSetup(page.frame, shown));
}

}  // namespace

// What all pages have.
std::span<const Route> SitePageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Post("/-/prefs", Access::kPage, BodyLimit::kForm, SetPreferences,
                  "Set theme and language")
          .WhileFrozen(),
      Route::Get("/-/assets/{file}", Access::kOpen, ResourceScope::kNone, GetAsset,
                 "Get a file that pages load", KeptDocument),
      Route::Get("/-/opensearch.xml", Access::kOpen, ResourceScope::kNone, GetOpenSearch,
                 "Get the OpenSearch description", KeptDocument),
      Route::Get("/favicon.ico", Access::kOpen, ResourceScope::kNone, GetFavicon, "Get the icon",
                 KeptDocument),
      Route::Get("/llms.txt", Access::kOpen, ResourceScope::kNone, GetLlms,
                 "Get an overview for language models", KeptDocument),
      Route::Get("/robots.txt", Access::kOpen, ResourceScope::kNone, GetRobots,
                 "Get the rules for search engines", KeptDocument),
  };
  return kRoutes;
}

// How a client is set up, for people.
std::span<const Route> SetupPageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/-/setup", Access::kBrowse, ResourceScope::kListing, ShowSetup,
                 "Show how to configure a client"),
  };
  return kRoutes;
}

}  // namespace koya::api
