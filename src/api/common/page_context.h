// Context of one page request: who is signed in, language, theme and forms; and the responses that
// pages give.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/common/call.h"
#include "api/common/cookies.h"
#include "api/common/query.h"
#include "api/common/route.h"
#include "web/common/page_frame.h"

namespace koya {
struct SearchHit;
}
namespace koya::service {
struct Browser;
struct StartedSession;
struct SignedInUser;
}  // namespace koya::service

namespace koya::api {

// One request for a page. Language, theme and forms are known at once; the signed-in user, after
// Recognise(). Belongs to the request's coroutine, which it must not outlive.
class PageContext {
 public:
  PageContext(const http::Request& request, Services& services);
  // For a page without forms of its own, with the user that admission found: Recognise() is not
  // needed.
  explicit PageContext(const Call& call);

  // Finds the signed-in user, if any. Fails: as the catalog.
  Task<void> Recognise();
  // nullptr: not signed in.
  const service::SignedInUser* visitor() const { return visitor_.get(); }
  // The browser's description of itself, for a sign-in.
  service::Browser Browser() const;
  // The session cookie as it was sent, valid or not; "": none.
  std::string session() const { return std::string(cookies_.Get(kSessionCookie)); }

  const http::Request& request() const { return request_; }
  Services& services() const { return services_; }

  // True if the form was made for this browser, by its field csrf.
  bool Made(const Form& form) const;
  // True if the browser says that a page of this very site sent the form: sufficient for forms that
  // only change how pages look.
  bool IsSentFromHere() const;
  // Sets the path at which a GET shows this page; the default is the path of the request.
  void SetPath(std::string path) { path_ = std::move(path); }
  web::PageFrame Frame() const;

  // Sign this browser in or out, with cookies in the response.
  void SignedIn(const service::StartedSession& session);
  void SignedOut();
  void SetCookie(std::string_view name, std::string_view value,
                 std::optional<std::chrono::seconds> life = std::nullopt);

  // A page with the header fields of all pages.
  http::Response Page(unsigned status, std::string html,
                      web::PageKind kind = web::PageKind::kOrdinary) const;
  // Header fields of all pages that their reader's browser may cache and revalidate.
  static std::vector<std::pair<std::string, std::string>> PageFields();
  // A response with a page that was made before.
  http::Response MadePage(std::shared_ptr<const http::Document> page) const;
  // 303, after any method: the next request is a GET.
  http::Response GoTo(std::string location) const;
  // The same, to a page that shows `notice` once.
  http::Response GoTo(std::string location, const web::Notice& notice);
  // 403: the form has expired, or was not made by this server. `again`: the page with a new form;
  // "": none.
  http::Response StaleForm(std::string again = {}) const;
  // The page for an error. A 401 does not ask for credentials: no browser has any to send. `near`:
  // for 404, things with a name similar to the path.
  http::Response ErrorPage(const Error& error, std::vector<SearchHit> near) const;
  http::Response ErrorPage(const Error& error) const;

 private:
  void AddPageFields(http::Response& reply, web::PageKind kind) const;
  void AddCookies(http::Response& reply) const;
  std::optional<web::Notice> TakeNotice();
  // True if the user is known to be an administrator; does not ask the catalog.
  bool IsKnownAdministrator() const;
  // Chooses the language from the request and the account; `of_account`: "": it has none.
  void TakeLanguage(std::string_view of_account);
  // The cookie to which this browser's forms are bound: see auth/browser_tokens.h.
  std::string FormCookie() const;

  const http::Request& request_;
  Services& services_;
  Cookies cookies_;
  web::Language language_;
  web::Theme theme_;
  std::string path_;
  std::string visit_;  // visit cookie of a browser without a session
  std::shared_ptr<const service::SignedInUser> visitor_;
  std::string account_;  // name of the signed-in user; "": not signed in
  bool has_forms_ = true;
  bool sees_mirror_ = false;
  bool administers_ = false;
  std::optional<web::Notice> notice_;
  std::vector<std::pair<std::string, std::string>> new_cookies_;  // by name
};

// Short key for the language, theme and keyboard setting of a request that carries nothing but a
// path: pages differ by them. nullopt: the page cannot be shared, since it has a query or shows a
// notice once.
std::optional<std::string> CommonLook(const http::Request& request);

// The form in the body of a page's POST. Fails: kForbidden when the browser says that another site
// sent it; kInvalid; kTooLarge: over `most` bytes; as the body.
Task<Form> ReadPageForm(Call& call, std::size_t most = Form::kMostBytes);
// The same for a program's form: its origin is not checked.
Task<Form> ReadForm(Call& call, std::size_t most = Form::kMostBytes);

// The response for an error: a page for people, JSON for programs.
Awaitable<http::Response> ErrorAnswer(Access access, Error error, const http::Request& request,
                                      Services& services);

}  // namespace koya::api
