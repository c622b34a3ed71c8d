// What the commands that call a server have in common: --server and --token, and the client made
// from them.
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

// Declares --server alone. What is given must outlive the parse; commands keep it in their shared
// options.
void AddServerFlag(CLI::App& command, std::string& server);
// --server and --token.
void AddServerFlags(CLI::App& command, ServerFlags& flags);

// Settings of the HTTP client that follow the environment: SSL_CERT_FILE, SSL_CERT_DIR.
http::ClientOptions HttpOptions(const Variables& variables);

// Decides for a server and a token, and says on stderr what the user should know about the choice.
Result<RegistryClientOptions> ChooseConnection(const ServerFlags& flags, Output& output);

}  // namespace koya::cli
