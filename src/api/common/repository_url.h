// The repository that a release was made from, for documents and updaters.
#pragma once

#include <string>

#include "wire/trust.h"

namespace koya::api {

// "https://github.com/acme/vpc": the page of the repository whose CI job published the release. The
// claims are the issuer's, which signed them: `repository` of GitHub (also Enterprise Server, whose
// issuer is https://HOST/_services/token), `project_path` of GitLab. "": no such job, or its claims
// make no plain https URL.
std::string RepositoryUrl(const wire::Provenance& provenance);

}  // namespace koya::api
