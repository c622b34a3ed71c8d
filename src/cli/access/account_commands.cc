#include "cli/access/account_commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/api/access_client.h"
#include "cli/api/place.h"
#include "cli/password_input.h"
#include "cli/text/readable.h"
#include "domain/account_name.h"
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
  output.PrintDocument(wire::EncodeAccount(account));
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
  output.PrintDocument(wire::EncodeAccount(account));
  return 0;
}

Result<int> EnableAccount(const AccountArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  AccessClient client(place.connection());
  ASSIGN_OR_RETURN(wire::Account account, client.EnableAccount(arguments.kind, arguments.name));
  output.Print(fmt::format("Enabled the {} \"{}\"", AccountNoun(arguments.kind), account.name));
  output.PrintDocument(wire::EncodeAccount(account));
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

}  // namespace

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

}  // namespace koya::cli
