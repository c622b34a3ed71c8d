#include <algorithm>

#include "api/common/documents.h"
#include "api/common/links.h"
#include "api/common/page_context.h"
#include "api/route_tables.h"
#include "web/common/assets.h"
#include "web/common/local_path.h"
#include "web/site/site_files.h"

namespace koya::api {
namespace {

Task<Rendering> RenderAsset(Call& call) {
  std::span<const web::Asset> assets = web::Assets();
  auto found = std::ranges::find_if(
      assets, [&call](const web::Asset& asset) { return asset.path == call.request().path; });
  if (found == assets.end()) {
    co_return Fail(ErrorKind::kNotFound, "no such file: reload the page that requested it");
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
  const SiteRules& site = call.services.site;
  const std::string_view name =
      site.name.empty() ? call.services.host() : std::string_view(site.name);
  std::string text = web::LlmsText(name, call.services.url, call.services.host());
  co_return Rendering{.encode = [text = std::move(text)](const Links&) { return text; },
                      .options = {.content_type = "text/plain; charset=utf-8"},
                      .topic = "assets"};
}

Task<Rendering> RenderOpenSearch(Call& call) {
  const SiteRules& site = call.services.site;
  const std::string_view name =
      site.name.empty() ? call.services.host() : std::string_view(site.name);
  std::string text = web::OpenSearchText(name, call.services.url);
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

}  // namespace

// What all pages have.
std::span<const Route> SitePageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Post("/-/prefs", Access::kPage, BodyLimit::kForm, SetPreferences,
                  "Set theme and language"),
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

}  // namespace koya::api
