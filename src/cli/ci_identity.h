// Trusted publishing: exchanges the identity of a CI job for a token, so that CI stores no secret.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "cli/text/output.h"

namespace koya::cli {

// The token that a job publishes with, and the file that caches it.
class CiIdentity {
 public:
  CiIdentity() = default;  // no CI job
  explicit CiIdentity(std::filesystem::path kept) : kept_(std::move(kept)) {}

  // Returns `error`, with which publishing failed. If the registry does not know the token any
  // more, deletes the cached token, so that the next command requests a new one.
  Failure Refused(Error error) const;

 private:
  std::filesystem::path kept_;  // "": not cached
};

// Exchanges the identity of a CI job for a token of the namespace, and stores it in `connection`,
// when no token was given and the environment is GitHub Actions or has KOYA_ID_TOKEN (GitLab CI's
// id_tokens). Otherwise does nothing. A job's own token can be exchanged only once, so the result
// is cached for the job's next commands in $XDG_CACHE_HOME/koya (~/.cache/koya), until 60 s before
// its expiry. The audience is the server's URL as given, or KOYA_OIDC_AUDIENCE. Fails: as the CI or
// the server reports; kUnavailable: the job has no `permissions: id-token: write`.
Result<CiIdentity> UseCiIdentity(RegistryClientOptions& connection, std::string_view ns,
                                 Output& output);

}  // namespace koya::cli
