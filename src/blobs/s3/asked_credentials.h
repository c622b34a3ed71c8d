// Credential sources that query a service: the token service of AWS, the agent of a container, the
// metadata service of a machine.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "blobs/s3/credentials.h"

namespace koya::s3 {

// "https://sts.REGION.amazonaws.com".
std::string TokenServiceOf(std::string_view region);

// AssumeRoleWithWebIdentity. The file is read each time, because its writer renews it.
struct WebIdentity {
  std::string service;
  std::string token_file;
  std::string role;
  std::string session;
  std::string ca_file;
};
Result<std::unique_ptr<CredentialSource>> MakeWebIdentitySource(WebIdentity identity);

// The container agent, at a URL without a secret: https, or a host that only this machine can
// reach.
struct ContainerAgent {
  std::string url;
  std::string token;       // "": none
  std::string token_file;  // takes precedence; read each time; "": none
};
// Fails: kInvalid.
Result<std::unique_ptr<CredentialSource>> MakeContainerSource(ContainerAgent agent);

// IMDSv2.
Result<std::unique_ptr<CredentialSource>> MakeMachineSource(std::string service,
                                                            std::chrono::milliseconds timeout);

}  // namespace koya::s3
