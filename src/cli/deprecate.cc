// koya deprecate NAMESPACE/TYPE VERSION --message TEXT | --undo

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>

#include "base/text.h"
#include "cli/api/connection.h"
#include "cli/api/provider_client.h"
#include "cli/commands.h"
#include "cli/impact.h"
#include "cli/text/address_checks.h"
#include "wire/command_results.h"

namespace koya::cli {
namespace {

constexpr std::string_view kDeprecateFooter =
    R"(A deprecated version can still be installed; "init" shows the message to everybody whose
configuration asks for the provider. For modules the protocol has no such message.

Examples:
  koya deprecate acme/demo 1.2.0 --message "loses tags; use 1.2.1"
  koya deprecate acme/demo 1.2.0 --undo)";

struct DeprecateArguments {
  std::string address;
  std::string version;
  std::string message;
  bool undo = false;
  ServerFlags server;
};

std::string CheckDeprecatable(const std::string& address) {
  if (std::ranges::count(address, '/') != 2) return CheckProvider(address);
  return fmt::format(
      "\"{}\" is a module's address, and clients know no deprecation of modules: publish a higher "
      "version, or use \"koya withdraw\"",
      Printable(address));
}

Result<int> Deprecate(const DeprecateArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(ProviderAddress address, ProviderAddress::Parse(arguments.address));
  ASSIGN_OR_RETURN(Version version, Version::ParseLookup(arguments.version));
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  if (!arguments.undo) TellImpact(connection, address.ToString(), version, output);
  ProviderClient client(std::move(connection));
  ReleaseId release{std::move(address), std::move(version)};
  RETURN_IF_ERROR(client.Deprecate(release, arguments.undo ? "" : arguments.message));
  output.Print(arguments.undo ? fmt::format("{} is no longer deprecated", release.ToString())
                              : fmt::format("Deprecated {}", release.ToString()));
  output.PrintDocument(
      wire::EncodeDeprecated({.address = release.address.ToString(),
                              .version = release.version.ToString(),
                              .message = arguments.undo ? "" : arguments.message}));
  return 0;
}

}  // namespace

void AddDeprecateCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("deprecate", "Warn the users of a provider version");
  auto arguments = std::make_shared<DeprecateArguments>();
  command->add_option("ADDRESS", arguments->address, "NAMESPACE/TYPE, as acme/demo")
      ->required()
      ->check(CheckDeprecatable)
      ->type_name("");
  command->add_option("VERSION", arguments->version, "The version")
      ->required()
      ->check(CheckKnownVersion)
      ->type_name("");
  CLI::Option* message =
      command->add_option("--message", arguments->message, "What users are shown")
          ->check(CheckSentence)
          ->type_name("TEXT");
  CLI::Option* undo = command->add_flag("--undo", arguments->undo, "Take the deprecation back");
  undo->excludes(message);
  AddServerFlags(*command, arguments->server);
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kDeprecateFooter));
  command->callback([arguments, message, &invocation] {
    // CLI11 takes what is wrong with a command line as an exception.
    if (!arguments->undo && message->count() == 0) throw CLI::RequiredError("--message or --undo");
    invocation.action = [arguments](Output& output) { return Deprecate(*arguments, output); };
  });
}

}  // namespace koya::cli
