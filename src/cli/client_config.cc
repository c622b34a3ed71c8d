// koya client-config

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/api/connection.h"
#include "cli/client_settings.h"
#include "cli/commands.h"
#include "cli/text/readable.h"

namespace koya::cli {
namespace {

constexpr std::string_view kClientConfigFooter =
    R"(Prints a CLI configuration for ~/.tofurc or ~/.terraformrc, and changes nothing. --mode origin points
the registries' names at the server: providers and modules, complete lock files. --mode mirror names
the server as a network mirror: providers only.

Examples:
  koya client-config --server https://koya.example.com > ~/.tofurc
  koya client-config --upstream registry.terraform.io > ~/.terraformrc
  koya client-config --upstream registry.opentofu.org --upstream registry.example.org --mode mirror)";

struct ClientConfigArguments {
  std::vector<std::string> upstreams;
  std::string mode = "origin";
  ServerFlags server;
};

Result<int> PrintClientConfig(const ClientConfigArguments& arguments, Output& output) {
  ClientSettingsWish wish;
  for (const std::string& upstream : arguments.upstreams) {
    ASSIGN_OR_RETURN(HostName registry, HostName::Parse(upstream));
    if (std::ranges::count(wish.registries, registry) == 0) wish.registries.push_back(registry);
  }
  if (arguments.mode == "mirror") wish.mode = ClientMode::kMirror;
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  wish.server = std::move(connection.server);
  ASSIGN_OR_RETURN(std::string text, ClientSettings(wish));
  output.shell().out << text;
  return 0;
}

}  // namespace

void AddClientConfigCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "client-config", "Print the configuration that sends clients through this server");
  auto arguments = std::make_shared<ClientConfigArguments>();
  command
      ->add_option("--upstream", arguments->upstreams,
                   "A registry to go through the server; may be given again "
                   "(registry.opentofu.org unless given)")
      ->type_name("HOST")
      ->check(ReadableBy(HostName::Parse))
      ->allow_extra_args(false);
  command->add_option("--mode", arguments->mode, "origin (unless given) or mirror")
      ->check(CLI::IsMember({"origin", "mirror"}))
      ->type_name("MODE");
  AddServerFlag(*command, arguments->server.server);
  command->footer(std::string(kClientConfigFooter));
  command->callback([arguments, &invocation] {
    if (arguments->upstreams.empty()) arguments->upstreams = {"registry.opentofu.org"};
    invocation.action = [arguments](Output& output) {
      return PrintClientConfig(*arguments, output);
    };
  });
}

}  // namespace koya::cli
