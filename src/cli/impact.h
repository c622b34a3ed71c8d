// What a change to a version would do to those who use it, told before it is made.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "cli/text/output.h"
#include "domain/version.h"

namespace koya::cli {

// Tells on stderr who fetched the version, and which modules take it. A server that cannot say, as
// an older one, stops nobody: that too is told.
void TellImpact(const RegistryClientOptions& connection, const std::string& address,
                const Version& version, Output& output);

// Whether there is a terminal to ask on.
bool CanAsk(const Shell& shell);
// Asks "`question` [y/N]". REQUIRES: CanAsk. Fails: kRefused: the answer was no.
Status Confirm(const std::string& question, Output& output);

// Before something is published, where there is a terminal to ask on: if the namespace is not there
// yet, says so, and asks whether to go on. A server that does not say whether it is, as an older
// one to a token that may only publish, stops nothing. Fails: as Confirm.
Status ConfirmNewNamespace(const RegistryClientOptions& connection, std::string_view ns,
                           Output& output);
// Says that publishing made it; `made` is what it is: "internal". "": nothing was made.
void NoteNewNamespace(std::string_view ns, std::string_view made, Output& output);

}  // namespace koya::cli
