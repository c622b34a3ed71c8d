#include "web/access/admin_sign_in.h"

#include <algorithm>

#include "web/common/admin_parts.h"
#include "web/common/form_parts.h"
#include "web/common/refusal.h"
#include "web/common/template_engine.h"
#include "web/common/view_parts.h"

namespace koya::web {
namespace {

View IdentityProviderView(const PageFrame& frame, const ShownProvider& provider) {
  std::vector<View> mappings;
  for (const auto& [theirs, ours] : provider.mappings) {
    mappings.push_back(View()
                           .Text("theirs", theirs)
                           .Text("ours", ours)
                           .Text("ours_path", AdminPath(AdminTab::kGroups, ours)));
  }
  const std::string path = AdminPath(AdminTab::kSignIn, provider.name);
  View view;
  view.Text("provider_name", provider.name)
      .Text("provider_path", path)
      .Text("trial_path", path + "/trial")
      .Text("issuer", provider.issuer)
      .Text("client_id", provider.client_id)
      .Flag("has_secret", provider.has_secret)
      .Text("callback", provider.callback)
      .Text("groups_claim", provider.groups_claim)
      .Flag("has_mappings", !mappings.empty())
      .List("mappings", std::move(mappings))
      .Flag("has_more_mappings", provider.has_more_mappings)
      .Text("created_by", provider.created_by);
  AddTime(view, "created", frame.language, provider.created_at);
  return view;
}

std::vector<View> TextViews(std::string_view name, const std::vector<std::string>& texts) {
  std::vector<View> views;
  for (const std::string& text : texts) views.push_back(View().Text(std::string(name), text));
  return views;
}

}  // namespace

std::string RenderAdminProviders(const PageFrame& frame, const AdminProvidersPage& page) {
  std::vector<View> providers;
  for (const auto& each : page.providers) providers.push_back(IdentityProviderView(frame, each));
  View view = AdminView(frame, AdminTab::kSignIn, "");
  view.Flag("has_providers", !providers.empty()).List("providers", std::move(providers));
  AddCommand(view,
             "koya idp add NAME --issuer URL --client-id ID --client-secret-stdin\n"
             "koya idp remove NAME");
  return RenderTemplate("admin_providers", frame.language, view);
}

std::string RenderAdminProvider(const PageFrame& frame, const AdminProviderPage& page) {
  std::vector<View> findings;
  for (const auto& each : page.findings) {
    findings.push_back(View().Flag("is_good", each.good).Text("finding", each.text));
  }
  const bool all_good = std::ranges::all_of(page.findings, &AdminProviderPage::Finding::good);
  View view = AdminView(frame, AdminTab::kSignIn, "");
  view.Text("title_provider", page.provider.name)
      .Maybe("provider", IdentityProviderView(frame, page.provider))
      .Flag("is_tested", page.is_tested)
      .Flag("would_do", page.is_tested && all_good)
      .Flag("would_not_do", page.is_tested && !all_good)
      .List("findings", std::move(findings));
  AddCommand(view, "koya idp test " + ShellWord(page.provider.name));
  return RenderTemplate("admin_provider", frame.language, view);
}

std::string RenderAdminTrial(const PageFrame& frame, const AdminTrialPage& page) {
  std::vector<View> claims;
  for (const auto& [name, value] : page.claims) {
    claims.push_back(View().Text("claim_name", name).Text("claim_value", value));
  }
  std::vector<View> groups;
  for (const std::string& group : page.groups) {
    groups.push_back(
        View().Text("ours", group).Text("ours_path", AdminPath(AdminTab::kGroups, group)));
  }
  View view = AdminView(frame, AdminTab::kSignIn, "");
  AddRefusal(view, frame.language, page.problem);
  view.Text("title_provider", page.provider)
      .Text("provider_name", page.provider)
      .Text("provider_path", AdminPath(AdminTab::kSignIn, page.provider))
      .Text("trial_path", AdminPath(AdminTab::kSignIn, page.provider) + "/trial")
      .Flag("came_back", page.problem.empty())
      .Text("wanted_name", page.wanted_name)
      .Flag("has_claims", !claims.empty())
      .List("claims", std::move(claims))
      .Flag("has_groups_claim", page.has_groups_claim)
      .Flag("has_theirs", !page.theirs.empty())
      .List("their_groups", TextViews("their_group", page.theirs))
      .Flag("has_groups", !groups.empty())
      .List("groups", std::move(groups));
  return RenderTemplate("admin_trial", frame.language, view);
}

}  // namespace koya::web
