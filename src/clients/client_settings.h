// Writes the CLI configuration that directs clients to this server for other registries' providers
// and modules. Pure functions.
//
// Two ways (docs/mirror.md, "Which of the two"): `host` blocks point a registry's name at
// /origin/; `provider_installation` names /mirror/ as an installation method.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/host_name.h"

namespace koya::clients {

// kMoved: the server itself has what the registry had, under the same addresses.
enum class ClientMode { kOrigin, kMirror, kMoved };

// The placeholder for a token.
inline constexpr std::string_view kTokenPlaceholder = "PUT-THE-TOKEN-HERE";

struct ClientSettingsRequest {
  std::string server;                // "https://koya.example.com:8443": no slash at its end
  std::vector<HostName> registries;  // at least one
  ClientMode mode = ClientMode::kOrigin;
  // With kMirror: clients also contact the registries themselves, and use whichever has it.
  bool direct = false;
  // For `credentials` blocks, for a server whose mirror requires a token (access.mirror =
  // internal): a real one or kTokenPlaceholder. "": not required; a comment explains how to add
  // them.
  std::string token = {};
};

// Text for ~/.tofurc and ~/.terraformrc, with comments on where to put it, where tokens go and how
// to check it. Fails: kInvalid for configurations that clients reject: with kMirror a server
// without https, and a registry with a port.
Result<std::string> ClientSettings(const ClientSettingsRequest& wish);

// The environment variable from which clients take the token for `host`: "TF_TOKEN_example_com",
// "TF_TOKEN_my__host_test:8443".
std::string TokenVariable(const HostName& host);

// A block for such a file: `credentials "HOST" { token = "…" }`, including the line end.
std::string CredentialsBlock(const HostName& host, std::string_view token);
// The shell command that sets the token in that variable: "export TF_TOKEN_…=…". Shells cannot
// export a name with a colon in it: then the prefix that sets it for one command.
std::string HowToSetToken(const HostName& host, std::string_view token);

}  // namespace koya::clients
