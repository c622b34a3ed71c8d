// Credential sources, in the order in which they are tried:
//   1. blobs.s3.access_key_file: two lines, the key and its secret; read again when it changes;
//   2. AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN;
//   3. AWS_WEB_IDENTITY_TOKEN_FILE with AWS_ROLE_ARN: a role's, from the token service;
//   4. AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI: from the container's agent;
//   5. the machine's metadata service (IMDSv2).
// The first one that is set is used: a source that is set but does not work is an error, never a
// reason to continue with another identity.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "blobs/s3/credentials.h"

namespace koya::s3 {

struct CredentialOptions {
  std::string access_key_file;
  std::string region;   // of the token service
  std::string ca_file;  // of blobs.s3.ca_file; for the token service
  // The environment; empty values count as absent.
  std::function<std::optional<std::string>(const char* name)> environment;
  // Addresses of the services; tests use their own.
  std::string token_service = {};  // "": https://sts.REGION.amazonaws.com
  std::string container_agent = "http://169.254.170.2";
  std::string metadata_service = "http://169.254.169.254";
  std::chrono::milliseconds metadata_timeout{1000};
};

// Reads the environment of this process.
std::optional<std::string> ProcessEnvironment(const char* name);

// Fails: kInvalid when a source is only half set. Fetches nothing yet.
Result<std::unique_ptr<CredentialSource>> MakeCredentialSource(const CredentialOptions& options);

}  // namespace koya::s3
