// koya user create | list | disable | enable | delete

#include <CLI/CLI.hpp>
#include <string>

#include "cli/account_commands.h"
#include "cli/commands.h"

namespace koya::cli {
namespace {

constexpr std::string_view kUserFooter =
    R"(People. An administrator may do everything; all others what they were granted, themselves or
through a group ("koya grant"). The last administrator can be neither disabled nor deleted.

Examples:
  koya user create ada@example.com
  koya user create root --admin --data koya-data     on a stopped server's data
  koya user disable ada@example.com                  her tokens are refused within a second
  koya user list --json | jq -r '.users[].name')";

}  // namespace

void AddUserCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* user =
      program.add_subcommand("user", "Make, list, disable and delete users (an administrator)");
  AddAccountCommands(*user, invocation, AccountKind::kUser);
  // Set last: commands that are added inherit it otherwise.
  user->footer(std::string(kUserFooter));
}

}  // namespace koya::cli
