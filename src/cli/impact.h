// What a change to a version would do to those who use it, told before it is made.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "cli/text/output.h"
#include "domain/version.h"

namespace koya::cli {

// Tells on stderr who fetched the version, and which modules take it. A server that cannot say, as
// an older one, stops nobody: that too is told.
void TellImpact(const RegistryClientOptions& connection, const std::string& address,
                const Version& version, Output& output);

// Asks "`question` [y/N]" when there is a terminal to ask on; else the answer is yes. Fails:
// kRefused: it was no.
Status Confirm(const std::string& question, Output& output);

}  // namespace koya::cli
