#include "web/access/sign_in_pages.h"

#include <fmt/format.h>

#include <algorithm>

#include "web/common/admin_parts.h"
#include "web/common/form_parts.h"
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

KOYA_VIEW(GroupMapping, theirs, ours);
KOYA_VIEW(IdentityProviderRecord, name, issuer, client_id, groups_claim, created_at, created_by,
          enabled);
KOYA_VIEW(AdminProviderPage::Finding, good, text);
KOYA_VIEW(AdminProviderPage, provider, callback, is_tested, findings);
KOYA_VIEW(AdminTrialPage, provider, wanted_name, theirs, groups, has_groups_claim);

std::string RenderAdminProviders(const PageFrame& frame, const AdminProvidersPage& page) {
  View view = AdminView(frame, AdminTab::kSignIn, "").Set("providers", page.providers);
  auto field = [&](const FormField& of) { return FieldView(frame.language, page.errors, of); };
  view.Set("f_name", field({.name = "name", .value = page.name, .most = 64, .is_required = true}))
      .Set("f_issuer", field({.name = "issuer",
                              .value = page.issuer,
                              .type = "url",
                              .most = 1000,
                              .is_required = true}))
      .Set("f_client", field({.name = "client_id",
                              .value = page.client_id,
                              .most = 256,
                              .is_required = true,
                              .has_hint = false}))
      .Set("f_secret", field({.name = "client_secret",
                              .type = "password",
                              .autocomplete = "new-password",
                              .most = 4096}))
      .Set("f_claim", field({.name = "groups_claim", .value = page.groups_claim, .most = 256}))
      .Set("f_groups", field({.name = "groups", .value = page.groups, .most = 30'000}));
  AddFormErrors(view, frame.language, page.errors);
  AddCommand(view,
             "koya idp add NAME --issuer URL --client-id ID --client-secret-stdin\n"
             "koya idp remove NAME");
  return RenderTemplate("admin_providers", frame.language, view);
}

std::string RenderAdminProvider(const PageFrame& frame, const AdminProviderPage& page) {
  const bool all_good = std::ranges::all_of(page.findings, &AdminProviderPage::Finding::good);
  std::vector<GroupMapping> mappings = page.provider.groups;
  const bool has_more = mappings.size() > AdminProviderPage::kMostMappings;
  if (has_more) mappings.resize(AdminProviderPage::kMostMappings);
  View view = AdminView(frame, AdminTab::kSignIn, "").Of(page);
  view.Set("has_secret", !page.provider.sealed_secret.empty())
      .Set("mappings", mappings)
      .Set("has_more_mappings", has_more)
      .Set("would_do", page.is_tested && all_good)
      .Set("would_not_do", page.is_tested && !all_good);
  const std::string name = ShellWord(page.provider.name);
  AddCommand(view, fmt::format("koya idp test {0}\nkoya idp disable {0}", name));
  return RenderTemplate("admin_provider", frame.language, view);
}

std::string RenderAdminTrial(const PageFrame& frame, const AdminTrialPage& page) {
  View view = AdminView(frame, AdminTab::kSignIn, "").Of(page);
  AddRefusal(view, frame.language, page.problem);
  view.List("claims", page.claims, [](const auto& claim) {
    return View().Set("name", claim.first).Set("value", claim.second);
  });
  return RenderTemplate("admin_trial", frame.language, view);
}

}  // namespace koya::web
