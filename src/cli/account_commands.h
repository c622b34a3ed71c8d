// The commands that users and service accounts have in common.
#pragma once

#include "cli/text/invocation.h"
#include "domain/account_record.h"

namespace koya::cli {

// create, list, disable, enable and delete, below "user" or "service". Users may be made
// administrators.
void AddAccountCommands(CLI::App& parent, Invocation& invocation, AccountKind kind);

}  // namespace koya::cli
