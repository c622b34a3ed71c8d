// koya user create | list | disable | enable | delete | password | language
// koya service create | list | disable | enable | delete

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/api/access_client.h"
#include "cli/api/place.h"
#include "cli/password_input.h"
#include "cli/program.h"
#include "cli/text/output.h"
#include "cli/text/readable.h"
#include "domain/account_record.h"
#include "domain/name_rules.h"
#include "wire/command_results.h"

namespace koya::cli {
namespace {

struct AccountArguments {
  AccountKind kind = AccountKind::kUser;
  std::string name;
  bool admin = false;
  bool password_stdin = false;
  PlaceFlags place;
};

std::string_view AccountNoun(AccountKind kind) {
  return kind == AccountKind::kUser ? "user" : "service account";
}

std::string AccountState(const wire::Account& account) {
  return account.disabled.empty() ? "enabled" : "disabled since " + account.disabled;
}

void PrintAccounts(AccountKind kind, const std::vector<wire::Account>& accounts, Output& output) {
  std::vector<std::string> heads = {"NAME", "ADMINISTRATOR", "STATE", "CREATED", "CREATED BY"};
  const bool has_emails = kind == AccountKind::kUser;
  if (has_emails) heads.emplace_back("E-MAIL");
  std::vector<std::vector<std::string>> rows;
  for (const wire::Account& account : accounts) {
    rows.push_back({account.name, account.admin ? "yes" : "no", AccountState(account),
                    account.created, account.created_by.empty() ? "-" : account.created_by});
    if (has_emails) rows.back().push_back(account.email.empty() ? "-" : account.email);
  }
  if (rows.empty()) {
    output.Note(fmt::format("koya: no {}s", AccountNoun(kind)));
  } else {
    output.PrintTable(heads, rows);
  }
  output.PrintDocument(kind == AccountKind::kUser ? wire::EncodeUserList(accounts)
                                                  : wire::EncodeServiceList(accounts));
}

// Sets the password of a new user. It was read and checked first: an invalid one creates no user.
Status GivePassword(AccessClient& client, const AccountArguments& arguments, std::string password) {
  Status set = client.PutPassword(arguments.name, {std::move(password), {}});
  if (set) return {};
  Error error = std::move(set).error();
  error.message = fmt::format(
      "the user \"{0}\" was created, but has no password yet: {1}\n  to do: \"koya user password "
      "{0}\"",
      arguments.name, error.message);
  return std::unexpected(std::move(error));
}

Result<int> CreateAccount(const AccountArguments& arguments, Output& output) {
  std::string password;
  if (arguments.password_stdin) {
    ASSIGN_OR_RETURN(password, ReadNewPassword(output.shell(), arguments.name));
  }
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  AccessClient client(place.connection());
  ASSIGN_OR_RETURN(wire::Account account,
                   client.CreateAccount(arguments.kind, arguments.name, arguments.admin));
  if (arguments.password_stdin) {
    RETURN_IF_ERROR(GivePassword(client, arguments, std::move(password)));
  }
  output.Print(fmt::format("Created the {} \"{}\"{}", AccountNoun(arguments.kind), account.name,
                           account.admin ? ", an administrator" : ""));
  output.PrintDocument(wire::Encode(account));
  return 0;
}

Result<int> ListAccounts(const AccountArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  AccessClient client(place.connection());
  ASSIGN_OR_RETURN(std::vector<wire::Account> accounts, client.ListAccounts(arguments.kind));
  PrintAccounts(arguments.kind, accounts, output);
  return 0;
}

Result<int> DisableAccount(const AccountArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  AccessClient client(place.connection());
  ASSIGN_OR_RETURN(wire::Account account, client.DisableAccount(arguments.kind, arguments.name));
  output.Print(fmt::format("Disabled the {} \"{}\"", AccountNoun(arguments.kind), account.name));
  output.PrintDocument(wire::Encode(account));
  return 0;
}

Result<int> EnableAccount(const AccountArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  AccessClient client(place.connection());
  ASSIGN_OR_RETURN(wire::Account account, client.EnableAccount(arguments.kind, arguments.name));
  output.Print(fmt::format("Enabled the {} \"{}\"", AccountNoun(arguments.kind), account.name));
  output.PrintDocument(wire::Encode(account));
  return 0;
}

Result<int> DeleteAccount(const AccountArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  RETURN_IF_ERROR(AccessClient(place.connection()).DeleteAccount(arguments.kind, arguments.name));
  output.Print(fmt::format("Deleted the {} \"{}\"", AccountNoun(arguments.kind), arguments.name));
  output.PrintDocument(wire::EncodeDeletedAccount(AccountKindName(arguments.kind), arguments.name));
  return 0;
}

// One subcommand as all have it.
struct AccountVerb {
  std::string name;
  std::string about;
  Result<int> (*action)(const AccountArguments&, Output&);
  bool named = true;  // it takes NAME
};

void AddAccountVerb(CLI::App& parent, Invocation& invocation, AccountKind kind,
                    const AccountVerb& verb) {
  CLI::App* command = parent.add_subcommand(verb.name, verb.about);
  auto arguments = std::make_shared<AccountArguments>();
  arguments->kind = kind;
  if (verb.named) {
    command->add_option("NAME", arguments->name, fmt::format("The {}'s name", AccountNoun(kind)))
        ->required()
        ->check(ReadableBy([kind](std::string_view name) { return CheckAccountName(kind, name); }))
        ->type_name("");
  }
  if (verb.name == "create" && kind == AccountKind::kUser) {
    command->add_flag("--admin", arguments->admin, "An administrator: can do everything");
    command->add_flag("--password-stdin", arguments->password_stdin,
                      "Read a password to sign in with from standard input (one line)");
  }
  AddPlaceFlags(*command, arguments->place);
  AddJsonFlag(*command, invocation);
  command->callback([arguments, action = verb.action, &invocation] {
    invocation.action = [arguments, action](Output& output) { return action(*arguments, output); };
  });
}

// Declares create, list, disable, enable and delete, below "user" or "service". Users may be
// created as administrators.
void AddAccountCommands(CLI::App& parent, Invocation& invocation, AccountKind kind) {
  std::string_view noun = AccountNoun(kind);
  const std::vector<AccountVerb> kVerbs = {
      {"create", fmt::format("Create a {}", noun), CreateAccount},
      {"list", fmt::format("List the {}s", noun), ListAccounts, false},
      {"disable", "Disable it: its roles and tokens have no effect until enabled", DisableAccount},
      {"enable", "Enable it again", EnableAccount},
      {"delete", "Delete it, with its tokens, grants and memberships", DeleteAccount},
  };
  parent.require_subcommand(1);
  for (const AccountVerb& verb : kVerbs) AddAccountVerb(parent, invocation, kind, verb);
}

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

constexpr std::string_view kServiceFooter =
    R"(Accounts of programs: a pipeline's tokens belong to one, so they stay valid when people leave. A
service account has the roles granted to it or to its groups ("koya grant").

Examples:
  koya service create ci
  koya grant add acme publisher --service ci
  koya service disable ci                            its tokens are refused within a second)";

}  // namespace

void AddUserCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* user = program.add_subcommand("user", "Manage users (administrators)");
  AddAccountCommands(*user, invocation, AccountKind::kUser);
  AddPasswordCommand(*user, invocation);
  AddLanguageCommand(*user, invocation);
  // Set last: commands that are added inherit it otherwise.
  user->footer(std::string(kUserFooter));
}

void AddServiceCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* service = program.add_subcommand("service", "Manage service accounts (administrators)");
  AddAccountCommands(*service, invocation, AccountKind::kService);
  // Set last: commands that are added inherit it otherwise.
  service->footer(std::string(kServiceFooter));
}

}  // namespace koya::cli
