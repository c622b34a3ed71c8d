#include "web/access/admin_sign_in.h"

#include <fmt/format.h>

#include <algorithm>

#include "web/common/admin_parts.h"
#include "web/common/form_parts.h"
#include "web/common/template_engine.h"

namespace koya::web {
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
