// The tokens that the clients keep on a machine, under the rules of "tofu login" and "terraform
// login": TF_TOKEN_… variables first, then credentials.tfrc.json. Pure functions, but for
// ReadKeptCredentials; any thread. Tokens never stand in an error.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace koya::clients {

// Environment variables in the order the process was given them.
using Variables = std::vector<std::pair<std::string, std::string>>;

struct KeptCredential {
  std::string host;   // as CredentialHost writes it
  std::string token;  // not empty
  std::string place;  // "TF_TOKEN_example_com", "~/.terraform.d/credentials.tfrc.json"
};

// One spelling per host: HostName::ascii() where it is one; else (IPv6) lower case, without ":443",
// the port without leading zeros.
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

}  // namespace koya::clients
