#include "service/sign_in/first_run.h"

#include "api/common/access_documents.h"
#include "api/common/call.h"
#include "api/common/page_context.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "auth/password.h"
#include "base/offload.h"
#include "base/text.h"
#include "domain/access.h"
#include "domain/name_rules.h"
#include "obs/log.h"
#include "service/sign_in/browser.h"
#include "web/access/sign_in_pages.h"
#include "web/common/page_paths.h"
#include "wire/sign_in.h"

namespace koya::api {
namespace {

using web::FirstRunProblem;

std::vector<FirstRunProblem> ProblemsOf(const Form& form) {
  std::vector<FirstRunProblem> problems;
  const std::string& user = form.Get("username");
  const std::string& password = form.Get("password");
  if (!CheckAccountName(AccountKind::kUser, user)) problems.push_back(FirstRunProblem::kUsername);
  if (!auth::CheckNewPassword(password, user)) problems.push_back(FirstRunProblem::kPasswordShort);
  if (password != form.Get("password_again")) problems.push_back(FirstRunProblem::kPasswordsDiffer);
  if (!service::CheckSiteName(form.Get("name"))) problems.push_back(FirstRunProblem::kName);
  return problems;
}

std::string WithoutSpacesAround(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

http::Response FirstRunForm(const PageContext& visit, const Services& services, unsigned status,
                            web::FirstRunPage page) {
  page.password_min = auth::kShortestPassword;
  page.asks_visibility = services.sign_in.first_run.AsksVisibility();
  page.asks_name = services.site.name.empty();
  return visit.Page(status, web::RenderFirstRun(visit.Frame(), page));
}

// There is nothing to be set up, and so no such page. Fails: kNotFound; as the catalog.
Task<void> RequireFirstRun(Services& services) {
  ASSIGN_OR_CO_RETURN(bool done, co_await services.sign_in.first_run.IsDone());
  if (done) co_return FailNotFound("this registry is already set up");
  co_return Status();
}

// Creates the administrator, and logs the success or the failed attempt.
Task<AccountRecord> MakeAdministrator(const http::Request& request, Services& services,
                                      wire::SetupRequest wanted) {
  const std::optional<Visibility> visibility = ParseVisibility(wanted.visibility);
  if (!visibility && !wanted.visibility.empty()) {
    co_return FailInvalid("\"visibility\" must be public, internal or private, not \"{}\"",
                          Printable(wanted.visibility, 40));
  }
  service::Browser browser{.address = std::string(request.remote),
                           .user_agent = std::string(request.Get("User-Agent")),
                           .request_id = std::string(request.request_id)};
  SetupChoices choices{.new_namespaces = visibility, .site_name = std::move(wanted.name)};
  Result<AccountRecord> made = co_await services.sign_in.first_run.SetUp(
      std::move(browser), std::move(wanted.token), wanted.user, std::move(wanted.password),
      std::move(choices));
  if (!made) {
    services.log.Failure("set-up refused", made.error(),
                         {{"request_id", request.request_id}, {"remote", request.remote}});
    co_return made;
  }
  services.log.Info(
      "set-up done",
      {{"request_id", request.request_id}, {"user", made->name}, {"remote", request.remote}});
  if (services.sign_in.on_set_up) {
    std::function<void()> tidy = services.sign_in.on_set_up;
    co_await services.readers.quick.Run(std::move(tidy));
  }
  co_return made;
}

// The form with the error; errors that the form cannot show are passed on.
Result<http::Response> RefusedFirstRun(const PageContext& visit, const Services& services,
                                       web::FirstRunPage page, Error error) {
  if (error.kind == ErrorKind::kUnauthenticated) {
    page.problems = {FirstRunProblem::kToken};
    return FirstRunForm(visit, services, 401, std::move(page));
  }
  if (error.kind != ErrorKind::kThrottled) return Failure(std::move(error));
  page.problems = {FirstRunProblem::kThrottled};
  page.retry_after = std::chrono::seconds(std::max(error.retry_after, 1U));
  std::string wait = std::to_string(page.retry_after.count());
  http::Response reply = FirstRunForm(visit, services, 429, std::move(page));
  reply.fields.emplace_back("Retry-After", std::move(wait));
  return reply;
}

Task<http::Response> ShowFirstRun(Call& call) {
  PageContext visit(call.request(), call.services);
  CO_RETURN_IF_ERROR(co_await RequireFirstRun(call.services));
  CO_RETURN_IF_ERROR(co_await visit.Recognise());
  co_return FirstRunForm(visit, call.services, 200, {});
}

Task<http::Response> FinishFirstRun(Call& call) {
  PageContext visit(call.request(), call.services);
  visit.SetPath(std::string(web::kFirstRunAddress));
  ASSIGN_OR_CO_RETURN(Form form, co_await ReadPageForm(call));
  CO_RETURN_IF_ERROR(co_await RequireFirstRun(call.services));
  CO_RETURN_IF_ERROR(co_await visit.Recognise());
  web::FirstRunPage page{.username = form.Get("username"),
                         .name = WithoutSpacesAround(form.Get("name")),
                         .visibility = ParseVisibility(form.Get("visibility")),
                         .problems = {}};
  if (!visit.Made(form)) {
    page.problems = {FirstRunProblem::kStaleForm};
    co_return FirstRunForm(visit, call.services, 403, std::move(page));
  }
  page.problems = ProblemsOf(form);
  if (!page.problems.empty()) co_return FirstRunForm(visit, call.services, 400, std::move(page));
  wire::SetupRequest wanted{.token = form.Get("token"),
                            .user = form.Get("username"),
                            .password = form.Get("password"),
                            .visibility = form.Get("visibility"),
                            .name = page.name};
  Result<AccountRecord> made =
      co_await MakeAdministrator(call.request(), call.services, std::move(wanted));
  if (!made)
    co_return RefusedFirstRun(visit, call.services, std::move(page), std::move(made).error());
  visit.SetPath(std::string(web::kSignInAddress));
  web::SignInPage next{.username = made->name,
                       .to = std::string(web::kHomeAddress),
                       .reason = web::SignInReason::kFirstRunDone};
  co_return visit.Page(200, web::RenderSignIn(visit.Frame(), next));
}

// The same for programs.
Task<http::Response> SetUp(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(wire::SetupRequest wanted, wire::Decode<wire::SetupRequest>(body));
  ASSIGN_OR_CO_RETURN(AccountRecord account,
                      co_await MakeAdministrator(call.request(), call.services, std::move(wanted)));
  co_return JsonReply(201, wire::Encode(ToWire(account)));
}

}  // namespace

// The first administrator.
std::span<const Route> FirstRunRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/-/first-run", Access::kPage, ResourceScope::kNone, ShowFirstRun,
                 "Show the form to create the first administrator"),
      Route::Post("/-/first-run", Access::kPage, BodyLimit::kForm, FinishFirstRun,
                  "Create the first administrator"),
      Route::For(wire::kSetUp, Access::kOpen, BodyLimit::kSmall, SetUp,
                 "Create the first administrator"),
  };
  return kRoutes;
}

}  // namespace koya::api
