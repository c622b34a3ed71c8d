// Where the clients take a host's token from, besides the file that "login" writes: such a token
// would stand in the way of one that is kept there. Blocks on the disk.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/text/shell.h"

namespace koya::cli {

// In words, as "the variable TF_TOKEN_koya_test" or "the credentials block at ~/.tofurc:3";
// nullopt: nowhere. A credentials helper counts, since clients ask it for every host and store with
// it. Files that clients read and that are no HCL are passed over: clients refuse them by
// themselves.
std::optional<std::string> CredentialsElsewhere(const Variables& variables, std::string_view host);

}  // namespace koya::cli
