// Reads and writes the tokens that clients store on a machine, under the rules of "tofu login" and
// "terraform login": TF_TOKEN_… variables first, then credentials.tfrc.json. Any thread. Tokens
// never appear in an error. Functions are pure, except ReadKeptCredentials and those of the file.
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

// ---- the file in which "tofu login", "terraform login" and "koya login" store tokens: the same
// place, the same format, written under the same rules. Blocks on the disk.

// The file that clients write, whether it exists or not: ~/.terraform.d/credentials.tfrc.json; if
// XDG_CONFIG_HOME is set and ~/.terraform.d does not exist, $XDG_CONFIG_HOME/opentofu/…, as for
// OpenTofu. Fails: kInvalid: HOME is not set.
Result<std::filesystem::path> WrittenCredentialsFile(const Variables& variables);

// Stores `token` for `host`, replacing one under any spelling of the host; other hosts and unknown
// members stay unchanged. The file is created with mode 0600, and its folder with 0700; it is
// replaced atomically. Fails: kInvalid: the file is not a JSON object, or cannot be read or
// written; kStorageFull.
Status KeepCredential(const std::filesystem::path& file, std::string_view host,
                      std::string_view token);

// Removes the credential of `host`; false: there was none. Fails: as KeepCredential.
Result<bool> ForgetCredential(const std::filesystem::path& file, std::string_view host);

}  // namespace koya::clients
