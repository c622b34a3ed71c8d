#include "cli/api/connection.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <mutex>
#include <optional>

#include "base/text.h"
#include "cli/text/readable.h"

namespace koya::cli {
namespace {

// Hosts that a login may be kept for, but that are never a Koya server.
constexpr std::array<std::string_view, 3> kPublicHosts{"app.terraform.io", "registry.terraform.io",
                                                       "registry.opentofu.org"};

// The first wins: variables stand before files.
std::optional<clients::StoredCredential> FindCredential(
    const std::vector<clients::StoredCredential>& kept, std::string_view host) {
  auto found = std::ranges::find(kept, host, &clients::StoredCredential::host);
  if (found == kept.end()) return std::nullopt;
  return *found;
}

std::vector<std::string> PrivateHosts(const std::vector<clients::StoredCredential>& kept) {
  std::vector<std::string> hosts;
  for (const clients::StoredCredential& each : kept) {
    bool known = std::ranges::count(hosts, each.host) + std::ranges::count(kPublicHosts, each.host);
    if (!known) hosts.push_back(each.host);
  }
  return hosts;
}

// A guess is made only where it cannot be wrong.
Result<std::string> TheOneHost(const std::vector<clients::StoredCredential>& kept) {
  std::vector<std::string> hosts = PrivateHosts(kept);
  if (hosts.size() == 1) return hosts.front();
  if (hosts.empty()) {
    return FailInvalid(
        "no server configured: use --server https://HOST[:PORT], set KOYA_URL, or run koya login");
  }
  return FailInvalid(
      "no server configured, but credentials are stored for {}: choose one "
      "with --server https://HOST, or set KOYA_URL",
      Listed(hosts, hosts.size()));
}

Failure BadServer(std::string_view place, std::string_view text, std::string_view rule) {
  return FailInvalid("{} \"{}\" is not a server address: {}", place, Printable(text), rule);
}

// Whether a token for `url` would be readable on its way.
bool InTheClear(const http::Url& url) {
  return url.scheme == "http" && !http::IsLoopbackHost(url.host);
}

}  // namespace

Result<http::Url> ParseServer(std::string_view text, std::string_view place) {
  constexpr std::string_view kForm = "write https://HOST[:PORT]";
  std::string full(text);
  if (full.find("://") == full.npos) full = "https://" + full;
  Result<http::Url> url = http::ParseUrl(full);
  if (!url) return BadServer(place, text, kForm);
  if (url->scheme != "https" && url->scheme != "http") return BadServer(place, text, kForm);
  // The text is not repeated: it may hold a password.
  if (url->has_user_info) return BadServer(place, url->Origin(), "pass the token with --token");
  if (url->path != "/" || !url->query.empty() || !url->fragment.empty()) {
    return BadServer(place, url->ToString(), fmt::format("leave the path out: {}", url->Origin()));
  }
  return url;
}

Status CheckToken(std::string_view token) {
  if (std::ranges::all_of(token, [](char c) { return c > ' ' && c < 0x7F; })) return {};
  return FailInvalid(
      "the token contains a space, a line break or another invalid character: copy it "
      "again (it is not shown here)");
}

Result<ServerChoice> ChooseServer(const ServerFlags& flags, const Variables& variables,
                                  const std::vector<clients::StoredCredential>& kept) {
  ServerChoice choice;
  std::string from_environment = Variable(variables, "KOYA_URL");
  if (!flags.server.empty()) {
    ASSIGN_OR_RETURN(choice.url, ParseServer(flags.server, "--server"));
  } else if (!from_environment.empty()) {
    ASSIGN_OR_RETURN(choice.url, ParseServer(from_environment, "KOYA_URL"));
  } else {
    ASSIGN_OR_RETURN(std::string host, TheOneHost(kept));
    ASSIGN_OR_RETURN(choice.url, ParseServer(host, "the stored credential's host"));
    choice.note =
        fmt::format("koya: no server configured; using {}, the only host with stored credentials",
                    choice.url.Origin());
  }
  choice.token = flags.token.empty() ? Variable(variables, "KOYA_TOKEN") : flags.token;
  if (choice.token.empty()) {
    auto found = FindCredential(kept, clients::CredentialHost(choice.url.Authority()));
    if (found) choice.token = found->token;
  }
  RETURN_IF_ERROR(CheckToken(choice.token));
  if (InTheClear(choice.url) && !choice.token.empty()) {
    choice.note = fmt::format(
        "koya: warning: {} is plain HTTP: anyone on the network path can read the token; use "
        "https://",
        choice.url.Origin());
  }
  return choice;
}

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
  command.add_flag("--verbose", flags.verbose, "Print each request and the status of its response");
}

void AddBreakGlassFlag(CLI::App& command, std::string& reason) {
  command
      .add_option("--break-glass", reason,
                  "Publish although the namespace takes versions from CI only; the audit log has "
                  "the reason (administrators)")
      ->type_name("REASON");
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
  RegistryClientOptions options{.server = std::move(choice.url),
                                .token = std::move(choice.token),
                                .http = HttpOptions(variables)};
  if (flags.verbose) {
    options.trace = [&stream = output.shell().err](std::string_view line) {
      static std::mutex mutex;
      const std::lock_guard lock(mutex);
      stream << line << '\n';
    };
  }
  return options;
}

}  // namespace koya::cli
