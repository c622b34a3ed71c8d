// Publishing from CI without a stored token: what the job can show of itself becomes one.
#pragma once

#include <string_view>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "cli/text/output.h"

namespace koya::cli {

// Where no token was given, and the environment is GitHub Actions, or holds KOYA_ID_TOKEN (GitLab
// CI's id_tokens): exchanges the job's identity for a token of the namespace, which `connection`
// has from now on. Elsewhere nothing happens. The audience is the server's URL as it was given, or
// KOYA_OIDC_AUDIENCE. Fails: as the CI or the server says; kUnavailable: the job has no
// `permissions: id-token: write`.
Status UseCiIdentity(RegistryClientOptions& connection, std::string_view ns, Output& output);

}  // namespace koya::cli
