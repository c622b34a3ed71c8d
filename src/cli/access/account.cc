// koya user create | list | set | disable | enable | delete | password | language
// koya service create | list | disable | enable | delete

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/noun.h"
#include "cli/password_input.h"
#include "cli/program.h"
#include "cli/text/readable.h"
#include "domain/account_record.h"
#include "domain/name_rules.h"
#include "wire/accounts.h"
#include "wire/command_results.h"
#include "wire/notifications.h"
#include "wire/sign_in.h"

namespace koya::cli {
namespace {

struct AccountArguments {
  AccountKind kind = AccountKind::kUser;
  std::string name;
  bool admin = false;
  bool password_stdin = false;
  std::string email;
  PlaceFlags place;

  bool is_user() const { return kind == AccountKind::kUser; }
  std::string_view noun() const { return is_user() ? "user" : "service account"; }
};

std::string AccountState(const wire::Account& account) {
  return account.disabled.empty() ? "enabled" : "disabled since " + account.disabled;
}

std::string IsAdministrator(const wire::Account& account) { return account.admin ? "yes" : "no"; }

std::string TokenCount(const wire::Account& account) {
  return account.tokens ? std::to_string(*account.tokens) : "";
}

// Sets the password of a new user. It was read and checked first: an invalid one creates no user.
Status GivePassword(ApiClient& api, const AccountArguments& arguments, std::string password) {
  Status set = api.Send(At(wire::kSetPassword, arguments.name), {std::move(password), {}});
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
  ApiClient api(place.connection());
  ASSIGN_OR_RETURN(wire::Account account,
                   arguments.is_user()
                       ? api.Send(At(wire::kCreateUser), {arguments.name, arguments.admin})
                       : api.Send(At(wire::kCreateService), {arguments.name}));
  if (arguments.password_stdin) {
    RETURN_IF_ERROR(GivePassword(api, arguments, std::move(password)));
  }
  if (!arguments.email.empty()) {
    RETURN_IF_ERROR(api.Send(At(wire::kSetEmail, arguments.name), {arguments.email}));
    account.email = arguments.email;
  }
  return PrintDone({},
                   fmt::format("Created the {} \"{}\"{}", arguments.noun(), account.name,
                               account.admin ? ", an administrator" : ""),
                   wire::Encode(account), output);
}

Result<int> ListAccounts(ApiClient& api, const AccountArguments& arguments, Output& output) {
  std::vector<Column<wire::Account>> columns = {
      {"NAME", &wire::Account::name},
      {"ADMINISTRATOR", IsAdministrator},
      {"STATE", AccountState},
      {"CREATED", &wire::Account::created},
      {"CREATED BY", &wire::Account::created_by, "-"},
  };
  if (!arguments.is_user()) {
    columns[1] = {"TOKENS", TokenCount, "-"};
    columns.push_back({"LAST USED", &wire::Account::last_used, "never"});
    return PrintList(api.Send(At(wire::kListServices)), columns, "koya: no service accounts",
                     output);
  }
  columns.push_back({"E-MAIL", &wire::Account::email, "-"});
  return PrintList(api.Send(At(wire::kListUsers)), columns, "koya: no users", output);
}

Result<int> SwitchAccount(ApiClient& api, const AccountArguments& arguments, std::string_view done,
                          const wire::Endpoint<void, wire::Account, 1>& user,
                          const wire::Endpoint<void, wire::Account, 1>& service, Output& output) {
  ASSIGN_OR_RETURN(wire::Account account,
                   api.Send(At(arguments.is_user() ? user : service, arguments.name)));
  return PrintDone({}, fmt::format("{} the {} \"{}\"", done, arguments.noun(), account.name),
                   wire::Encode(account), output);
}

Result<int> DisableAccount(ApiClient& api, const AccountArguments& arguments, Output& output) {
  return SwitchAccount(api, arguments, "Disabled", wire::kDisableUser, wire::kDisableService,
                       output);
}

Result<int> EnableAccount(ApiClient& api, const AccountArguments& arguments, Output& output) {
  return SwitchAccount(api, arguments, "Enabled", wire::kEnableUser, wire::kEnableService, output);
}

Result<int> DeleteAccount(ApiClient& api, const AccountArguments& arguments, Output& output) {
  const auto& endpoint = arguments.is_user() ? wire::kDeleteUser : wire::kDeleteService;
  return PrintDone(api.Send(At(endpoint, arguments.name)),
                   fmt::format("Deleted the {} \"{}\"", arguments.noun(), arguments.name),
                   wire::EncodeDone("deleted", {{"kind", AccountKindName(arguments.kind)},
                                                {"name", arguments.name}}),
                   output);
}

void DeclareAccount(CLI::App& command, AccountArguments& arguments) {
  command.add_option("NAME", arguments.name, fmt::format("The {}'s name", arguments.noun()))
      ->required()
      ->check(ReadableBy(
          [kind = arguments.kind](std::string_view name) { return CheckAccountName(kind, name); }))
      ->type_name("");
}

void DeclareEmail(CLI::App& command, AccountArguments& arguments) {
  command.add_option("--email", arguments.email, "Where mail about notifications goes")
      ->check(ReadableBy(
          [](std::string_view text) { return text.empty() ? Status() : CheckMailAddress(text); }))
      ->type_name("ADDRESS");
}

void DeclareNewAccount(CLI::App& command, AccountArguments& arguments) {
  DeclareAccount(command, arguments);
  if (!arguments.is_user()) return;
  command.add_flag("--admin", arguments.admin, "An administrator: can do everything");
  command.add_flag("--password-stdin", arguments.password_stdin,
                   "Read a password to sign in with from standard input (one line)");
  DeclareEmail(command, arguments);
}

void DeclareSet(CLI::App& command, AccountArguments& arguments) {
  DeclareAccount(command, arguments);
  DeclareEmail(command, arguments);
  command.get_option("--email")->required()->expected(1);
}

Result<int> SetAccount(ApiClient& api, const AccountArguments& arguments, Output& output) {
  return PrintDone(api.Send(At(wire::kSetEmail, arguments.name), {arguments.email}),
                   fmt::format("Set the e-mail address of \"{}\"", arguments.name),
                   wire::EncodeDone("set", {{"user", arguments.name}}), output);
}

// Declares "user" or "service" with the commands that both have. Its footer must be set last:
// commands that are added inherit it otherwise.
CLI::App* AddAccountNoun(CLI::App& program, Invocation& invocation, const std::string& name,
                         const std::string& about, AccountKind kind) {
  const AccountArguments initial{.kind = kind};
  return AddNoun<AccountArguments>(
      program, invocation, name, about, "",
      {{"create", fmt::format("Create a {}", initial.noun()), CreateAccount, DeclareNewAccount},
       {"list", fmt::format("List the {}s", initial.noun()), AtPlace<ListAccounts>},
       {"disable", "Disable it: its roles and tokens have no effect until enabled",
        AtPlace<DisableAccount>, DeclareAccount},
       {"enable", "Enable it again", AtPlace<EnableAccount>, DeclareAccount},
       {"delete", "Delete it, with its tokens, grants and memberships", AtPlace<DeleteAccount>,
        DeclareAccount}},
      initial);
}

constexpr std::string_view kUserFooter =
    R"(Accounts of people. An administrator can do everything; others have the roles granted to them or to
their groups ("koya grant"). The last administrator can be neither disabled nor deleted.

Examples:
  koya user create ada@example.com --password-stdin  a terminal prompts for it twice
  koya user create root --admin --password-stdin --data koya-data   on a stopped server's data
  koya user password ada@example.com                 sets another
  koya user set ada@example.com --email ada@example.com   where her mail goes
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
  return PrintDone(
      ApiClient(place.connection()).Send(At(wire::kSetPassword, arguments.name), request),
      arguments.remove
          ? fmt::format(
                "Removed the password of \"{}\": they can only sign in with a sign-in provider",
                arguments.name)
          : fmt::format("Set the password of \"{}\"", arguments.name),
      wire::EncodeDone(arguments.remove ? "removed" : "set", {{"user", arguments.name}}), output);
}

void DeclareUserName(CLI::App& command, std::string& name) {
  command.add_option("NAME", name, "The user's name")
      ->required()
      ->check(ReadableBy(
          [](std::string_view text) { return CheckAccountName(AccountKind::kUser, text); }))
      ->type_name("");
}

void DeclarePassword(CLI::App& command, UserPasswordArguments& arguments) {
  DeclareUserName(command, arguments.name);
  AddPasswordFlag(command, arguments.password_stdin);
  command.add_flag("--old", arguments.old, "Give the old password, too: for your own");
  command.add_flag("--remove", arguments.remove, "Remove the password")
      ->excludes("--password-stdin")
      ->excludes("--old");
  command.footer(std::string(kPasswordFooter));
}

struct LanguageArguments {
  std::string name;
  std::string language;
  PlaceFlags place;
};

Result<int> SetUserLanguage(ApiClient& api, const LanguageArguments& arguments, Output& output) {
  return PrintDone(
      api.Send(At(wire::kSetLanguage, arguments.name), {arguments.language}),
      arguments.language == "auto"
          ? fmt::format("Pages for \"{}\" use the browser's language", arguments.name)
          : fmt::format("Pages for \"{}\" are in {}", arguments.name, arguments.language),
      wire::EncodeLanguageSet(arguments.name, arguments.language), output);
}

void DeclareLanguage(CLI::App& command, LanguageArguments& arguments) {
  DeclareUserName(command, arguments.name);
  command.add_option("LANGUAGE", arguments.language, "en, ja, zh, or auto: the browser's")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember({"en", "ja", "zh", "auto"}), "language");
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
  CLI::App* user = AddAccountNoun(program, invocation, "user", "Manage users (administrators)",
                                  AccountKind::kUser);
  AddVerb<AccountArguments>(
      *user, invocation,
      {"set", "Set the e-mail address of a user", AtPlace<SetAccount>, DeclareSet}, {});
  AddVerb<UserPasswordArguments>(
      *user, invocation,
      {"password", "Set or remove a user's password", SetUserPassword, DeclarePassword}, {});
  AddVerb<LanguageArguments>(*user, invocation,
                             {"language", "Set the language of a user's pages (or your own)",
                              AtPlace<SetUserLanguage>, DeclareLanguage},
                             {});
  user->footer(std::string(kUserFooter));
}

void AddServiceCommand(CLI::App& program, Invocation& invocation) {
  AddAccountNoun(program, invocation, "service", "Manage service accounts (administrators)",
                 AccountKind::kService)
      ->footer(std::string(kServiceFooter));
}

}  // namespace koya::cli
