// Shared parts of the administrator's pages.
#pragma once

#include <string>
#include <string_view>

#include "domain/namespace_record.h"
#include "web/common/page_frame.h"
#include "web/common/view.h"

namespace koya::web {

enum class AdminTab {
  kOverview,
  kUsers,
  kServices,
  kTokens,
  kGroups,
  kGrants,
  kAudit,
  kStorage,
  kHealth,
  kSignIn,
};

// The view of a page with the fields of the piece _admin_head: title and tabs. `command` is the
// equivalent command ("koya user list") for the piece _admin_command; "": there is none.
View AdminView(const PageFrame& frame, AdminTab tab, std::string_view command);

inline KOYA_VIEW(GrantRecord, kind, grantee, role, granted_at, granted_by);

// Paths of the pages. `name`: of a user, a group, or a sign-in provider.
std::string AdminPath(AdminTab tab);
std::string AdminPath(AdminTab tab, std::string_view name);
// The page that asks to confirm that a user's token is revoked.
std::string RevokeAnyTokenPath(std::string_view name);

}  // namespace koya::web
