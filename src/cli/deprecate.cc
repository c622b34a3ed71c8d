// koya deprecate ADDRESS VERSION --message TEXT | --undo

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>

#include "cli/api/connection.h"
#include "cli/api/provider_client.h"
#include "cli/api/registry_client.h"
#include "cli/commands.h"
#include "cli/impact.h"
#include "cli/text/address_checks.h"
#include "wire/command_results.h"

namespace koya::cli {
namespace {

constexpr std::string_view kDeprecateFooter =
    R"(A deprecated version can still be installed. Its pages, searches and "koya show" show the message.
For a provider, every "init" shows it to all users of the provider, whatever their version: the
clients' protocol has no warning about one version. For a module, clients show nothing.

Examples:
  koya deprecate acme/demo 1.2.0 --message "loses tags; use 1.2.1"
  koya deprecate acme/vpc/aws 3.9.2 --message "3.x gets no fixes any more; move to 4.x"
  koya deprecate acme/demo 1.2.0 --undo)";

struct DeprecateArguments {
  std::string address;
  std::string version;
  std::string message;
  bool undo = false;
  ServerFlags server;
};

bool IsModule(const std::string& address) { return std::ranges::count(address, '/') == 2; }

std::string CheckDeprecatable(const std::string& address) {
  return IsModule(address) ? CheckModule(address) : CheckProvider(address);
}

// Sends the deprecation to the server. Returns the normalized address.
Result<std::string> SendDeprecation(const DeprecateArguments& arguments, const Version& version,
                                    RegistryClientOptions connection) {
  const std::string message = arguments.undo ? "" : arguments.message;
  if (IsModule(arguments.address)) {
    ASSIGN_OR_RETURN(ModuleAddress address, ModuleAddress::Parse(arguments.address));
    RegistryClient client(std::move(connection));
    RETURN_IF_ERROR(client.Deprecate(address, version, message));
    return address.ToString();
  }
  ASSIGN_OR_RETURN(ProviderAddress address, ProviderAddress::Parse(arguments.address));
  ProviderClient client(std::move(connection));
  RETURN_IF_ERROR(client.Deprecate(ReleaseId{address, version}, message));
  return address.ToString();
}

Result<int> Deprecate(const DeprecateArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Version version, Version::ParseLookup(arguments.version));
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  if (!arguments.undo) TellImpact(connection, arguments.address, version, output);
  ASSIGN_OR_RETURN(std::string address, SendDeprecation(arguments, version, std::move(connection)));
  const std::string name = fmt::format("{} {}", address, version.ToString());
  output.Print(arguments.undo ? name + " is no longer deprecated" : "Deprecated " + name);
  output.PrintDocument(
      wire::EncodeDeprecated({.address = address,
                              .version = version.ToString(),
                              .message = arguments.undo ? "" : arguments.message}));
  return 0;
}

}  // namespace

void AddDeprecateCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("deprecate", "Warn the users of a version");
  auto arguments = std::make_shared<DeprecateArguments>();
  command
      ->add_option("ADDRESS", arguments->address, "acme/demo, a provider; acme/vpc/aws, a module")
      ->required()
      ->check(CheckDeprecatable)
      ->type_name("");
  command->add_option("VERSION", arguments->version, "The version")
      ->required()
      ->check(CheckKnownVersion)
      ->type_name("");
  CLI::Option* message =
      command->add_option("--message", arguments->message, "The message that users see")
          ->check(CheckSentence)
          ->type_name("TEXT");
  CLI::Option* undo = command->add_flag("--undo", arguments->undo, "Undo the deprecation");
  undo->excludes(message);
  AddServerFlags(*command, arguments->server);
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kDeprecateFooter));
  command->callback([arguments, message, &invocation] {
    // CLI11 takes usage errors as exceptions.
    if (!arguments->undo && message->count() == 0) throw CLI::RequiredError("--message or --undo");
    invocation.action = [arguments](Output& output) { return Deprecate(*arguments, output); };
  });
}

}  // namespace koya::cli
