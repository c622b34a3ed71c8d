#include "web/common/admin_parts.h"

#include <fmt/format.h>

#include "base/encoding.h"
#include "web/common/page_paths.h"

namespace koya::web {

std::string AdminPath(AdminTab tab) {
  switch (tab) {
    case AdminTab::kOverview:
      return std::string(kAdminAddress);
    case AdminTab::kUsers:
      return "/-/admin/users";
    case AdminTab::kServices:
      return "/-/admin/services";
    case AdminTab::kTokens:
      return "/-/admin/tokens";
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

std::string RevokeAnyTokenPath(std::string_view name) {
  return AdminPath(AdminTab::kTokens, name) + "/revoke";
}

View AdminView(const PageFrame& frame, AdminTab tab, std::string_view command) {
  return FrameView(frame).Set("tab", tab).Set("admin_command", command);
}

}  // namespace koya::web
