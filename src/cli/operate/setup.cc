// koya setup

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/api/api_client.h"
#include "cli/api/connection.h"
#include "cli/password_input.h"
#include "cli/program.h"
#include "cli/text/readable.h"
#include "domain/name_rules.h"
#include "wire/accounts.h"
#include "wire/sign_in.h"

namespace koya::cli {
namespace {

constexpr std::string_view kSetupFooter =
    R"(A server without an administrator creates a set-up token when it starts: it prints the token on a
terminal, else it writes it to DIR/setup.token. The token is valid once, for an hour; when it has
expired, there is a new one. With both --token-stdin and --password-stdin the token is the first
line.

Examples:
  koya setup --server https://koya.example.com --token KOYA_… --user root
  (cat koya-data/setup.token; pass show koya) | koya setup --server http://127.0.0.1:8080 \
      --token-stdin --user root --password-stdin)";

struct SetupArguments {
  std::string server;
  std::string token;
  bool token_stdin = false;
  std::string user;
  bool password_stdin = false;
  std::string visibility;
  std::string site_name;
};

Status RequireSetupInput(const SetupArguments& arguments, const Shell& shell) {
  if (arguments.token.empty() && !arguments.token_stdin) {
    return FailInvalid(
        "no set-up token: use --token KOYA_… or --token-stdin; the server prints on its "
        "standard output where it is");
  }
  return RequirePasswordInput(arguments.password_stdin, shell);
}

Result<wire::SetupRequest> ReadSetup(const SetupArguments& arguments, const Shell& shell) {
  wire::SetupRequest request{.token = arguments.token,
                             .user = arguments.user,
                             .password = {},
                             .visibility = arguments.visibility,
                             .name = arguments.site_name};
  if (arguments.token_stdin) {
    ASSIGN_OR_RETURN(request.token, ReadSecret(shell, "the set-up token"));
  }
  RETURN_IF_ERROR(CheckToken(request.token));
  ASSIGN_OR_RETURN(request.password, ReadNewPassword(shell, arguments.user));
  return request;
}

Result<int> SetUp(const SetupArguments& arguments, Output& output) {
  const Shell& shell = output.shell();
  RETURN_IF_ERROR(RequireSetupInput(arguments, shell));
  ASSIGN_OR_RETURN(RegistryClientOptions options,
                   ChooseConnection({.server = arguments.server, .token = {}}, output));
  const http::Url server = options.server;
  // No user exists yet, so no token can be valid.
  options.token.clear();
  options.takes_no_token = true;
  std::string warning = ClearTextWarning(server.scheme, server.host, server.Origin());
  if (!warning.empty()) output.Note(warning);
  ASSIGN_OR_RETURN(wire::SetupRequest request, ReadSetup(arguments, shell));
  ASSIGN_OR_RETURN(wire::Account account,
                   ApiClient(std::move(options)).Send(At(wire::kSetUp), request));
  output.Print(fmt::format("Created the user \"{}\", an administrator", account.name));
  if (!arguments.visibility.empty()) {
    output.Print(fmt::format("New namespaces are {}, unless access.default_visibility is set",
                             arguments.visibility));
  }
  output.Print(fmt::format("Next: sign in with \"koya login {}\"", server.Origin()));
  output.PrintDocument(wire::Encode(account));
  return 0;
}

}  // namespace

void AddSetupCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("setup", "Create the first administrator of a new server");
  auto arguments = std::make_shared<SetupArguments>();
  AddServerFlag(*command, arguments->server);
  command->add_option("--token", arguments->token, "The set-up token")
      ->type_name("TOKEN")
      ->check(ReadableBy(CheckToken));
  command
      ->add_flag("--token-stdin", arguments->token_stdin,
                 "Read it from standard input, where other users of this machine cannot see it")
      ->excludes("--token");
  command->add_option("--user", arguments->user, "The administrator's name")
      ->required()
      ->type_name("NAME")
      ->check(ReadableBy(
          [](std::string_view name) { return CheckAccountName(AccountKind::kUser, name); }));
  AddPasswordFlag(*command, arguments->password_stdin);
  command
      ->add_option("--visibility", arguments->visibility,
                   "Who can read new namespaces, unless set otherwise: public (everyone), internal "
                   "(users with an account, the default), private (accounts with a role)")
      ->type_name("WHO")
      ->check(CLI::IsMember({"public", "internal", "private"}));
  command
      ->add_option("--name", arguments->site_name,
                   "The name of the registry on its pages, unless web.name is set (default: its "
                   "host)")
      ->type_name("TEXT");
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kSetupFooter));
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return SetUp(*arguments, output); };
  });
}

}  // namespace koya::cli
