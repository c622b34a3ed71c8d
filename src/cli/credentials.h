// Which server to talk to and which token to show it.
//
// Flags come first, then KOYA_URL and KOYA_TOKEN, then what "tofu login" and "terraform login"
// keep: TF_TOKEN_… variables and credentials.tfrc.json, under the rules of those clients. Pure
// functions, but for ReadKeptCredentials. Tokens never stand in an error.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/surroundings.h"
#include "http/url.h"

namespace koya::cli {

struct KeptCredential {
  std::string host;   // as CredentialHost writes it
  std::string token;  // not empty
  std::string place;  // "TF_TOKEN_example_com", "~/.terraform.d/credentials.tfrc.json"
};

// One spelling per host: lower case, without ":443", the port without leading zeros.
std::string CredentialHost(std::string_view host);

// Credentials out of TF_TOKEN_… variables: "__" stands for "-", then "_" for "."; a port follows a
// literal colon; letter case does not matter; of two names for one host the later wins.
std::vector<KeptCredential> CredentialsFromVariables(const Variables& variables);

// Credentials out of {"credentials":{"HOST":{"token":"…"}}}. Entries of another shape are passed
// over, as the clients do. Fails: kInvalid when `body` is not a JSON object.
Result<std::vector<KeptCredential>> CredentialsFromFile(std::string_view body,
                                                        const std::string& place);

// Where the clients keep that file, the preferred place first.
std::vector<std::filesystem::path> CredentialFiles(const Variables& variables);

// Variables first, then the files that exist. Fails: kInvalid for a file that cannot be read.
Result<std::vector<KeptCredential>> ReadKeptCredentials(const Variables& variables);

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
                                  const std::vector<KeptCredential>& kept);

// "https://HOST[:PORT]", or "HOST[:PORT]" for short. Fails: kInvalid: other schemes, a path, user
// information.
Result<http::Url> ParseServer(std::string_view text, std::string_view place);

}  // namespace koya::cli
