// Reads the tokens that clients store on a machine, under the rules of "tofu login" and "terraform
// login": TF_TOKEN_… variables first, then credentials.tfrc.json. Pure functions, except
// ReadKeptCredentials; any thread. Tokens never appear in an error.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace koya::clients {

// Environment variables in the order in which the process received them.
using Variables = std::vector<std::pair<std::string, std::string>>;

struct StoredCredential {
  std::string host;   // in the spelling of CredentialHost
  std::string token;  // not empty
  std::string place;  // "TF_TOKEN_example_com", "~/.terraform.d/credentials.tfrc.json"
};

// One spelling per host: HostName::ascii() if it is valid; otherwise (IPv6) lower case, without
// ":443", the port without leading zeros.
std::string CredentialHost(std::string_view host);

// Credentials from TF_TOKEN_… variables: "__" stands for "-", then "_" for "."; a port follows a
// literal colon; letter case does not matter; of two names for one host the later one wins.
std::vector<StoredCredential> CredentialsFromVariables(const Variables& variables);

// Credentials from {"credentials":{"HOST":{"token":"…"}}}. Malformed entries are skipped, as the
// clients do. Fails: kInvalid when `body` is not a JSON object.
Result<std::vector<StoredCredential>> CredentialsFromFile(std::string_view body,
                                                          const std::string& place);

// The places of that file, the clients' preferred one first.
std::vector<std::filesystem::path> CredentialFiles(const Variables& variables);

// Variables first, then the files that exist. Fails: kInvalid for an unreadable file.
Result<std::vector<StoredCredential>> ReadKeptCredentials(const Variables& variables);

}  // namespace koya::clients
