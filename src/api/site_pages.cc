#include <algorithm>

#include "api/documents.h"
#include "api/handlers.h"
#include "api/visit.h"
#include "service/sign_in/first_run.h"
#include "web/assets.h"
#include "web/home_page.h"
#include "web/local_path.h"

namespace koya::api {
namespace {

Task<Rendering> RenderAsset(Call& call) {
  std::span<const web::Asset> assets = web::Assets();
  auto found = std::ranges::find_if(
      assets, [&call](const web::Asset& asset) { return asset.path == call.request().path; });
  if (found == assets.end()) {
    co_return Fail(ErrorKind::kNotFound, "there is no such file: reload the page that asks for it");
  }
  Rendering rendering{.encode = [bytes = found->bytes](const Links&) { return std::string(bytes); },
                      .options = {.content_type = std::string(found->media_type),
                                  .cache_control = "public, max-age=31536000, immutable"},
                      .topic = "assets"};
  co_return rendering;
}

}  // namespace

Task<http::Response> ShowHome(Call& call) {
  Visit visit(call.request(), call.services);
  CO_RETURN_IF_ERROR(co_await visit.Recognise());
  const bool stranger = visit.visitor() == nullptr;
  web::HomePage page{.host = std::string(call.services.host()),
                     .is_closed = stranger && !call.services.access.strangers_read};
  if (stranger) {
    // While that cannot be told, the page is what it is nearly always.
    Result<bool> done = co_await call.services.sign_in.first_run.IsDone();
    page.is_new = done && !*done;
  }
  co_return visit.Page(200, web::RenderHome(visit.Frame(), page));
}

Task<http::Response> GetAsset(Call& call) {
  co_return co_await CachedDocument(call, "", RenderAsset);
}

Task<http::Response> SetPreferences(Call& call) {
  Visit visit(call.request(), call.services);
  ASSIGN_OR_CO_RETURN(Form form, co_await ReadPageForm(call));
  CO_RETURN_IF_ERROR(co_await visit.Recognise());
  if (!visit.Made(form)) co_return visit.StaleForm();
  const std::string& theme = form.Get("theme");
  const std::string& language = form.Get("lang");
  if (!theme.empty()) {
    visit.SetCookie(kThemeCookie, web::ThemeName(web::ParseTheme(theme)), kCookieYear);
  }
  if (web::ParseLanguage(language)) visit.SetCookie(kLanguageCookie, language, kCookieYear);
  co_return visit.GoTo(web::PathWithoutLanguage(form.Get("to")));
}

}  // namespace koya::api
