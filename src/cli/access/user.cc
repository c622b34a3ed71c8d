// koya user create | list | disable | enable | delete | password | language

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/access/account_commands.h"
#include "cli/api/access_client.h"
#include "cli/api/place.h"
#include "cli/commands.h"
#include "cli/password_input.h"
#include "cli/text/readable.h"
#include "domain/account_name.h"
#include "wire/command_results.h"

namespace koya::cli {
namespace {

constexpr std::string_view kUserFooter =
    R"(Accounts of people. An administrator can do everything; others have the roles granted to them or to
their groups ("koya grant"). The last administrator can be neither disabled nor deleted.

Examples:
  koya user create ada@example.com --password-stdin  a terminal prompts for it twice
  koya user create root --admin --password-stdin --data koya-data   on a stopped server's data
  koya user password ada@example.com                 sets another
  koya user disable ada@example.com                  her tokens are rejected within a second
  koya user list --json | jq -r '.users[].name')";

constexpr std::string_view kPasswordFooter =
    R"(Setting or removing a password ends the user's sessions in every browser; tokens stay valid.
Administrators can set all passwords. Other users can set their own, and must give the old one, too;
from a pipe it is the first line.

Examples:
  koya user password ada@example.com
  printf '%s\n' "$PASSWORD" | koya user password ada@example.com --password-stdin
  koya user password ada@example.com --old --server https://koya.example.com    her own
  koya user password ada@example.com --remove        for a user with another sign-in
  koya user password root --data koya-data           on a stopped server's data)";

struct UserPasswordArguments {
  std::string name;
  bool password_stdin = false;
  bool old = false;
  bool remove = false;
  PlaceFlags place;
};

Result<wire::PasswordRequest> ReadPasswordRequest(const UserPasswordArguments& arguments,
                                                  const Shell& shell) {
  wire::PasswordRequest request;
  if (arguments.remove) return request;
  RETURN_IF_ERROR(RequirePasswordInput(arguments.password_stdin, shell));
  if (arguments.old) {
    ASSIGN_OR_RETURN(request.old_password, ReadSecret(shell, "the old password"));
  }
  ASSIGN_OR_RETURN(request.password, ReadNewPassword(shell, arguments.name));
  return request;
}

Result<int> SetUserPassword(const UserPasswordArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  ASSIGN_OR_RETURN(wire::PasswordRequest request, ReadPasswordRequest(arguments, output.shell()));
  RETURN_IF_ERROR(AccessClient(place.connection()).PutPassword(arguments.name, request));
  output.Print(
      arguments.remove
          ? fmt::format(
                "Removed the password of \"{}\": they can only sign in with a sign-in provider",
                arguments.name)
          : fmt::format("Set the password of \"{}\"", arguments.name));
  output.PrintDocument(wire::EncodePasswordSet(arguments.name, arguments.remove));
  return 0;
}

void AddPasswordCommand(CLI::App& user, Invocation& invocation) {
  CLI::App* command = user.add_subcommand("password", "Set or remove a user's password");
  auto arguments = std::make_shared<UserPasswordArguments>();
  command->add_option("NAME", arguments->name, "The user's name")
      ->required()
      ->check(ReadableBy(
          [](std::string_view name) { return CheckAccountName(AccountKind::kUser, name); }))
      ->type_name("");
  AddPasswordFlag(*command, arguments->password_stdin);
  command->add_flag("--old", arguments->old, "Give the old password, too: for your own");
  command->add_flag("--remove", arguments->remove, "Remove the password")
      ->excludes("--password-stdin")
      ->excludes("--old");
  AddPlaceFlags(*command, arguments->place);
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kPasswordFooter));
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return SetUserPassword(*arguments, output); };
  });
}

struct LanguageArguments {
  std::string name;
  std::string language;
  PlaceFlags place;
};

Result<int> SetUserLanguage(const LanguageArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  RETURN_IF_ERROR(AccessClient(place.connection()).PutLanguage(arguments.name, arguments.language));
  output.Print(arguments.language == "auto"
                   ? fmt::format("Pages for \"{}\" use the browser's language", arguments.name)
                   : fmt::format("Pages for \"{}\" are in {}", arguments.name, arguments.language));
  output.PrintDocument(wire::EncodeLanguageSet(arguments.name, arguments.language));
  return 0;
}

void AddLanguageCommand(CLI::App& user, Invocation& invocation) {
  CLI::App* command =
      user.add_subcommand("language", "Set the language of a user's pages (or your own)");
  auto arguments = std::make_shared<LanguageArguments>();
  command->add_option("NAME", arguments->name, "The user's name")
      ->required()
      ->check(ReadableBy(
          [](std::string_view name) { return CheckAccountName(AccountKind::kUser, name); }))
      ->type_name("");
  command->add_option("LANGUAGE", arguments->language, "en, ja, zh, or auto: the browser's")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember({"en", "ja", "zh", "auto"}), "language");
  AddPlaceFlags(*command, arguments->place);
  AddJsonFlag(*command, invocation);
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return SetUserLanguage(*arguments, output); };
  });
}

}  // namespace

void AddUserCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* user = program.add_subcommand("user", "Manage users (administrators)");
  AddAccountCommands(*user, invocation, AccountKind::kUser);
  AddPasswordCommand(*user, invocation);
  AddLanguageCommand(*user, invocation);
  // Set last: commands that are added inherit it otherwise.
  user->footer(std::string(kUserFooter));
}

}  // namespace koya::cli
