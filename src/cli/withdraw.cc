// koya deprecate ADDRESS VERSION --message TEXT | --undo
// koya withdraw NAMESPACE/NAME/SYSTEM | NAMESPACE/TYPE VERSION --reason TEXT
// koya restore NAMESPACE/NAME/SYSTEM | NAMESPACE/TYPE VERSION --reason TEXT

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <variant>

#include "base/text.h"
#include "cli/api/connection.h"
#include "cli/impact.h"
#include "cli/program.h"
#include "cli/text/named_arguments.h"
#include "domain/module_address.h"
#include "domain/provider_address.h"
#include "wire/command_results.h"
#include "wire/modules.h"
#include "wire/provider_publishing.h"

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

// As it is stored. The parse of the command line has checked it.
using AnyAddress = std::variant<ModuleAddress, ProviderAddress>;

Result<AnyAddress> ReadAddress(const std::string& text) {
  if (IsModule(text)) {
    ASSIGN_OR_RETURN(ModuleAddress module, ModuleAddress::Parse(text));
    return module;
  }
  ASSIGN_OR_RETURN(ProviderAddress provider, ProviderAddress::Parse(text));
  return provider;
}

std::string Text(const AnyAddress& address) {
  return std::visit([](const auto& each) { return each.ToString(); }, address);
}

// Sends a change of a version to the endpoint for modules or to that for providers.
template <class Request>
Status SendChange(const RegistryClientOptions& connection, const AnyAddress& address,
                  const Version& version, const Request& request,
                  const wire::Endpoint<Request, void, 4>& for_modules,
                  const wire::Endpoint<Request, void, 3>& for_providers) {
  ApiClient api(connection);
  if (const auto* module = std::get_if<ModuleAddress>(&address)) {
    return api.Send(At(for_modules, *module, version), request);
  }
  return api.Send(At(for_providers, std::get<ProviderAddress>(address), version), request);
}

std::string CheckDeprecatable(const std::string& address) {
  return IsModule(address) ? CheckModule(address) : CheckProvider(address);
}

Result<int> Deprecate(const DeprecateArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Version version, Version::ParseLookup(arguments.version));
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  if (!arguments.undo) TellImpact(connection, arguments.address, version, output);
  const std::string message = arguments.undo ? "" : arguments.message;
  ASSIGN_OR_RETURN(AnyAddress address, ReadAddress(arguments.address));
  RETURN_IF_ERROR(SendChange<wire::Deprecation>(connection, address, version, {message},
                                                wire::kDeprecateModule, wire::kDeprecateProvider));
  const std::string name = fmt::format("{} {}", Text(address), version.ToString());
  output.Print(arguments.undo ? name + " is no longer deprecated" : "Deprecated " + name);
  output.PrintDocument(wire::Encode<wire::Deprecated>(
      {.address = Text(address), .version = version.ToString(), .message = message}));
  return 0;
}

constexpr std::string_view kWithdrawFooter =
    R"(A withdrawn version disappears from version lists and can no longer be downloaded; its number is
never reused. Its page, the API and "koya show" say when it was withdrawn, why, and what to use
instead; OpenTofu and Terraform report only that no version matches.
"koya restore" restores it while its files are stored (blobs.gc_grace, 24 hours unless set).
Only owners of the namespace can withdraw. The command first lists who fetched the version, and asks
for confirmation; without a terminal it needs --yes.
An address of three parts is a module's, one of two parts a provider's.

Examples:
  koya withdraw acme/vpc/aws 1.2.0 --reason "deletes the wrong route table" --successor 1.2.1
  koya withdraw acme/demo 1.2.0 --reason "was built with a leaked token" --yes)";

constexpr std::string_view kRestoreFooter =
    R"(Restores the version as it was. Its files are kept for blobs.gc_grace after that (24 hours
unless set); later, publish a higher version instead. The audit log records both.
Only owners of the namespace can restore.
An address of three parts is a module's, one of two parts a provider's.

Examples:
  koya restore acme/vpc/aws 1.2.0 --reason "the wrong version was withdrawn"
  koya restore acme/demo 1.2.0 --reason "the token had not leaked")";

struct WithdrawArguments {
  std::string address;
  std::string version;
  std::string reason;
  std::string successor;
  bool yes = false;
  ServerFlags server;
};

// A script that withdraws says that it means it.
int RefuseUnasked(Output& output) {
  const std::string message =
      "no terminal to ask for confirmation: use --yes to withdraw without it";
  output.Note("koya withdraw: " + message);
  output.PrintErrors(std::span(&message, 1), ErrorKind::kInvalid, 0);
  return kUsage;
}

Result<int> Withdraw(const WithdrawArguments& arguments, Output& output) {
  if (!arguments.yes && !CanAsk(output.shell())) return RefuseUnasked(output);
  ASSIGN_OR_RETURN(Version version, Version::ParseLookup(arguments.version));
  ASSIGN_OR_RETURN(AnyAddress address, ReadAddress(arguments.address));
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  TellImpact(connection, Text(address), version, output);
  const std::string name = fmt::format("{} {}", Text(address), version.ToString());
  if (!arguments.yes) RETURN_IF_ERROR(Confirm(fmt::format("Withdraw {}?", name), output));
  RETURN_IF_ERROR(SendChange<wire::Withdrawal>(connection, address, version,
                                               {arguments.reason, arguments.successor},
                                               wire::kWithdrawModule, wire::kWithdrawProvider));
  output.Print("Withdrew " + name);
  output.PrintDocument(
      wire::EncodeDone("withdrawn", {{"address", Text(address)}, {"version", version.ToString()}}));
  return 0;
}

Result<int> Restore(const WithdrawArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Version version, Version::ParseLookup(arguments.version));
  ASSIGN_OR_RETURN(AnyAddress address, ReadAddress(arguments.address));
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  RETURN_IF_ERROR(SendChange<wire::Restore>(connection, address, version, {arguments.reason},
                                            wire::kRestoreModule, wire::kRestoreProvider));
  output.Print(fmt::format("Restored {} {}", Text(address), version.ToString()));
  output.PrintDocument(
      wire::EncodeDone("restored", {{"address", Text(address)}, {"version", version.ToString()}}));
  return 0;
}

// What both have: which version, why, and where.
void AddVersionArguments(CLI::App& command, WithdrawArguments& arguments, Invocation& invocation) {
  command
      .add_option("ADDRESS", arguments.address,
                  "A module, for example acme/vpc/aws, or a provider, for example acme/demo")
      ->required()
      ->check(CheckModuleOrProvider)
      ->type_name("");
  command.add_option("VERSION", arguments.version, "The version")
      ->required()
      ->check(CheckKnownVersion)
      ->type_name("");
  command.add_option("--reason", arguments.reason, "The reason; stored with the version")
      ->required()
      ->check(CheckSentence)
      ->type_name("TEXT");
  AddServerFlags(command, arguments.server);
  AddJsonFlag(command, invocation);
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

void AddWithdrawCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("withdraw", "Withdraw a version of a module or provider");
  auto arguments = std::make_shared<WithdrawArguments>();
  AddVersionArguments(*command, *arguments, invocation);
  command->add_option("--successor", arguments->successor, "The version to use instead")
      ->check(CheckKnownVersion)
      ->type_name("VERSION");
  command->add_flag("--yes", arguments->yes,
                    "Do not ask for confirmation; required without a terminal");
  command->footer(std::string(kWithdrawFooter));
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return Withdraw(*arguments, output); };
  });
}

void AddRestoreCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("restore", "Undo the withdrawal of a version");
  auto arguments = std::make_shared<WithdrawArguments>();
  AddVersionArguments(*command, *arguments, invocation);
  command->footer(std::string(kRestoreFooter));
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return Restore(*arguments, output); };
  });
}

}  // namespace koya::cli
