#include "cli/api/connection.h"

#include <CLI/CLI.hpp>

#include "cli/text/readable.h"

namespace koya::cli {

void AddServerFlag(CLI::App& command, std::string& server) {
  command
      .add_option(
          "--server", server,
          "The server; default: KOYA_URL, else the only host with credentials from \"tofu login\"")
      ->type_name("URL")
      ->check(ReadableBy([](std::string_view text) { return ParseServer(text, "the value"); }));
}

void AddServerFlags(CLI::App& command, ServerFlags& flags) {
  AddServerFlag(command, flags.server);
  command
      .add_option("--token", flags.token,
                  "The token to send; default: KOYA_TOKEN (which other users of this machine "
                  "cannot see), else TF_TOKEN_… or credentials.tfrc.json")
      ->type_name("TOKEN")
      ->check(ReadableBy(CheckToken));
}

http::ClientOptions HttpOptions(const Variables& variables) {
  http::ClientOptions options;
  options.user_agent = "koya/" KOYA_VERSION;
  options.ca_file = Variable(variables, "SSL_CERT_FILE");
  options.ca_directory = Variable(variables, "SSL_CERT_DIR");
  options.trust_hint =
      "set SSL_CERT_FILE to the PEM file of the authority that signed it; \"koya serve --dev\" "
      "stores its own in DIR/dev/ca.pem, and \". DIR/dev/env\" sets it";
  return options;
}

Result<RegistryClientOptions> ChooseConnection(const ServerFlags& flags, Output& output) {
  const Variables& variables = output.shell().variables;
  std::vector<clients::StoredCredential> kept;
  // The files are not touched when nothing of them is needed, so that a damaged one is no obstacle.
  bool complete = (!flags.server.empty() || !Variable(variables, "KOYA_URL").empty()) &&
                  (!flags.token.empty() || !Variable(variables, "KOYA_TOKEN").empty());
  if (!complete) {
    ASSIGN_OR_RETURN(kept, clients::ReadKeptCredentials(variables));
  }
  ASSIGN_OR_RETURN(ServerChoice choice, ChooseServer(flags, variables, kept));
  if (!choice.note.empty()) output.Note(choice.note);
  return RegistryClientOptions{.server = std::move(choice.url),
                               .token = std::move(choice.token),
                               .http = HttpOptions(variables)};
}

}  // namespace koya::cli
