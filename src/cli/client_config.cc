// koya client-config

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "cli/api/api_client.h"
#include "cli/api/connection.h"
#include "cli/program.h"
#include "cli/text/readable.h"
#include "clients/client_settings.h"
#include "clients/tool_settings.h"
#include "wire/inventory.h"

namespace koya::cli {
namespace {

constexpr std::string_view kClientConfigFooter =
    R"(Prints a CLI configuration for ~/.tofurc or ~/.terraformrc, and changes nothing. --mode origin points
the registries' names at the server: providers and modules, complete lock files. --mode mirror names
the server as a network mirror: providers only.

When the server responds and its mirror is closed to anonymous users (access.mirror = internal), the
configuration also has credentials blocks with a place for the token. With --with-token they
contain the token itself: do not share that file.

Examples:
  koya client-config --server https://koya.example.com > ~/.tofurc
  koya client-config --upstream registry.terraform.io > ~/.terraformrc
  koya client-config --for renovate
  koya client-config --for-host app.terraform.io     after "koya import"
  koya client-config --upstream registry.opentofu.org --upstream registry.example.org --mode mirror)";

struct ClientConfigArguments {
  std::string tool;  // of --for; "": the clients themselves
  std::vector<std::string> upstreams;
  std::string for_host;  // "": for registries that the server mirrors
  std::string mode = "origin";
  bool direct = false;
  bool with_token = false;
  ServerFlags server;
};

// True if anonymous callers may not read the mirror: requests its list without a token, which pulls
// nothing from anywhere. A server that does not respond now is no obstacle.
bool MirrorWantsToken(RegistryClientOptions options, Output& output) {
  options.token.clear();
  options.http.connect_timeout = std::chrono::seconds(3);
  options.http.total_timeout = std::chrono::seconds(6);
  ApiClient api(std::move(options));
  Result<http::ClientResponse> answer =
      api.Exchange({}, At(wire::kListMirroredReleases).With("limit", "1").path);
  if (!answer) {
    output.Note(fmt::format(
        "koya: note: {} does not respond, so it is unknown whether reading needs a token: {}",
        api.server().Origin(), answer.error().message));
    return false;
  }
  return answer->status == 401 || answer->status == 404;
}

Result<std::string> ShownToken(const ClientConfigArguments& arguments,
                               const RegistryClientOptions& connection, Output& output) {
  if (arguments.with_token && connection.token.empty()) {
    return FailInvalid(
        "no token for {}: use --token, set KOYA_TOKEN, or sign in with \"koya login {}\"",
        connection.server.Origin(), connection.server.Origin());
  }
  if (arguments.with_token) return connection.token;
  // Whether its own namespaces require one is not a question of the mirror: a comment says how.
  if (!arguments.for_host.empty()) return std::string();
  return MirrorWantsToken(connection, output) ? std::string(clients::kTokenPlaceholder)
                                              : std::string();
}

Result<int> PrintToolSettings(const ClientConfigArguments& arguments, Output& output) {
  const auto tool = std::ranges::find(clients::kTools, arguments.tool, &clients::ToolName::text);
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  ASSIGN_OR_RETURN(HostName host, HostName::ParseWire(connection.server.Authority()));
  ASSIGN_OR_RETURN(std::string text, clients::ToolSettings({tool->tool, connection.server.Origin(),
                                                            std::move(host)}));
  output.shell().out << text;
  return 0;
}

Result<int> PrintClientConfig(const ClientConfigArguments& arguments, Output& output) {
  if (!arguments.tool.empty()) return PrintToolSettings(arguments, output);
  clients::ClientSettingsRequest wish;
  for (const std::string& upstream : arguments.upstreams) {
    ASSIGN_OR_RETURN(HostName registry, HostName::Parse(upstream));
    if (std::ranges::count(wish.registries, registry) == 0) wish.registries.push_back(registry);
  }
  if (!arguments.for_host.empty()) {
    ASSIGN_OR_RETURN(HostName old, HostName::Parse(arguments.for_host));
    wish.registries = {std::move(old)};
    wish.mode = clients::ClientMode::kMoved;
  }
  if (arguments.mode == "mirror") wish.mode = clients::ClientMode::kMirror;
  if (arguments.direct && arguments.mode != "mirror") {
    return FailInvalid(
        "--direct needs --mode mirror: with --mode origin, a registry's name leads only to "
        "the server");
  }
  wish.direct = arguments.direct;
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  ASSIGN_OR_RETURN(wish.token, ShownToken(arguments, connection, output));
  wish.server = connection.server.Origin();
  ASSIGN_OR_RETURN(std::string text, clients::ClientSettings(wish));
  output.shell().out << text;
  return 0;
}

}  // namespace

void AddClientConfigCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "client-config", "Print the configuration that sends clients through this server");
  auto arguments = std::make_shared<ClientConfigArguments>();
  command
      ->add_option(
          "--upstream", arguments->upstreams,
          "A registry to use through the server; repeatable (default: registry.opentofu.org)")
      ->type_name("HOST")
      ->check(ReadableBy(HostName::Parse))
      ->allow_extra_args(false);
  command
      ->add_option("--for-host", arguments->for_host,
                   "A registry that has moved to the server, under whose name clients go on")
      ->type_name("HOST")
      ->check(ReadableBy(HostName::Parse))
      ->excludes("--upstream");
  CLI::Option* mode =
      command->add_option("--mode", arguments->mode, "origin (the default) or mirror");
  mode->check(CLI::IsMember({"origin", "mirror"}))->type_name("MODE");
  mode->excludes("--for-host");
  std::vector<std::string> tools;
  for (const clients::ToolName& each : clients::kTools) tools.emplace_back(each.text);
  command
      ->add_option("--for", arguments->tool,
                   "Print what to configure in this tool instead (docs/updaters.md)")
      ->check(CLI::IsMember(tools))
      ->type_name("TOOL");
  command->add_flag("--direct", arguments->direct,
                    "With --mode mirror: clients also contact the registries directly");
  command->add_flag("--with-token", arguments->with_token,
                    "Write credentials blocks, and your token into them");
  AddServerFlags(*command, arguments->server);
  command->footer(std::string(kClientConfigFooter));
  command->callback([arguments, &invocation] {
    if (arguments->upstreams.empty()) arguments->upstreams = {"registry.opentofu.org"};
    invocation.action = [arguments](Output& output) {
      return PrintClientConfig(*arguments, output);
    };
  });
}

}  // namespace koya::cli
