// The buttons of the sign-in page that lead to other providers.
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
class Visit;

// Of a page whose reader goes on to `to`. None while they cannot be read: passwords do without.
Awaitable<std::vector<web::SignInProvider>> SignInProvidersFor(Services& services, std::string to);

// Where a provider sends people back to.
std::string OidcCallbackOf(const Services& services, std::string_view provider);

// What is shown to the administrator who comes back from a trial: admin_sign_in_pages.cc. Nobody is
// signed in. `call` and `visit` outlive it.
Task<http::Response> FinishSignInTrial(Call& call, Visit& visit, std::string provider,
                                       service::ProviderAnswer answer);

}  // namespace koya::api
