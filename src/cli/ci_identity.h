// Publishing from CI without a stored token: what the job can show of itself becomes one.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "cli/text/output.h"

namespace koya::cli {

// The token that a job publishes with, and the file that keeps it.
class CiIdentity {
 public:
  CiIdentity() = default;  // of no job
  explicit CiIdentity(std::filesystem::path kept) : kept_(std::move(kept)) {}

  // What publishing with it failed with. A token that the registry does not know any more is
  // forgotten, so that the next command asks for another.
  Failure Refused(Error error) const;

 private:
  std::filesystem::path kept_;  // "": none
};

// Where no token was given, and the environment is GitHub Actions, or holds KOYA_ID_TOKEN (GitLab
// CI's id_tokens): exchanges the job's identity for a token of the namespace, which `connection`
// has from now on. A job's own token is good once, so what it got is kept for its next commands, in
// $XDG_CACHE_HOME/koya (~/.cache/koya), until 60 s before its end. Elsewhere nothing happens. The
// audience is the server's URL as it was given, or KOYA_OIDC_AUDIENCE. Fails: as the CI or the
// server says; kUnavailable: the job has no `permissions: id-token: write`.
Result<CiIdentity> UseCiIdentity(RegistryClientOptions& connection, std::string_view ns,
                                 Output& output);

}  // namespace koya::cli
