// The file in which "tofu login" and "terraform login" keep tokens, and "koya login" too: the same
// place, the same form, written under the same rules. Blocks on the disk; any thread. Tokens never
// stand in an error.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "clients/kept_credentials.h"

namespace koya::clients {

// The one that clients write, there or not: ~/.terraform.d/credentials.tfrc.json; where
// XDG_CONFIG_HOME is set and ~/.terraform.d is not there, $XDG_CONFIG_HOME/opentofu/…, as OpenTofu
// has it. Fails: kInvalid: HOME is not set.
Result<std::filesystem::path> WrittenCredentialsFile(const Variables& variables);

// Keeps `token` for `host`, in place of one that is there under any spelling of the host; other
// hosts and unknown members stay as they are. The file is made with mode 0600, and its folder with
// 0700; it is replaced at once or not at all. Fails: kInvalid: the file is no JSON object, or
// cannot be read or written; kStorageFull.
Status KeepCredential(const std::filesystem::path& file, std::string_view host,
                      std::string_view token);

// Removes what is kept for `host`; false: nothing was. Fails: as KeepCredential.
Result<bool> ForgetCredential(const std::filesystem::path& file, std::string_view host);

}  // namespace koya::clients
