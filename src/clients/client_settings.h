// The CLI configuration that sends clients to this server for other registries' providers and
// modules. Pure functions.
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

enum class ClientMode { kOrigin, kMirror };

// What stands where a token is to be put.
inline constexpr std::string_view kTokenPlaceholder = "PUT-THE-TOKEN-HERE";

struct ClientSettingsWish {
  std::string server;                // "https://koya.example.com:8443": no slash at its end
  std::vector<HostName> registries;  // at least one
  ClientMode mode = ClientMode::kOrigin;
  // With kMirror: clients ask the registries themselves, too, and take what either has.
  bool direct = false;
  // In `credentials` blocks, for a server whose mirror wants a token (access.mirror = internal): a
  // real one or kTokenPlaceholder. "": none are needed, and how to add them is a comment.
  std::string token = {};
};

// Text for ~/.tofurc and ~/.terraformrc, with comments on where it goes, where tokens go and how to
// check it. Fails: kInvalid for what clients refuse: with kMirror a server without https, and a
// registry with a port.
Result<std::string> ClientSettings(const ClientSettingsWish& wish);

// The environment variable that clients take the token for `host` from: "TF_TOKEN_example_com",
// "TF_TOKEN_my__host_test:8443".
std::string TokenVariable(const HostName& host);

// A block for such a file: `credentials "HOST" { token = "…" }`, with a line end at its end.
std::string CredentialsBlock(const HostName& host, std::string_view token);
// The command by which a shell has the token in that variable: "export TF_TOKEN_…=…". Shells cannot
// export a name with a colon in it: then by which one command has it.
std::string HowToSetToken(const HostName& host, std::string_view token);

}  // namespace koya::clients
