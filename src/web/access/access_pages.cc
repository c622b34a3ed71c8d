#include "web/access/access_pages.h"

#include <algorithm>

#include "web/common/template_engine.h"
#include "web/common/text_safety.h"

namespace koya::web {
KOYA_VIEW(SignInPage, username, has_local_accounts, reason, wanted, problem, failed_provider,
          request_id);
KOYA_VIEW(ConsentPage, host, client_id, redirect_uri, scope, life, ends, hidden);
KOYA_VIEW(FirstRunPage, username, asks_name, asks_visibility, problems, password_min);

std::string RenderSignIn(const PageFrame& frame, const SignInPage& page) {
  View view = FrameView(frame, SignInLink::kHidden).Of(page);
  view.Set("to", LocalPath(page.to))
      .Set("wait", page.retry_after)
      .List("providers", page.providers, [](const SignInProvider& provider) {
        return View()
            .Set("provider", provider.label)
            .Set("provider_path", LocalPath(provider.path));
      });
  return RenderTemplate("sign_in", frame.language, view);
}

std::string RenderSignedOut(const PageFrame& frame) {
  return RenderTemplate("signed_out", frame.language, FrameView(frame, SignInLink::kHidden));
}

std::string RenderConsent(const PageFrame& frame, const ConsentPage& page) {
  const View view = FrameView(frame, SignInLink::kHidden).Of(page);
  return RenderTemplate("consent", frame.language, view);
}

std::string RenderDenied(const PageFrame& frame, std::string_view host) {
  const View view = FrameView(frame, SignInLink::kHidden).Set("host", host);
  return RenderTemplate("denied", frame.language, view);
}

std::string RenderFirstRun(const PageFrame& frame, const FirstRunPage& page) {
  auto has = [&page](FirstRunProblem problem) {
    return std::ranges::find(page.problems, problem) != page.problems.end();
  };
  View view = FrameView(frame, SignInLink::kHidden).Of(page);
  view.Set("wanted", page.visibility.value_or(Visibility::kInternal))
      .Set("site_wanted", page.name)
      .Set("wait", page.retry_after)
      .Set("is_bad_token", has(FirstRunProblem::kToken))
      .Set("is_bad_username", has(FirstRunProblem::kUsername))
      .Set("is_short", has(FirstRunProblem::kPasswordShort))
      .Set("is_different", has(FirstRunProblem::kPasswordsDiffer))
      .Set("is_bad_name", has(FirstRunProblem::kName))
      .Set("is_throttled", has(FirstRunProblem::kThrottled))
      .Set("is_stale", has(FirstRunProblem::kStaleForm));
  return RenderTemplate("first_run", frame.language, view);
}

}  // namespace koya::web
