// What a page knows of whoever opens it, and the answers that pages give.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/call.h"
#include "api/cookies.h"
#include "api/form.h"
#include "api/route.h"
#include "web/content_security_policy.h"
#include "web/page_frame.h"

namespace koya {
struct SearchHit;
}
namespace koya::service {
struct Browser;
struct StartedSession;
struct Visitor;
}  // namespace koya::service
namespace koya::web {
struct KeptForm;
}

namespace koya::api {

// One request for a page. Language, theme and forms are there at once; who is signed in, after
// Recognise(). Belongs to the request's coroutine, which it does not outlive.
class Visit {
 public:
  Visit(const http::Request& request, Services& services);
  // Of a page without forms of its own, for whoever was admitted to it: nothing is left to find.
  explicit Visit(const Call& call);

  // Finds who is signed in, if anybody is. Fails: as the catalog.
  Task<void> Recognise();
  // nullptr: nobody.
  const service::Visitor* visitor() const { return visitor_.get(); }
  // What the browser says of itself, for signing in.
  service::Browser Browser() const;
  // The session that it sends, good or not; "": none.
  std::string session() const { return std::string(cookies_.Get(kSessionCookie)); }

  const http::Request& request() const { return request_; }
  Services& services() const { return services_; }

  // Whether the form was made for this browser: its field csrf says so.
  bool Made(const Form& form) const;
  // Whether a browser says that a page of this very site sent the form: enough where all that it
  // does is to change how pages look.
  bool IsSentFromHere() const;
  // Where a GET shows this page: the path of the request, unless it is said here.
  void SetPath(std::string path) { path_ = std::move(path); }
  web::PageFrame Frame() const;

  // From now on this browser is signed in, or is nobody's.
  void SignedIn(const service::StartedSession& session);
  void SignedOut();
  void SetCookie(std::string_view name, std::string_view value,
                 std::optional<std::chrono::seconds> life = std::nullopt);

  // A page, with what every page carries.
  http::Response Page(unsigned status, std::string html,
                      web::PageKind kind = web::PageKind::kOrdinary) const;
  // What every page carries that may be kept for whom it was made, and asked for again.
  static std::vector<std::pair<std::string, std::string>> PageFields();
  // Of a page that was made before.
  http::Response MadePage(std::shared_ptr<const http::Document> page) const;
  // 303: whatever was asked for, what comes next is a GET.
  http::Response GoTo(std::string location) const;
  // The same, to a page that tells once what was done.
  http::Response GoTo(std::string location, const web::Notice& notice);
  // 403: the form's time is over, or it was never ours. `again`: where it begins anew with what was
  // typed; "": nowhere. `kept`: what was typed, where that is too long for `again`.
  http::Response StaleForm(std::string again, web::KeptForm kept) const;
  http::Response StaleForm() const;
  // What an error is to people. 401 does not ask for credentials: no browser has any to send.
  // `near`: of 404, what is named nearly as the path.
  http::Response ErrorPage(const Error& error, std::vector<SearchHit> near) const;
  http::Response ErrorPage(const Error& error) const;

 private:
  void AddPageFields(http::Response& reply, web::PageKind kind) const;
  void AddCookies(http::Response& reply) const;
  std::optional<web::Notice> TakeNotice();
  // As far as that is known without asking anybody.
  bool IsKnownAdministrator() const;
  // By what the request and the account of whoever is signed in say; "": it says nothing.
  void TakeLanguage(std::string_view of_account);
  // What the forms of this browser are bound to: see auth/form_token.h.
  std::string FormCookie() const;

  const http::Request& request_;
  Services& services_;
  Cookies cookies_;
  web::Language language_;
  web::Theme theme_;
  std::string path_;
  std::string visit_;  // the cookie of a browser that nobody is signed in with
  std::shared_ptr<const service::Visitor> visitor_;
  std::string account_;  // the name of who is signed in; "": nobody
  bool has_forms_ = true;
  bool sees_mirror_ = false;
  bool administers_ = false;
  std::optional<web::Notice> notice_;
  std::vector<std::pair<std::string, std::string>> new_cookies_;  // by name
};

// Language and theme of a request that says nothing but where it goes, in a few characters: pages
// differ by them. nullopt: the page is not one of many, since it changes cookies or tells something
// once.
std::optional<std::string> CommonLook(const http::Request& request);

// The form in the body of a page's POST. Fails: kForbidden when a browser says that another site
// sent it; kInvalid; kTooLarge; as the body.
Task<Form> ReadPageForm(Call& call);
// The same of a program's: nobody asks where it comes from.
Task<Form> ReadForm(Call& call);

// What an error is to whoever asked: a page where people look, else JSON.
Awaitable<http::Response> ErrorAnswer(Access access, Error error, const http::Request& request,
                                      Services& services);

}  // namespace koya::api
