// What the administrator's pages share.
#pragma once

#include <string>
#include <string_view>

#include "domain/role.h"
#include "domain/visibility.h"
#include "web/page_frame.h"
#include "web/view.h"

namespace koya::web {

enum class AdminTab { kOverview, kUsers, kGroups, kGrants, kAudit, kStorage, kHealth, kSignIn };

// The view of a page with the fields of the piece _admin_head: title and tabs. `command` is what
// does the same on the command line ("koya user list"): the piece _admin_command; "": nothing does.
View AdminView(const PageFrame& frame, AdminTab tab, std::string_view command);

// The fields of the piece _admin_role: a chip, or nothing.
void AddRoleChip(View& view, Role role);
// The fields of the piece _admin_visibility: a chip.
void AddVisibilityChip(View& view, Visibility visibility);

// Where the pages are. `name`: of a user, a group, a sign-in provider, as it is called.
std::string AdminPath(AdminTab tab);
std::string AdminPath(AdminTab tab, std::string_view name);
std::string AuditEntryPath(std::int64_t id);
// The page that asks whether somebody's token is to be revoked.
std::string RevokeAnyTokenPath(std::string_view name);

}  // namespace koya::web
