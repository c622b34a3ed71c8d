// koya withdraw NAMESPACE/NAME/SYSTEM | NAMESPACE/TYPE VERSION --reason TEXT

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>

#include "base/text.h"
#include "cli/api/connection.h"
#include "cli/api/provider_client.h"
#include "cli/api/registry_client.h"
#include "cli/commands.h"
#include "cli/impact.h"
#include "cli/text/address_checks.h"
#include "wire/command_results.h"

namespace koya::cli {
namespace {

constexpr std::string_view kWithdrawFooter =
    R"(A withdrawn version disappears from version lists and can no longer be downloaded; its number
is not given out again. The reason is kept. This takes a token of scope admin.
First it is told who fetched the version, and on a terminal you are asked whether you mean it.
An address of three parts is a module's, one of two parts a provider's.

Examples:
  koya withdraw acme/vpc/aws 1.2.0 --reason "deletes the wrong route table; use 1.2.1"
  koya withdraw acme/demo 1.2.0 --reason "was built with a leaked token")";

struct WithdrawArguments {
  std::string address;
  std::string version;
  std::string reason;
  bool yes = false;
  ServerFlags server;
};

// As it is kept.
Result<std::string> ReadAddress(const std::string& text) {
  if (std::ranges::count(text, '/') == 2) {
    ASSIGN_OR_RETURN(ModuleAddress module, ModuleAddress::Parse(text));
    return module.ToString();
  }
  ASSIGN_OR_RETURN(ProviderAddress provider, ProviderAddress::Parse(text));
  return provider.ToString();
}

Status WithdrawModule(const RegistryClientOptions& connection, const WithdrawArguments& arguments,
                      const Version& version) {
  ASSIGN_OR_RETURN(ModuleAddress address, ModuleAddress::Parse(arguments.address));
  return RegistryClient(connection).Withdraw(address, version, arguments.reason);
}

Status WithdrawProvider(const RegistryClientOptions& connection, const WithdrawArguments& arguments,
                        const Version& version) {
  ASSIGN_OR_RETURN(ProviderAddress address, ProviderAddress::Parse(arguments.address));
  return ProviderClient(connection).Withdraw({address, version}, arguments.reason);
}

Result<int> Withdraw(const WithdrawArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Version version, Version::ParseLookup(arguments.version));
  ASSIGN_OR_RETURN(std::string address, ReadAddress(arguments.address));
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  TellImpact(connection, address, version, output);
  if (!arguments.yes) {
    RETURN_IF_ERROR(
        Confirm(fmt::format("Withdraw {} {} for ever?", address, version.ToString()), output));
  }
  RETURN_IF_ERROR(std::ranges::count(address, '/') == 2
                      ? WithdrawModule(connection, arguments, version)
                      : WithdrawProvider(connection, arguments, version));
  output.Print(fmt::format("Withdrew {} {}", address, version.ToString()));
  output.PrintDocument(wire::EncodeWithdrawn(address, version.ToString()));
  return 0;
}

}  // namespace

void AddWithdrawCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("withdraw", "Take a version of a module or provider back");
  auto arguments = std::make_shared<WithdrawArguments>();
  command
      ->add_option("ADDRESS", arguments->address,
                   "A module, as acme/vpc/aws, or a provider, as acme/demo")
      ->required()
      ->check(CheckModuleOrProvider)
      ->type_name("");
  command->add_option("VERSION", arguments->version, "The version")
      ->required()
      ->check(CheckKnownVersion)
      ->type_name("");
  command->add_option("--reason", arguments->reason, "Why; kept with the version")
      ->required()
      ->check(CheckSentence)
      ->type_name("TEXT");
  command->add_flag("--yes", arguments->yes, "Do not ask whether it is meant, on a terminal");
  AddServerFlags(*command, arguments->server);
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kWithdrawFooter));
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return Withdraw(*arguments, output); };
  });
}

}  // namespace koya::cli
