#include "api/visit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/query.h"
#include "api/reply.h"
#include "api/request_body.h"
#include "auth/form_token.h"
#include "auth/token.h"
#include "base/base64.h"
#include "base/secrets.h"
#include "base/text.h"
#include "web/local_path.h"
#include "web/message_page.h"

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

std::string PathOf(const http::Request& request) {
  bool shown = request.method == http::Method::kGet || request.method == http::Method::kHead;
  if (!shown) return "/";
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
  return Fail(
      ErrorKind::kForbidden,
      "another site sent this form, so nothing was done: open the page here and fill it in");
}

bool IsFormType(std::string_view content_type) {
  std::string_view type = content_type.substr(0, content_type.find(';'));
  while (type.ends_with(' ') || type.ends_with('\t')) type.remove_suffix(1);
  return EqualsIgnoreCase(type, "application/x-www-form-urlencoded");
}

// Where programs ask: errors are JSON there, whatever is accepted.
bool IsForPrograms(std::string_view path) {
  constexpr std::array<std::string_view, 7> kPrefixes{
      "/api/", "/v1/", "/mirror/", "/origin/", "/download/", "/.well-known/", "/oauth/token"};
  return std::ranges::any_of(kPrefixes, [path](auto each) { return path.starts_with(each); });
}

}  // namespace

Visit::Visit(const http::Request& request, Services& services)
    : request_(request),
      services_(services),
      cookies_(request),
      theme_(web::ParseTheme(cookies_.Get(kThemeCookie))),
      path_(PathOf(request)),
      visit_(cookies_.Get(kVisitCookie)) {
  std::string wish = WishedLanguage(request);
  language_ = web::ChooseLanguage({.query = wish,
                                   .cookie = cookies_.Get(kLanguageCookie),
                                   .account = "",
                                   .accept = request.Get("Accept-Language")});
  if (web::ParseLanguage(wish)) SetCookie(kLanguageCookie, wish, kCookieYear);
  if (!IsVisitId(visit_)) {
    visit_ = auth::RandomId();
    SetCookie(kVisitCookie, visit_);
  }
}

Task<void> Visit::Recognise() {
  std::string cookie = session();
  if (cookie.empty()) co_return Status();
  Result<service::Visitor> found = co_await services_.sign_in.sessions.Find(std::move(cookie));
  if (found) {
    visitor_ = *std::move(found);
  } else if (found.error().kind != ErrorKind::kUnauthenticated) {
    co_return Failure(std::move(found).error());
  }
  co_return Status();
}

service::Browser Visit::Browser() const {
  return {.address = std::string(request_.remote),
          .user_agent = std::string(request_.Get("User-Agent")),
          .device = std::string(cookies_.Get(kDeviceCookie)),
          .request_id = std::string(request_.request_id)};
}

std::string Visit::FormCookie() const { return visitor_ ? session() : visit_; }

bool Visit::Made(const Form& form) const {
  return services_.sign_in.form_tokens.Check(FormCookie(), form.Get("csrf"));
}

web::PageFrame Visit::Frame() const {
  web::PageFrame frame;
  frame.language = language_;
  frame.theme = theme_;
  frame.site_name = services_.host();
  frame.path = path_;
  frame.csrf = services_.sign_in.form_tokens.For(FormCookie());
  if (visitor_) frame.account = visitor_->user;
  return frame;
}

void Visit::SetCookie(std::string_view name, std::string_view value,
                      std::optional<std::chrono::seconds> life) {
  std::erase_if(new_cookies_, [name](const auto& cookie) { return cookie.first == name; });
  new_cookies_.emplace_back(name, api::SetCookie(name, value, life));
}

void Visit::SignedIn(const service::StartedSession& session) {
  SetCookie(kSessionCookie, session.cookie);
  SetCookie(kDeviceCookie, session.device, kCookieYear);
  // Whoever knew what the forms of before were bound to knows nothing of what comes.
  SetCookie(kVisitCookie, "", std::chrono::seconds(0));
}

void Visit::SignedOut() {
  visitor_.reset();
  SetCookie(kSessionCookie, "", std::chrono::seconds(0));
}

void Visit::AddPageFields(http::Response& reply, web::PageKind kind) const {
  reply.fields.emplace_back("Content-Security-Policy", web::ContentSecurityPolicy(kind));
  reply.fields.emplace_back("Referrer-Policy", "same-origin");
  reply.fields.emplace_back("Cache-Control", "private, no-store");
  for (const auto& [name, field] : new_cookies_) {
    // The forms of somebody who is signed in are bound to their session.
    bool needless = name == kVisitCookie && visitor_;
    if (!needless) reply.fields.emplace_back("Set-Cookie", field);
  }
}

http::Response Visit::Page(unsigned status, std::string html, web::PageKind kind) const {
  http::Response reply;
  reply.status = status;
  reply.fields.emplace_back("Content-Type", "text/html; charset=utf-8");
  AddPageFields(reply, kind);
  reply.body = std::move(html);
  return reply;
}

http::Response Visit::GoTo(std::string location) const {
  http::Response reply;
  reply.status = 303;
  reply.fields.emplace_back("Location", std::move(location));
  AddPageFields(reply, web::PageKind::kOrdinary);
  return reply;
}

http::Response Visit::StaleForm() const {
  web::MessagePage page{.status = 403,
                        .text = "",
                        .request_id = std::string(request_.request_id),
                        .is_stale_form = true};
  http::Response reply = Page(403, web::RenderMessage(Frame(), page));
  reply.log_detail = "forbidden: the form was not made for this browser";
  return reply;
}

http::Response Visit::ErrorPage(const Error& error) const {
  http::Response plain = ErrorReply(error);
  web::MessagePage page{.status = plain.status,
                        .text = error.kind == ErrorKind::kNotFound ? "" : error.message,
                        .request_id = std::string(request_.request_id)};
  for (const auto& [name, value] : plain.fields) {
    if (name == "Retry-After") page.retry_after = std::chrono::seconds(std::stoul(value));
  }
  http::Response reply = Page(plain.status, web::RenderMessage(Frame(), page));
  if (page.retry_after.count() > 0) {
    reply.fields.emplace_back("Retry-After", std::to_string(page.retry_after.count()));
  }
  reply.log_detail = std::move(plain.log_detail);
  reply.limit = plain.limit;
  return reply;
}

Task<Form> ReadForm(Call& call) {
  if (!IsFormType(call.request().Get("Content-Type"))) {
    co_return Fail(ErrorKind::kInvalid,
                   "the body must be a form: Content-Type application/x-www-form-urlencoded");
  }
  ASSIGN_OR_CO_RETURN(std::string body,
                      co_await ReadSmallBody(call.exchange.body, Form::kMostBytes));
  Result<Form> form = Form::Parse(body);
  WipeSecret(body);
  co_return form;
}

Task<Form> ReadPageForm(Call& call) {
  CO_RETURN_IF_ERROR(CheckSender(call.request(), call.services));
  co_return co_await ReadForm(call);
}

Awaitable<http::Response> ErrorAnswer(Access access, Error error, const http::Request& request,
                                      Services& services) {
  bool accepts_pages =
      !IsForPrograms(request.path) && AsciiLower(request.Get("Accept")).contains("text/html");
  if (access != Access::kPage && !accepts_pages) co_return ErrorReply(error);
  Visit visit(request, services);
  // Who it is decides little here: the page comes with or without their name.
  Status known = co_await visit.Recognise();
  // Somebody who sends a token is a program, and its token is no good.
  bool stranger = error.kind == ErrorKind::kUnauthenticated && !request.Find("Authorization");
  if (access == Access::kPage || !known || !stranger) co_return visit.ErrorPage(error);
  if (visit.visitor() == nullptr) {
    std::string path(visit.Frame().path);
    co_return visit.GoTo(web::SignInPath(path));
  }
  co_return visit.ErrorPage({.kind = ErrorKind::kNotFound, .message = error.message, .detail = {}});
}

}  // namespace koya::api
