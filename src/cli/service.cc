// koya service create | list | disable | enable | delete

#include <CLI/CLI.hpp>
#include <string>

#include "cli/account_commands.h"
#include "cli/commands.h"

namespace koya::cli {
namespace {

constexpr std::string_view kServiceFooter =
    R"(Programs: what a pipeline's tokens belong to, so that they stay when people go. A service
account may do what it was granted, itself or through a group ("koya grant").

Examples:
  koya service create ci
  koya grant add acme publisher --service ci
  koya service disable ci                            its tokens are refused within a second)";

}  // namespace

void AddServiceCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* service = program.add_subcommand(
      "service", "Make, list, disable and delete service accounts (an administrator)");
  AddAccountCommands(*service, invocation, AccountKind::kService);
  // Set last: commands that are added inherit it otherwise.
  service->footer(std::string(kServiceFooter));
}

}  // namespace koya::cli
