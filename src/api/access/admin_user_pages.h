// Helpers that the administrators' pages of users share.
#pragma once

#include "base/task.h"
#include "web/access/admin_accounts.h"

namespace koya::api {

struct Call;

// Reads the first page of the list of users. Fails: as the catalog.
Task<web::AdminUsersPage> ReadUsersPage(Call& call);

}  // namespace koya::api
