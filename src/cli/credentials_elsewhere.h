// Finds tokens for a host outside the file that "login" writes: clients would use such a token
// instead of the stored one. Blocks on the disk.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/text/shell.h"

namespace koya::cli {

// Describes the source of the host's token, as "the variable TF_TOKEN_koya_test" or "the
// credentials block at ~/.tofurc:3"; nullopt: none. A credentials helper counts, since clients ask
// it for every host and store tokens with it. Configuration files of clients that are not valid HCL
// are skipped: clients reject them themselves.
std::optional<std::string> CredentialsElsewhere(const Variables& variables, std::string_view host);

}  // namespace koya::cli
