#include "web/common/admin_parts.h"

#include <fmt/format.h>

#include "base/percent_encoding.h"
#include "web/common/addresses.h"

namespace koya::web {

std::string AdminPath(AdminTab tab) {
  switch (tab) {
    case AdminTab::kOverview:
      return std::string(kAdminAddress);
    case AdminTab::kUsers:
      return "/-/admin/users";
    case AdminTab::kGroups:
      return "/-/admin/groups";
    case AdminTab::kGrants:
      return "/-/admin/grants";
    case AdminTab::kAudit:
      return "/-/admin/audit";
    case AdminTab::kStorage:
      return "/-/admin/storage";
    case AdminTab::kHealth:
      return "/-/admin/health";
    case AdminTab::kSignIn:
      return "/-/admin/sign-in";
  }
  return std::string(kAdminAddress);
}

std::string AdminPath(AdminTab tab, std::string_view name) {
  return fmt::format("{}/{}", AdminPath(tab), PercentEncode(name));
}

std::string AuditEntryPath(std::int64_t id) {
  return fmt::format("{}/{}", AdminPath(AdminTab::kAudit), id);
}

std::string RevokeAnyTokenPath(std::string_view name) {
  return fmt::format("{}/tokens/{}/revoke", kAdminAddress, PercentEncode(name));
}

View AdminView(const PageFrame& frame, AdminTab tab, std::string_view command) {
  View view = FrameView(frame);
  view.Text("overview_path", AdminPath(AdminTab::kOverview))
      .Text("users_path", AdminPath(AdminTab::kUsers))
      .Text("groups_path", AdminPath(AdminTab::kGroups))
      .Text("grants_path", AdminPath(AdminTab::kGrants))
      .Text("audit_path", AdminPath(AdminTab::kAudit))
      .Text("storage_path", AdminPath(AdminTab::kStorage))
      .Text("health_path", AdminPath(AdminTab::kHealth))
      .Text("sign_in_admin_path", AdminPath(AdminTab::kSignIn))
      .Flag("tab_overview", tab == AdminTab::kOverview)
      .Flag("tab_users", tab == AdminTab::kUsers)
      .Flag("tab_groups", tab == AdminTab::kGroups)
      .Flag("tab_grants", tab == AdminTab::kGrants)
      .Flag("tab_audit", tab == AdminTab::kAudit)
      .Flag("tab_storage", tab == AdminTab::kStorage)
      .Flag("tab_health", tab == AdminTab::kHealth)
      .Flag("tab_sign_in", tab == AdminTab::kSignIn)
      .Text("admin_command", command);
  return view;
}

void AddRoleChip(View& view, Role role) {
  view.Flag("is_reader", role == Role::kReader)
      .Flag("is_publisher", role == Role::kPublisher)
      .Flag("is_owner", role == Role::kOwner);
}

void AddVisibilityChip(View& view, Visibility visibility) {
  view.Flag("is_public", visibility == Visibility::kPublic)
      .Flag("is_internal", visibility == Visibility::kInternal)
      .Flag("is_private", visibility == Visibility::kPrivate);
}

}  // namespace koya::web
