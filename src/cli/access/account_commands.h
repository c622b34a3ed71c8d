// Declares the commands that users and service accounts share.
#pragma once

#include "cli/text/invocation.h"
#include "domain/account_record.h"

namespace koya::cli {

// Declares create, list, disable, enable and delete, below "user" or "service". Users may be
// created as administrators.
void AddAccountCommands(CLI::App& parent, Invocation& invocation, AccountKind kind);

}  // namespace koya::cli
