// koya service create | list | disable | enable | delete

#include <CLI/CLI.hpp>
#include <string>

#include "cli/access/account_commands.h"
#include "cli/commands.h"

namespace koya::cli {
namespace {

constexpr std::string_view kServiceFooter =
    R"(Accounts of programs: a pipeline's tokens belong to one, so they stay valid when people leave. A
service account has the roles granted to it or to its groups ("koya grant").

Examples:
  koya service create ci
  koya grant add acme publisher --service ci
  koya service disable ci                            its tokens are refused within a second)";

}  // namespace

void AddServiceCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* service = program.add_subcommand("service", "Manage service accounts (administrators)");
  AddAccountCommands(*service, invocation, AccountKind::kService);
  // Set last: commands that are added inherit it otherwise.
  service->footer(std::string(kServiceFooter));
}

}  // namespace koya::cli
