// Reads and writes the file in which "tofu login", "terraform login" and "koya login" store tokens:
// the same place, the same format, written under the same rules. Blocks on the disk; any thread.
// Tokens never appear in an error.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "clients/stored_credentials.h"

namespace koya::clients {

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
