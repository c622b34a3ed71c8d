// Which server to talk to and which token to show it.
//
// Flags come first, then KOYA_URL and KOYA_TOKEN, then what "tofu login" and "terraform login"
// keep (clients/kept_credentials.h). Pure functions. Tokens never stand in an error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/text/shell.h"
#include "clients/kept_credentials.h"
#include "http/url.h"

namespace koya::cli {

struct ServerFlags {
  std::string server;  // --server, or ""
  std::string token;   // --token, or ""
};

struct ServerChoice {
  http::Url url;      // origin only
  std::string token;  // "" when there is none: reading may be open
  std::string note;   // what the user should be told about the choice, or ""
};

// Decides. When neither flag nor KOYA_URL names a server, the kept credentials do, if they are for
// exactly one host besides the public registries. Fails: kInvalid.
Result<ServerChoice> ChooseServer(const ServerFlags& flags, const Variables& variables,
                                  const std::vector<clients::KeptCredential>& kept);

// Fails: kInvalid for a token that no field of a request can hold; it is not repeated.
Status CheckToken(std::string_view token);

// "https://HOST[:PORT]", or "HOST[:PORT]" for short. Fails: kInvalid: other schemes, a path, user
// information.
Result<http::Url> ParseServer(std::string_view text, std::string_view place);

}  // namespace koya::cli
