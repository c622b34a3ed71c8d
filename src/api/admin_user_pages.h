// What the administrator's pages of users share.
#pragma once

#include "base/task.h"
#include "web/admin_accounts.h"

namespace koya::api {

struct Call;

// The first of them, as the page of users has them. Fails: as the catalog.
Task<web::AdminUsersPage> ReadUsersPage(Call& call);

}  // namespace koya::api
