// koya watch ADDRESS | --list

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "cli/noun.h"
#include "cli/program.h"
#include "cli/text/readable.h"
#include "domain/module_address.h"
#include "domain/name_rules.h"
#include "domain/provider_address.h"
#include "wire/command_results.h"
#include "wire/notifications.h"

namespace koya::cli {
namespace {

constexpr std::string_view kWatchFooter =
    R"(What happens to it is on the page /-/notifications, and in mail if the server sends mail: new versions,
deprecations, withdrawals. Needs a token of a user ("koya login").

Examples:
  koya watch acme/vpc/aws                    a module
  koya watch acme/demo --mail now            a provider, with mail at once
  koya watch acme --mail daily               all that is in a namespace, with a digest a day
  koya watch acme/demo --end
  koya watch --list --json | jq -r '.watches[].address')";

struct WatchArguments {
  std::string address;
  std::string mail;
  bool end = false;
  bool list = false;
  ServerFlags server;
};

template <class Value>
Status StatusOf(const Result<Value>& parsed) {
  if (parsed) return {};
  return std::unexpected(parsed.error());
}

// Of acme, acme/demo, acme/vpc/aws, what the number of its parts says.
Status CheckWatched(std::string_view address) {
  switch (std::ranges::count(address, '/')) {
    case 0:
      return StatusOf(ParseNamespaceName(address));
    case 1:
      return StatusOf(ProviderAddress::Parse(address));
    default:
      return StatusOf(ModuleAddress::Parse(address));
  }
}

// Sends one of three requests, by the number of parts of the address.
template <class Module, class Provider, class Namespace, class... Body>
auto SendFor(ApiClient& api, const std::string& address, const Module& module,
             const Provider& provider, const Namespace& ns, const Body&... body)
    -> decltype(api.Send(At(ns, address), body...)) {
  const auto parts = std::ranges::count(address, '/');
  if (parts == 0) return api.Send(At(ns, address), body...);
  if (parts == 1) {
    ASSIGN_OR_RETURN(ProviderAddress parsed, ProviderAddress::Parse(address));
    return api.Send(At(provider, parsed), body...);
  }
  ASSIGN_OR_RETURN(ModuleAddress parsed, ModuleAddress::Parse(address));
  return api.Send(At(module, parsed), body...);
}

Result<int> ListWatches(ApiClient& api, Output& output) {
  return PrintList(api.Send(At(wire::kListWatches)),
                   {{"ADDRESS", &wire::Watch::address},
                    {"KIND", &wire::Watch::kind},
                    {"MAIL", &wire::Watch::mail},
                    {"SINCE", &wire::Watch::since}},
                   "koya: you watch nothing", output);
}

Result<int> ChangeWatch(const WatchArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  ApiClient api(std::move(connection));
  if (arguments.list) return ListWatches(api, output);
  if (arguments.end) {
    return PrintDone(SendFor(api, arguments.address, wire::kEndModuleWatch, wire::kEndProviderWatch,
                             wire::kEndNamespaceWatch),
                     fmt::format("You no longer watch {}", arguments.address),
                     wire::EncodeDone("ended", {{"address", arguments.address}}), output);
  }
  ASSIGN_OR_RETURN(wire::Watch watch,
                   SendFor(api, arguments.address, wire::kWatchModule, wire::kWatchProvider,
                           wire::kWatchNamespace, wire::WatchRequest{arguments.mail}));
  output.Print(fmt::format("You watch the {} {} (mail: {})", watch.kind, Printable(watch.address),
                           watch.mail));
  output.PrintDocument(wire::Encode(watch));
  return 0;
}

}  // namespace

void AddWatchCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("watch", "Be notified of what happens to a module or provider");
  auto arguments = std::make_shared<WatchArguments>();
  CLI::Option* address =
      command
          ->add_option("ADDRESS", arguments->address,
                       "A module (acme/vpc/aws), a provider (acme/demo) or a namespace (acme)")
          ->check(ReadableBy(CheckWatched))
          ->type_name("");
  command->add_option("--mail", arguments->mail, "Mail at once, in a digest a day, or none (off)")
      ->check(CLI::IsMember({"now", "daily", "off"}), "mail")
      ->type_name("now|daily|off")
      ->needs(address);
  command->add_flag("--end", arguments->end, "End the watch")->needs(address)->excludes("--mail");
  command->add_flag("--list", arguments->list, "List what you watch")->excludes(address);
  AddServerFlags(*command, arguments->server);
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kWatchFooter));
  command->callback([arguments, &invocation] {
    if (arguments->address.empty() && !arguments->list) throw CLI::RequiredError("ADDRESS");
    invocation.action = [arguments](Output& output) { return ChangeWatch(*arguments, output); };
  });
}

}  // namespace koya::cli
