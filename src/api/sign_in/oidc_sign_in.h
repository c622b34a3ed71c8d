// Sign-in with other providers: the buttons of the sign-in page, the callback URL, and the end of a
// trial.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"

namespace koya::http {
struct Response;
}
namespace koya::service {
struct ProviderAnswer;
}
namespace koya::web {
struct SignInProvider;
}

namespace koya::api {

struct Call;
struct Services;
class PageContext;

// The buttons of a page that leads on to `to`. None if they cannot be read: passwords work without.
Awaitable<std::vector<web::SignInProvider>> SignInProvidersFor(Services& services, std::string to);

// The URL to which a provider sends users back.
std::string OidcCallbackOf(const Services& services, std::string_view provider);

// The page for the administrator who comes back from a trial (admin_sign_in_pages.cc). Signs no
// user in. `call` and `visit` must outlive it.
Task<http::Response> FinishSignInTrial(Call& call, PageContext& visit, std::string provider,
                                       service::ProviderAnswer answer);

}  // namespace koya::api
