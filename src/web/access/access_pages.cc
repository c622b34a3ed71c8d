#include "web/access/access_pages.h"

#include <fmt/format.h>

#include <algorithm>

#include "web/common/addresses.h"
#include "web/common/template_engine.h"
#include "web/common/text_safety.h"
#include "web/common/words.h"

namespace koya::web {
namespace {

std::vector<View> ProviderViews(const SignInPage& page) {
  std::vector<View> views;
  views.reserve(page.providers.size());
  for (const SignInProvider& provider : page.providers) {
    views.push_back(
        View().Text("provider", provider.label).Text("provider_path", LocalPath(provider.path)));
  }
  return views;
}

}  // namespace

std::string RenderSignIn(const PageFrame& frame, const SignInPage& page) {
  View view = FrameView(frame, SignInLink::kHidden);
  view.Text("address", kSignInAddress)
      .Text("to", LocalPath(page.to))
      .Text("username", page.username)
      .Text("wanted", page.wanted)
      .Text("failed_provider", page.failed_provider)
      .Text("request_id", page.request_id)
      .Text("wait", DurationText(frame.language, page.retry_after))
      .Flag("has_local", page.has_local_accounts)
      .Flag("has_both", page.has_local_accounts && !page.providers.empty())
      .List("providers", ProviderViews(page))
      .Flag("for_client", page.reason == SignInReason::kClientLogin)
      .Flag("for_page", page.reason == SignInReason::kPage)
      .Flag("first_run_done", page.reason == SignInReason::kFirstRunDone)
      .Flag("has_problem", page.problem != SignInProblem::kNone)
      .Flag("is_refused", page.problem == SignInProblem::kRefused)
      .Flag("is_throttled", page.problem == SignInProblem::kThrottled)
      .Flag("is_provider_failed", page.problem == SignInProblem::kProviderFailed)
      .Flag("is_stale", page.problem == SignInProblem::kStaleForm);
  return RenderTemplate("sign_in", frame.language, view);
}

std::string RenderSignedOut(const PageFrame& frame, const SignedOutPage&) {
  View view = FrameView(frame, SignInLink::kHidden);
  view.Text("address", kSignInAddress);
  return RenderTemplate("signed_out", frame.language, view);
}

std::string RenderConsent(const PageFrame& frame, const ConsentPage& page) {
  View view = FrameView(frame, SignInLink::kHidden);
  view.Text("address", kConsentAddress)
      .Text("host", page.host)
      .Text("client_id", page.client_id)
      .Text("redirect_uri", page.redirect_uri)
      .Flag("may_publish", Includes(page.scope, Scope::kPublish))
      .Flag("may_admin", Includes(page.scope, Scope::kAdmin))
      .Text("life", DurationText(frame.language, page.life))
      .Text("ends_date", DateText(frame.language, page.ends))
      .Text("ends_moment", FormatRfc3339(page.ends))
      .List("hidden", HiddenViews(page.hidden));
  return RenderTemplate("consent", frame.language, view);
}

std::string RenderDenied(const PageFrame& frame, const DeniedPage& page) {
  View view = FrameView(frame, SignInLink::kHidden);
  view.Text("host", page.host);
  return RenderTemplate("denied", frame.language, view);
}

std::string RenderFirstRun(const PageFrame& frame, const FirstRunPage& page) {
  auto has = [&page](FirstRunProblem problem) {
    return std::ranges::find(page.problems, problem) != page.problems.end();
  };
  View view = FrameView(frame, SignInLink::kHidden);
  const Visibility wanted = page.visibility.value_or(Visibility::kInternal);
  view.Text("address", kFirstRunAddress)
      .Text("username", page.username)
      .Flag("asks_visibility", page.asks_visibility)
      .Flag("wants_public", wanted == Visibility::kPublic)
      .Flag("wants_internal", wanted == Visibility::kInternal)
      .Flag("wants_private", wanted == Visibility::kPrivate)
      .Text("min", fmt::to_string(page.password_min))
      .Text("wait", DurationText(frame.language, page.retry_after))
      .Flag("has_problems", !page.problems.empty())
      .Flag("is_bad_token", has(FirstRunProblem::kToken))
      .Flag("is_bad_username", has(FirstRunProblem::kUsername))
      .Flag("is_short", has(FirstRunProblem::kPasswordShort))
      .Flag("is_different", has(FirstRunProblem::kPasswordsDiffer))
      .Flag("is_throttled", has(FirstRunProblem::kThrottled))
      .Flag("is_stale", has(FirstRunProblem::kStaleForm));
  return RenderTemplate("first_run", frame.language, view);
}

}  // namespace koya::web
