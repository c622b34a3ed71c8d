// Declares --server and --token, the flags of all commands that call a server, and makes a client's
// options from them.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "cli/api/credentials.h"
#include "cli/text/output.h"

namespace CLI {
class App;
}

namespace koya::cli {

// Declares --server alone. `server` must outlive the parse; commands keep it in their shared
// options.
void AddServerFlag(CLI::App& command, std::string& server);
// --server and --token.
void AddServerFlags(CLI::App& command, ServerFlags& flags);

// HTTP client settings from the environment: SSL_CERT_FILE, SSL_CERT_DIR.
http::ClientOptions HttpOptions(const Variables& variables);

// Chooses a server and a token, and notes on stderr what the user should know about the choice.
Result<RegistryClientOptions> ChooseConnection(const ServerFlags& flags, Output& output);

}  // namespace koya::cli
