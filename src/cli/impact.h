// Shows the impact of a change to a version on its users, before the change is made.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "cli/text/output.h"
#include "domain/version.h"

namespace koya::cli {

// Prints on stderr who fetched the version, and which modules call it. A server that cannot say,
// such as an older one, does not block the change; a note says so.
void TellImpact(const RegistryClientOptions& connection, const std::string& address,
                const Version& version, Output& output);

// True if there is a terminal to prompt on.
bool CanAsk(const Shell& shell);
// Asks "`question` [y/N]". REQUIRES: CanAsk. Fails: kRefused: the answer was no.
Status Confirm(const std::string& question, Output& output);

// Call before publishing. If there is a terminal to prompt on and the namespace does not exist yet,
// says so, and asks whether to continue. A server that does not say whether it exists, such as an
// older one to a token that may only publish, does not block publishing. Fails: as Confirm.
Status ConfirmNewNamespace(const RegistryClientOptions& connection, std::string_view ns,
                           Output& output);
// Prints "  LABELinternal: users who are signed in …". Prints nothing for text that is no
// visibility: earlier servers send none.
void PrintVisibility(std::string_view label, std::string_view visibility, Output& output);
// Says that publishing created the namespace; `made` is its visibility: "internal". "": nothing was
// created.
void NoteNewNamespace(std::string_view ns, std::string_view made, Output& output);

}  // namespace koya::cli
