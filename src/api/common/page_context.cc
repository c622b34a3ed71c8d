#include "api/common/page_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "api/common/audience.h"
#include "api/common/call.h"
#include "api/common/credentials.h"
#include "api/common/query.h"
#include "api/common/reply.h"
#include "auth/browser_tokens.h"
#include "auth/token.h"
#include "base/encoding.h"
#include "base/secrets.h"
#include "base/text.h"
#include "domain/account_record.h"
#include "domain/page.h"
#include "service/access/namespaces.h"
#include "service/search/search.h"
#include "service/sign_in/browser.h"
#include "service/sign_in/sessions.h"
#include "web/common/text_safety.h"
#include "web/site/manual.h"
#include "web/site/message_page.h"

namespace koya::api {
namespace {

// As auth::RandomId() makes them: 128 bits.
bool IsVisitId(std::string_view text) {
  std::optional<std::string> bytes = Base64UrlDecode(text);
  return bytes && bytes->size() == 16;
}

std::string WishedLanguage(const http::Request& request) {
  Result<std::optional<std::string>> wish = QueryParameter(request.query, "lang");
  return wish ? wish->value_or("") : "";
}

bool IsShowing(const http::Request& request) {
  return request.method == http::Method::kGet || request.method == http::Method::kHead;
}

constexpr std::size_t kMostNoticeBytes = 300;

std::string PathOf(const http::Request& request) {
  if (!IsShowing(request)) return "/";
  return request.query.empty() ? std::string(request.path)
                               : fmt::format("{}?{}", request.path, request.query);
}

// What browsers say of where a form was sent from: Sec-Fetch-Site, and older ones Origin alone.
Status CheckSender(const http::Request& request, const Services& services) {
  std::string_view site = request.Get("Sec-Fetch-Site");
  std::string_view origin = request.Get("Origin");
  bool same_site = site.empty() || site == "same-origin" || site == "none";
  std::string_view host = origin.substr(std::min(origin.find("://"), origin.size()));
  if (!host.empty()) host.remove_prefix(3);
  bool same_origin = origin.empty() || origin == services.url ||
                     (!host.empty() && EqualsIgnoreCase(host, request.host));
  if (same_site && same_origin) return {};
  return FailForbidden(
      "this form came from another site and was ignored: open the page here and fill it in");
}

bool IsFormType(std::string_view content_type) {
  std::string_view type = content_type.substr(0, content_type.find(';'));
  while (type.ends_with(' ') || type.ends_with('\t')) type.remove_suffix(1);
  return EqualsIgnoreCase(type, "application/x-www-form-urlencoded");
}

// "acme vpc aws" of "/modules/acme/vpc/aws/1.0.0/inputs": what one would search for. "": nothing
// that people call things.
std::string WordsOfPath(std::string_view path) {
  constexpr std::size_t kMostWords = 3;
  constexpr std::size_t kMostBytes = 200;
  const bool of_package = path.starts_with("/modules/") || path.starts_with("/providers/") ||
                          path.starts_with("/namespaces/");
  std::string words;
  std::size_t count = 0;
  path.remove_prefix(std::min(of_package ? path.find('/', 1) + 1 : 1, path.size()));
  while (!path.empty() && count < kMostWords) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view segment = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    const bool is_name = std::ranges::all_of(segment, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '-' || c == '_';
    });
    if (segment.empty() || segment == "-" || !is_name) break;
    if (words.size() + segment.size() > kMostBytes) break;
    words.append(words.empty() ? "" : " ").append(segment);
    ++count;
  }
  return words;
}

}  // namespace

PageContext::PageContext(const http::Request& request, Services& services)
    : request_(request),
      services_(services),
      cookies_(request),
      theme_(web::ParseTheme(cookies_.Get(kThemeCookie))),
      path_(PathOf(request)),
      visit_(cookies_.Get(kVisitCookie)) {
  TakeLanguage("");
  if (!IsVisitId(visit_)) {
    visit_ = auth::RandomId();
    SetCookie(kVisitCookie, visit_);
  }
  if (IsShowing(request)) notice_ = TakeNotice();
  sees_mirror_ = auth::Principal().MayRead("", services_.access.mirror);
}

PageContext::PageContext(const Call& call) : PageContext(call.request(), call.services) {
  has_forms_ = false;
  const std::optional<auth::CapabilityBearer>& bearer = call.principal.bearer;
  const bool signed_in = bearer && bearer->kind == auth::CapabilityBearer::Kind::kSession;
  if (signed_in) account_ = call.principal.name;
  if (signed_in && call.principal.account) TakeLanguage(call.principal.account->account.language);
  sees_mirror_ = call.principal.MayRead("", services_.access.mirror);
  administers_ = signed_in && call.principal.RequireAllNamespaces().has_value();
}

void PageContext::TakeLanguage(std::string_view of_account) {
  const std::string wish = WishedLanguage(request_);
  language_ = web::ChooseLanguage({.query = wish,
                                   .cookie = cookies_.Get(kLanguageCookie),
                                   .account = of_account,
                                   .accept = request_.Get("Accept-Language")});
}

Task<void> PageContext::Recognise() {
  std::string cookie = session();
  if (cookie.empty()) co_return Status();
  Result<service::SignedInUser> found =
      co_await services_.sign_in.sessions.FindUser(std::move(cookie));
  if (found) {
    visitor_ = std::make_shared<const service::SignedInUser>(*std::move(found));
    account_ = visitor_->user;
    TakeLanguage(visitor_->principal->account->account.language);
    sees_mirror_ = visitor_->principal->MayRead("", services_.access.mirror);
    administers_ = visitor_->principal->RequireAllNamespaces().has_value();
  } else if (found.error().kind != ErrorKind::kUnauthenticated) {
    co_return Failure(std::move(found).error());
  }
  co_return Status();
}

service::Browser PageContext::Browser() const {
  return {.address = std::string(request_.remote),
          .user_agent = std::string(request_.Get("User-Agent")),
          .device = std::string(cookies_.Get(kDeviceCookie)),
          .request_id = std::string(request_.request_id)};
}

std::string PageContext::FormCookie() const { return account_.empty() ? visit_ : session(); }

bool PageContext::Made(const Form& form) const {
  return services_.sign_in.form_tokens.Check(FormCookie(), form.Get("csrf"));
}

bool PageContext::IsSentFromHere() const {
  if (!CheckSender(request_, services_)) return false;
  return request_.Get("Sec-Fetch-Site") == "same-origin" || !request_.Get("Origin").empty();
}

web::PageFrame PageContext::Frame() const {
  web::PageFrame frame;
  frame.language = language_;
  frame.theme = theme_;
  frame.keys_are_off = cookies_.Get(kKeysCookie) == "off";
  const SiteRules& site = services_.site;
  frame.site_name = services_.SiteName();
  frame.site_url = services_.url;
  frame.version = site.version;
  frame.path = path_;
  frame.account = account_;
  frame.administers = administers_ && site.enabled;
  if (has_forms_ || !account_.empty()) {
    frame.csrf = services_.sign_in.form_tokens.For(FormCookie());
  }
  frame.notice = notice_;
  frame.is_well = services_.offline.held() == OfflineRules::Held::kConfirmed;
  const bool may_read = services_.access.anonymous_read || !account_.empty();
  if (site.enabled && may_read) {
    frame.sections = {web::Section::kModules, web::Section::kProviders};
    if (sees_mirror_) frame.sections.push_back(web::Section::kMirror);
    frame.sections.push_back(web::Section::kDocs);
    frame.has_search = true;
  }
  return frame;
}

void PageContext::SetCookie(std::string_view name, std::string_view value,
                            std::optional<std::chrono::seconds> life) {
  std::erase_if(new_cookies_, [name](const auto& cookie) { return cookie.first == name; });
  new_cookies_.emplace_back(name, api::SetCookie(name, value, life));
}

void PageContext::SignedIn(const service::StartedSession& session) {
  SetCookie(kSessionCookie, session.cookie);
  SetCookie(kDeviceCookie, session.device, kCookieYear);
  // Removes the old visit cookie: an attacker who knew it must not be able to forge later forms.
  SetCookie(kVisitCookie, "", std::chrono::seconds(0));
}

void PageContext::SignedOut() {
  visitor_.reset();
  account_.clear();
  sees_mirror_ = auth::Principal().MayRead("", services_.access.mirror);
  SetCookie(kSessionCookie, "", std::chrono::seconds(0));
}

void PageContext::AddPageFields(http::Response& reply, web::PageKind kind) const {
  reply.fields.emplace_back("Content-Security-Policy", web::ContentSecurityPolicy(kind));
  reply.fields.emplace_back("Referrer-Policy", "same-origin");
  reply.fields.emplace_back("Cache-Control", "private, no-store");
  AddCookies(reply);
}

void PageContext::AddCookies(http::Response& reply) const {
  for (const auto& [name, field] : new_cookies_) {
    // Forms of a signed-in user are bound to the session.
    bool needless = name == kVisitCookie && (!account_.empty() || !has_forms_);
    if (!needless) reply.fields.emplace_back("Set-Cookie", field);
  }
}

std::vector<std::pair<std::string, std::string>> PageContext::PageFields() {
  return {{"Content-Security-Policy",
           std::string(web::ContentSecurityPolicy(web::PageKind::kOrdinary))},
          {"Referrer-Policy", "same-origin"}};
}

http::Response PageContext::MadePage(std::shared_ptr<const http::Document> page) const {
  http::Response reply = http::Response::FromDocument(std::move(page));
  AddCookies(reply);
  return reply;
}

http::Response PageContext::Page(unsigned status, std::string html, web::PageKind kind) const {
  http::Response reply;
  reply.status = status;
  reply.fields.emplace_back("Content-Type", "text/html; charset=utf-8");
  AddPageFields(reply, kind);
  reply.body = std::move(html);
  return reply;
}

http::Response PageContext::GoTo(std::string location) const {
  http::Response reply;
  reply.status = 303;
  reply.fields.emplace_back("Location", std::move(location));
  AddPageFields(reply, web::PageKind::kOrdinary);
  return reply;
}

http::Response PageContext::GoTo(std::string location, const web::Notice& notice) {
  // Long names are cut: the notice works as well without the rest.
  const std::string_view what = std::string_view(notice.what).substr(0, kMostNoticeBytes);
  SetCookie(kNoticeCookie,
            fmt::format("{}.{}", notice.key, Base64UrlEncode(std::as_bytes(std::span(what)))),
            std::chrono::minutes(1));
  return GoTo(std::move(location));
}

std::optional<web::Notice> PageContext::TakeNotice() {
  const std::string_view sent = cookies_.Get(kNoticeCookie);
  if (sent.empty()) return std::nullopt;
  SetCookie(kNoticeCookie, "", std::chrono::seconds(0));
  const std::size_t dot = std::min(sent.find('.'), sent.size());
  std::optional<std::string> what = Base64UrlDecode(sent.substr(std::min(dot + 1, sent.size())));
  if (!what) return std::nullopt;
  return web::Notice{.key = std::string(sent.substr(0, dot)), .what = *std::move(what)};
}

http::Response PageContext::StaleForm(std::string again) const {
  web::MessagePage page{.status = 403,
                        .text = "",
                        .code = {},
                        .request_id = std::string(request_.request_id),
                        .is_stale_form = true,
                        .again = std::move(again)};
  http::Response reply = Page(403, web::RenderMessage(Frame(), page));
  reply.log_detail = "forbidden: the form was not issued for this browser";
  return reply;
}

bool PageContext::IsKnownAdministrator() const {
  if (administers_) return true;
  const std::optional<service::SignedInUser> known =
      services_.sign_in.sessions.FindCached(session());
  return known && known->principal->RequireAllNamespaces().has_value();
}

http::Response PageContext::ErrorPage(const Error& error) const { return ErrorPage(error, {}); }

http::Response PageContext::ErrorPage(const Error& error, std::vector<SearchHit> near) const {
  http::Response plain = ErrorReply(error);
  web::MessagePage page{.status = plain.status,
                        .text = error.kind == ErrorKind::kNotFound ? "" : error.message,
                        .code = {},
                        .request_id = std::string(request_.request_id),
                        .looked_for = {},
                        .near = std::move(near),
                        .is_unstored_form = plain.status == 503 && !IsShowing(request_)};
  if (plain.status >= 500) {
    page.status_url = services_.site.status_url;
    page.offers_health = services_.site.enabled && IsKnownAdministrator();
  }
  web::PageFrame frame = Frame();
  if (!frame.sections.empty()) page.code = ErrorKindName(error.kind);
  // The page has a box of its own, in which stands what may have been meant.
  if (plain.status == 404 && frame.has_search) {
    page.looked_for = WordsOfPath(request_.path);
    frame.has_search = page.looked_for.empty();
  }
  for (const auto& [name, value] : plain.fields) {
    if (name == "Retry-After") page.retry_after = std::chrono::seconds(std::stoul(value));
  }
  http::Response reply = Page(plain.status, web::RenderMessage(frame, page));
  if (page.retry_after.count() > 0) {
    reply.fields.emplace_back("Retry-After", std::to_string(page.retry_after.count()));
  }
  reply.log_detail = std::move(plain.log_detail);
  reply.limit = plain.limit;
  return reply;
}

std::optional<std::string> CommonLook(const http::Request& request) {
  if (!request.query.empty()) return std::nullopt;
  const Cookies cookies(request);
  if (!cookies.Get(kNoticeCookie).empty()) return std::nullopt;
  const web::Language language = web::ChooseLanguage({.query = "",
                                                      .cookie = cookies.Get(kLanguageCookie),
                                                      .account = "",
                                                      .accept = request.Get("Accept-Language")});
  const web::Theme theme = web::ParseTheme(cookies.Get(kThemeCookie));
  const std::string_view keys = cookies.Get(kKeysCookie) == "off" ? " off" : "";
  return fmt::format("page {} {}{}", web::LanguageCode(language), web::ThemeName(theme), keys);
}

Task<Form> ReadForm(Call& call, std::size_t most) {
  if (!IsFormType(call.request().Get("Content-Type"))) {
    co_return FailInvalid(
        "the body must be a form: Content-Type application/x-www-form-urlencoded");
  }
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body, most));
  Result<Form> form = Form::Parse(body, most);
  WipeSecret(body);
  co_return form;
}

Task<Form> ReadPageForm(Call& call, std::size_t most) {
  CO_RETURN_IF_ERROR(CheckSender(call.request(), call.services));
  co_return co_await ReadForm(call, most);
}

namespace {

// Modules and providers whose names are nearly those in the path, of what the reader may know of.
// Nothing, when that cannot be told.
Awaitable<std::vector<SearchHit>> NearPath(const PageContext& visit) {
  constexpr std::uint64_t kNear = 3;
  Services& services = visit.services();
  const service::SignedInUser* visitor = visit.visitor();
  if (visitor == nullptr && !services.access.anonymous_read) co_return std::vector<SearchHit>();
  const auth::Principal who = visitor == nullptr ? auth::Principal() : *visitor->principal;
  std::string text = WordsOfPath(visit.request().path);
  if (text.empty()) co_return std::vector<SearchHit>();
  text += " kind:module,provider";
  const PageRequest first{.offset = 0, .limit = kNear};
  Result<service::SearchAnswer> found = co_await services.search.index.FindUncounted(
      who.Readable(services.rights.namespaces.unrecorded()), std::move(text), first);
  if (!found) co_return std::vector<SearchHit>();
  co_return std::move(found->page.items);
}

// What an error is to programs; the field leads people to what that kind of error means.
http::Response DocumentOf(const Error& error, const Services& services) {
  http::Response reply = ErrorReply(error);
  if (!services.site.enabled) return reply;
  reply.fields.emplace_back(
      "Link", fmt::format("<{}>; rel=\"help\"", web::ErrorCodePath(ErrorKindName(error.kind))));
  return reply;
}

}  // namespace

Awaitable<http::Response> ErrorAnswer(Access access, Error error, const http::Request& request,
                                      Services& services) {
  const bool accepts_pages = WantsPages(request, request.path);
  // A caller that sends a token is a program, and its token is invalid.
  bool stranger = error.kind == ErrorKind::kUnauthenticated && !HasCredentials(access, request);
  if (!IsForPeople(access) && !accepts_pages) co_return DocumentOf(error, services);
  // A program that has to sign in has no use for the page to do it on, and one that asks for JSON
  // none for any page.
  const bool asks_json = request.Get("Accept").contains("application/json");
  if (access == Access::kBrowse && (stranger || asks_json) && !accepts_pages) {
    co_return DocumentOf(error, services);
  }
  PageContext visit(request, services);
  // The user matters little here: the page works with or without their name. Server errors are
  // shown without asking the catalog.
  Status known;
  if (StatusFor(error.kind) < 500) known = co_await visit.Recognise();
  if (access == Access::kBrowse && error.kind == ErrorKind::kNotFound && known) {
    co_return visit.ErrorPage(error, co_await NearPath(visit));
  }
  if (access == Access::kPage || !known || !stranger) co_return visit.ErrorPage(error);
  if (visit.visitor() == nullptr) {
    std::string path(visit.Frame().path);
    co_return visit.GoTo(web::SignInPath(path));
  }
  co_return visit.ErrorPage({.kind = ErrorKind::kNotFound, .message = error.message, .detail = {}});
}

}  // namespace koya::api
