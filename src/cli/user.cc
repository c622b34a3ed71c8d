// koya user create | list | disable | enable | delete | password | language

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/account_commands.h"
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
    R"(People. An administrator may do everything; all others what they were granted, themselves or
through a group ("koya grant"). The last administrator can be neither disabled nor deleted.

Examples:
  koya user create ada@example.com --password-stdin  on a terminal it is asked for twice
  koya user create root --admin --password-stdin --data koya-data   on a stopped server's data
  koya user password ada@example.com                 sets another
  koya user disable ada@example.com                  her tokens are refused within a second
  koya user list --json | jq -r '.users[].name')";

constexpr std::string_view kPasswordFooter =
    R"(Setting a password, or taking it away, ends the sessions of that user in every browser; tokens
stay. Administrators set everybody's. Whoever sets their own and is none says the old one, too; from
a pipe it is the first line.

Examples:
  koya user password ada@example.com
  printf '%s\n' "$PASSWORD" | koya user password ada@example.com --password-stdin
  koya user password ada@example.com --old --server https://koya.example.com    her own
  koya user password ada@example.com --remove        for somebody who signs in elsewhere
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
  output.Print(arguments.remove
                   ? fmt::format("Took the password of \"{}\" away: they sign in elsewhere, or not",
                                 arguments.name)
                   : fmt::format("Set the password of \"{}\"", arguments.name));
  output.PrintDocument(wire::EncodePasswordSet(arguments.name, arguments.remove));
  return 0;
}

void AddPasswordCommand(CLI::App& user, Invocation& invocation) {
  CLI::App* command = user.add_subcommand("password", "Set a user's password, or take it away");
  auto arguments = std::make_shared<UserPasswordArguments>();
  command->add_option("NAME", arguments->name, "The user's name")
      ->required()
      ->check(ReadableBy(
          [](std::string_view name) { return CheckAccountName(AccountKind::kUser, name); }))
      ->type_name("");
  AddPasswordFlag(*command, arguments->password_stdin);
  command->add_flag("--old", arguments->old, "Say the old password, too: for one's own");
  command->add_flag("--remove", arguments->remove, "Take it away")
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
  output.Print(
      arguments.language == "auto"
          ? fmt::format("Pages for \"{}\" are in the language of the browser", arguments.name)
          : fmt::format("Pages for \"{}\" are in {}", arguments.name, arguments.language));
  output.PrintDocument(wire::EncodeLanguageSet(arguments.name, arguments.language));
  return 0;
}

void AddLanguageCommand(CLI::App& user, Invocation& invocation) {
  CLI::App* command =
      user.add_subcommand("language", "Say in which language a user has pages (one's own, too)");
  auto arguments = std::make_shared<LanguageArguments>();
  command->add_option("NAME", arguments->name, "The user's name")
      ->required()
      ->check(ReadableBy(
          [](std::string_view name) { return CheckAccountName(AccountKind::kUser, name); }))
      ->type_name("");
  command->add_option("LANGUAGE", arguments->language, "en, ja, zh, or auto: as the browser says")
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
  CLI::App* user =
      program.add_subcommand("user", "Make, list, disable and delete users (an administrator)");
  AddAccountCommands(*user, invocation, AccountKind::kUser);
  AddPasswordCommand(*user, invocation);
  AddLanguageCommand(*user, invocation);
  // Set last: commands that are added inherit it otherwise.
  user->footer(std::string(kUserFooter));
}

}  // namespace koya::cli
