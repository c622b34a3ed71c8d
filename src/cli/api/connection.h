// Chooses the server to call and the token to send: declares --server and --token, the flags of all
// commands that call a server, and makes a client's options from them.
//
// Flags take precedence, then KOYA_URL and KOYA_TOKEN, then the credentials that "tofu login" and
// "terraform login" store (clients/stored_credentials.h). Errors never contain tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "cli/text/output.h"
#include "cli/text/shell.h"
#include "clients/stored_credentials.h"
#include "http/url.h"

namespace CLI {
class App;
}

namespace koya::cli {

struct ServerFlags {
  std::string server;  // --server, or ""
  std::string token;   // --token, or ""
  bool verbose = false;
};

struct ServerChoice {
  http::Url url;      // origin only
  std::string token;  // "" when there is none: reads may need none
  std::string note;   // notice for the user about the choice, or ""
};

// Chooses a server. When neither flag nor KOYA_URL names one, uses the stored credentials, if they
// are for exactly one host besides the public registries. Pure. Fails: kInvalid.
Result<ServerChoice> ChooseServer(const ServerFlags& flags, const Variables& variables,
                                  const std::vector<clients::StoredCredential>& kept);

// Fails: kInvalid for a token that no header field can hold; the error does not repeat it.
Status CheckToken(std::string_view token);

// Parses "https://HOST[:PORT]", or "HOST[:PORT]" for short. Fails: kInvalid: other schemes, a path,
// user information.
Result<http::Url> ParseServer(std::string_view text, std::string_view place);

// Declares --server alone. `server` must outlive the parse; commands keep it in their shared
// options.
void AddServerFlag(CLI::App& command, std::string& server);
// --server, --token and --verbose.
void AddServerFlags(CLI::App& command, ServerFlags& flags);

// --break-glass, of commands that publish.
void AddBreakGlassFlag(CLI::App& command, std::string& reason);

// HTTP client settings from the environment: SSL_CERT_FILE, SSL_CERT_DIR.
http::ClientOptions HttpOptions(const Variables& variables);

// Chooses a server and a token, and notes on stderr what the user should know about the choice.
Result<RegistryClientOptions> ChooseConnection(const ServerFlags& flags, Output& output);

}  // namespace koya::cli
