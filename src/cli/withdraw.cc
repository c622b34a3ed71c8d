// koya withdraw NAMESPACE/NAME/SYSTEM VERSION --reason TEXT

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/connection.h"

namespace koya::cli {
namespace {

constexpr std::string_view kFooter =
    R"(A withdrawn version disappears from version lists and can no longer be downloaded; its number
is not given out again. The reason is kept. This takes a token of scope admin.

Example:
  koya withdraw acme/vpc/aws 1.2.0 --reason "deletes the wrong route table; use 1.2.1")";

struct WithdrawArguments {
  std::string address;
  std::string version;
  std::string reason;
  ServerFlags server;
};

Result<int> Withdraw(const WithdrawArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(ModuleAddress address, ModuleAddress::Parse(arguments.address));
  ASSIGN_OR_RETURN(Version version, Version::ParseLookup(arguments.version));
  if (arguments.reason.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Fail(ErrorKind::kInvalid,
                "--reason is empty: say in a sentence why, for those who will miss the version");
  }
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  RegistryClient client(std::move(connection));
  RETURN_IF_ERROR(client.Withdraw(address, version, arguments.reason));
  output.Print(fmt::format("Withdrew {} {}", address.ToString(), version.ToString()));
  output.PrintDocument(fmt::format("{{\"address\":\"{}\",\"version\":\"{}\",\"withdrawn\":true}}",
                                   address.ToString(), version.ToString()));
  return 0;
}

}  // namespace

void AddWithdrawCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("withdraw", "Take a module version back");
  auto arguments = std::make_shared<WithdrawArguments>();
  command->add_option("ADDRESS", arguments->address, "NAMESPACE/NAME/SYSTEM, as acme/vpc/aws")
      ->required()
      ->type_name("");
  command->add_option("VERSION", arguments->version, "The version")->required()->type_name("");
  command->add_option("--reason", arguments->reason, "Why; kept with the version")
      ->required()
      ->type_name("TEXT");
  AddServerFlags(*command, arguments->server);
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kFooter));
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return Withdraw(*arguments, output); };
  });
}

}  // namespace koya::cli
