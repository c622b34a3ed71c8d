// The buttons of the sign-in page that lead to other providers.
#pragma once

#include <string>
#include <vector>

#include "api/call.h"
#include "web/access_pages.h"

namespace koya::api {

// Of a page whose reader goes on to `to`. None while they cannot be read: passwords do without.
Awaitable<std::vector<web::SignInProvider>> SignInProvidersFor(Services& services, std::string to);

}  // namespace koya::api
