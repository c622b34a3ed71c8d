// koya login | logout | whoami

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "cli/api/connection.h"
#include "cli/login_client.h"
#include "cli/password_input.h"
#include "cli/program.h"
#include "cli/text/readable.h"
#include "cli/text/shell.h"
#include "clients/stored_credentials.h"
#include "hcl/config_folder.h"
#include "hcl/hcl.h"
#include "wire/command_results.h"
#include "wire/sign_in.h"

namespace koya::cli {
namespace {

namespace fs = std::filesystem;

// *.tfrc and *.tfrc.json of a folder are read as the main file is; JSON ones are the login's.
void AddConfigurationFolder(const fs::path& folder, std::vector<fs::path>& files) {
  std::error_code ended;
  for (fs::directory_iterator each(folder, ended), end; !ended && each != end;
       each.increment(ended)) {
    if (each->path().extension() == ".tfrc") files.push_back(each->path());
  }
}

// What OpenTofu and Terraform read, as wire facts §1.6 and the clients' cliconfig have it.
std::vector<fs::path> ConfigurationFiles(const Variables& variables) {
  std::vector<fs::path> files;
  for (std::string_view name : {"TF_CLI_CONFIG_FILE", "TERRAFORM_CONFIG"}) {
    std::string named = Variable(variables, name);
    // It stands for all others.
    if (!named.empty()) return {named};
  }
  const fs::path home = Variable(variables, "HOME");
  const fs::path xdg = Variable(variables, "XDG_CONFIG_HOME");
  if (!home.empty()) {
    for (const char* name : {".tofurc", ".terraformrc"}) files.push_back(home / name);
    AddConfigurationFolder(home / ".terraform.d", files);
  }
  if (!xdg.empty()) {
    files.push_back(xdg / "opentofu/tofurc");
    AddConfigurationFolder(xdg / "opentofu", files);
  }
  return files;
}

std::optional<std::string> FindCredentialsBlock(const fs::path& file, std::string_view host) {
  std::error_code unknown;
  if (!fs::is_regular_file(file, unknown)) return std::nullopt;
  Result<std::string> text = hcl::ReadTextFile(file);
  if (!text) return std::nullopt;
  Result<hcl::Body> body = hcl::Parse(*text);
  if (!body) return std::nullopt;
  for (const hcl::Block& block : body->blocks) {
    bool own = block.type == "credentials" && !block.labels.empty() &&
               clients::CredentialHost(block.labels.front()) == host;
    if (own) return fmt::format("the credentials block at {}:{}", file.string(), block.range.line);
    if (block.type == "credentials_helper") {
      return fmt::format("the credentials helper that {}:{} names", file.string(),
                         block.range.line);
    }
  }
  return std::nullopt;
}

// Finds tokens for a host outside the file that "login" writes: clients would use such a token
// instead of the stored one. Blocks on the disk.
//
// Describes the source of the host's token, as "the variable TF_TOKEN_koya_test" or "the
// credentials block at ~/.tofurc:3"; nullopt: none. A credentials helper counts, since clients ask
// it for every host and store tokens with it. Configuration files of clients that are not valid HCL
// are skipped: clients reject them themselves.
std::optional<std::string> CredentialsElsewhere(const Variables& variables, std::string_view host) {
  const std::string wanted = clients::CredentialHost(host);
  const auto kept = clients::CredentialsFromVariables(variables);
  auto found = std::ranges::find(kept, wanted, &clients::StoredCredential::host);
  if (found != kept.end()) return "the variable " + found->place;
  for (const fs::path& file : ConfigurationFiles(variables)) {
    if (auto place = FindCredentialsBlock(file, wanted)) return place;
  }
  return std::nullopt;
}

constexpr std::chrono::minutes kPatience{5};

constexpr std::string_view kLoginFooter =
    R"(Opens the server's sign-in page, and stores the token where "tofu login" and "terraform login" store
theirs, so that they and koya find it. You can use either of them instead; the token of "tofu login"
can only read.

Examples:
  koya login https://koya.example.com
  koya login koya.example.com --scope admin
  koya login koya.example.com --no-browser             prints the page's address
  pass show koya | koya login koya.example.com --token-stdin)";

struct LoginArguments {
  std::string url;
  std::string scope = "publish";
  bool no_browser = false;
  bool token_stdin = false;
};

// A server that was named, and how it is asked.
RegistryClientOptions OptionsFor(http::Url server, const Shell& shell) {
  return {.server = std::move(server), .token = {}, .http = HttpOptions(shell.variables)};
}

Status RefuseOtherPlaces(const http::Url& server, const Shell& shell) {
  auto place = CredentialsElsewhere(shell.variables, server.Authority());
  if (!place) return {};
  return FailConflict(
      "the token for {} comes from {}, which overrides the one that \"login\" "
      "stores: remove it first, or change it there",
      server.Authority(), *place);
}

void ShowPage(const LoginArguments& arguments, const std::string& page, Output& output) {
  const Shell& shell = output.shell();
  bool shown = !arguments.no_browser && shell.open_browser && shell.open_browser(page);
  output.Note(shown ? "koya: the sign-in page is open in your browser; if not, open"
                    : "koya: open this page in a browser on this machine, and sign in:");
  output.Note("  " + page);
  output.Note(fmt::format("koya: waiting up to {} minutes …", kPatience.count()));
}

Result<wire::AccessToken> SignInWithBrowser(const LoginArguments& arguments,
                                            const RegistryClientOptions& options, Output& output) {
  LoginClient client(options);
  RETURN_IF_ERROR(client.Discover());
  ASSIGN_OR_RETURN(LoginListener listener,
                   LoginListener::Open(client.service().first_port, client.service().last_port));
  LoginSecrets secrets = MakeLoginSecrets();
  Scope scope = ParseScope(arguments.scope).value_or(Scope::kRead);
  ShowPage(arguments, client.PageUrl(secrets, listener.port(), scope), output);
  ASSIGN_OR_RETURN(std::string code, listener.WaitForCode(secrets.state, kPatience));
  return client.Exchange(secrets, listener.port(), code);
}

Result<wire::AccessToken> TakeToken(RegistryClientOptions options, Output& output) {
  ASSIGN_OR_RETURN(options.token, ReadSecret(output.shell(), "the token"));
  RETURN_IF_ERROR(CheckToken(options.token));
  RETURN_IF_ERROR(CheckTokenWithServer(options));
  return wire::AccessToken{.access_token = options.token, .token_type = "bearer", .scope = {}};
}

// "its scope is publish and it ends in 90 days", as far as the server said.
std::string Describe(const wire::AccessToken& token) {
  std::string text;
  if (!token.scope.empty()) text += fmt::format("; its scope is {}", token.scope);
  if (token.expires_in >= 2 * 86'400) {
    text += fmt::format("; it expires in {} days", token.expires_in / 86'400);
  } else if (token.expires_in > 0) {
    text += fmt::format("; it expires in {} minutes", token.expires_in / 60);
  }
  return text;
}

Result<int> Login(const LoginArguments& arguments, Output& output) {
  const Shell& shell = output.shell();
  ASSIGN_OR_RETURN(http::Url server, ParseServer(arguments.url, "URL"));
  // Checked first: a token that cannot be stored is not worth a sign-in.
  ASSIGN_OR_RETURN(std::filesystem::path file, clients::WrittenCredentialsFile(shell.variables));
  RETURN_IF_ERROR(RefuseOtherPlaces(server, shell));
  std::string warning = ClearTextWarning(server.scheme, server.host, server.Origin());
  if (!warning.empty()) output.Note(warning);
  const RegistryClientOptions options = OptionsFor(server, shell);
  Result<wire::AccessToken> token = arguments.token_stdin
                                        ? TakeToken(options, output)
                                        : SignInWithBrowser(arguments, options, output);
  if (!token) return std::unexpected(std::move(token).error());
  RETURN_IF_ERROR(CheckToken(token->access_token));
  RETURN_IF_ERROR(clients::KeepCredential(file, server.Authority(), token->access_token));
  output.Print(fmt::format("Signed in to {}: the token is stored in {}{}", server.Origin(),
                           file.string(), Describe(*token)));
  output.PrintDocument(
      wire::Encode<wire::Login>({server.Origin(), file.string(), token->scope, token->expires_in}));
  return 0;
}

// The token stored for `host` in `file`; "": none.
Result<std::string> KeptIn(const std::filesystem::path& file, std::string_view host,
                           const Variables& variables) {
  ASSIGN_OR_RETURN(auto kept, clients::ReadKeptCredentials(variables));
  for (const clients::StoredCredential& each : kept) {
    if (each.place == file.string() && each.host == clients::CredentialHost(host)) {
      return each.token;
    }
  }
  return std::string();
}

// Of a server that is gone the token is forgotten all the same.
bool Revoke(const http::Url& server, const std::string& token, Output& output) {
  RegistryClientOptions options = OptionsFor(server, output.shell());
  options.token = token;
  Status revoked = RevokeWithServer(options);
  if (revoked) return true;
  output.Note(fmt::format(
      "koya: the server could not revoke the token, which may stay valid until it expires: {}",
      revoked.error().message));
  return false;
}

Result<int> Logout(const LoginArguments& arguments, Output& output) {
  const Variables& variables = output.shell().variables;
  ASSIGN_OR_RETURN(http::Url server, ParseServer(arguments.url, "URL"));
  bool found = false;
  bool revoked = false;
  for (const std::filesystem::path& file : clients::CredentialFiles(variables)) {
    ASSIGN_OR_RETURN(std::string token, KeptIn(file, server.Authority(), variables));
    if (token.empty()) continue;
    revoked = Revoke(server, token, output);
    ASSIGN_OR_RETURN(bool forgotten, clients::ForgetCredential(file, server.Authority()));
    found = found || forgotten;
    output.Print(fmt::format("Signed out of {}: the token was {}removed from {}", server.Origin(),
                             revoked ? "revoked and " : "", file.string()));
  }
  if (auto place = CredentialsElsewhere(variables, server.Authority())) {
    output.Note(
        fmt::format("koya: clients still use a token for {} from {}", server.Authority(), *place));
  }
  if (!found) {
    return FailNotFound("no token is stored for {}: nothing was done", server.Authority());
  }
  output.PrintDocument(wire::EncodeLogout(server.Origin(), revoked));
  return 0;
}

Result<int> ShowCaller(const ServerFlags& flags, Output& output) {
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(flags, output));
  if (connection.token.empty()) {
    return Fail(
        ErrorKind::kUnauthenticated,
        fmt::format("not signed in to {0}: run \"koya login {0}\"", connection.server.Origin()));
  }
  ASSIGN_OR_RETURN(wire::Caller caller, ApiClient(std::move(connection)).Send(At(wire::kWhoAmI)));
  auto print = [&output](std::string_view name, const std::string& value) {
    output.Print(fmt::format("{:<12}{}", name, value));
  };
  print("server", caller.server);
  if (!caller.account.empty()) print(caller.kind, caller.account);
  print("token", caller.token);
  print("scope", caller.scope);
  const std::string all = caller.account.empty() ? "all" : "all that the account may use";
  print("namespaces", caller.namespaces.empty() ? all : Listed(caller.namespaces, 20));
  print("expires", caller.expires.empty() ? "never" : caller.expires);
  output.PrintDocument(wire::Encode(caller));
  return 0;
}

CLI::App* AddServerCommand(CLI::App& program, Invocation& invocation,
                           const std::shared_ptr<LoginArguments>& arguments, const char* name,
                           const char* about) {
  CLI::App* command = program.add_subcommand(name, about);
  command->add_option("URL", arguments->url, "The server, for example https://koya.example.com")
      ->required()
      ->check(ReadableBy([](std::string_view text) { return ParseServer(text, "URL"); }))
      ->type_name("");
  AddJsonFlag(*command, invocation);
  return command;
}

}  // namespace

void AddLoginCommand(CLI::App& program, Invocation& invocation) {
  auto arguments = std::make_shared<LoginArguments>();
  CLI::App* command = AddServerCommand(program, invocation, arguments, "login",
                                       "Sign in to a server, and store a token for it");
  command
      ->add_option(
          "--scope", arguments->scope,
          "The scope: read, publish (the default) or admin; never more than your own access")
      ->type_name("SCOPE")
      ->check(CLI::IsMember({"read", "publish", "admin"}), "scope");
  command->add_flag("--no-browser", arguments->no_browser,
                    "Print the page's address instead of opening it");
  command
      ->add_flag("--token-stdin", arguments->token_stdin,
                 "Store a token from standard input instead, once the server accepts it")
      ->excludes("--scope")
      ->excludes("--no-browser");
  command->footer(std::string(kLoginFooter));
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return Login(*arguments, output); };
  });
}

void AddLogoutCommand(CLI::App& program, Invocation& invocation) {
  auto arguments = std::make_shared<LoginArguments>();
  CLI::App* command = AddServerCommand(program, invocation, arguments, "logout",
                                       "Revoke and remove the token stored for a server");
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return Logout(*arguments, output); };
  });
}

void AddWhoAmICommand(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "whoami", "Show the server and account that commands use, and what the token permits");
  auto flags = std::make_shared<ServerFlags>();
  AddServerFlags(*command, *flags);
  AddJsonFlag(*command, invocation);
  command->callback([flags, &invocation] {
    invocation.action = [flags](Output& output) { return ShowCaller(*flags, output); };
  });
}

}  // namespace koya::cli
