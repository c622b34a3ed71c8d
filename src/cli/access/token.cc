// koya token create | list | rotate | revoke

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "auth/principal.h"
#include "base/clock.h"
#include "cli/api/place.h"
#include "cli/api/registry_client.h"
#include "cli/program.h"
#include "cli/text/readable.h"
#include "wire/command_results.h"

namespace koya::cli {
namespace {

constexpr std::string_view kCreateFooter =
    R"(The token is shown once and is not stored in readable form: save it now. It expires after 90 days
unless --expires is given.
publish includes read; admin includes both, and managing tokens. A new token never has more access
than your own: at most its scope, and namespaces that its patterns cover.

Examples:
  koya token create ci --scope publish --namespace acme --expires 90d
  koya token create laptop --scope read --json | jq -r .token
  koya token create reader --scope read --expires never
  koya token create build --scope read --service build     for the service account "build"
  koya token create first --scope admin --data koya-data     before the first start, or to get in again)";

struct TokenArguments {
  wire::TokenRequest request;
  std::string name;
  PlaceFlags place;
};

std::string Namespaces(const wire::Token& token) {
  if (token.namespaces.empty()) return "all";
  std::string text;
  for (const std::string& each : token.namespaces) text += (text.empty() ? "" : ", ") + each;
  return text;
}

std::string Account(const wire::Token& token) {
  if (token.account.empty()) return "-";
  return fmt::format("{} {}", token.account_kind, token.account);
}

// `what` was done with it.
void PrintText(std::string_view what, const wire::Token& token, Output& output) {
  output.Note(
      fmt::format("koya: {} the token \"{}\": scope {}, namespaces {}, expires {}; it is "
                  "not shown again",
                  what, token.name, token.scope, Namespaces(token),
                  token.expires.empty() ? "never" : token.expires));
  output.Print(token.token);
  output.PrintDocument(wire::Encode(token));
}

void PrintTokens(const std::vector<wire::Token>& tokens, Output& output) {
  std::vector<std::vector<std::string>> rows;
  for (const wire::Token& token : tokens) {
    rows.push_back({token.name, token.scope, Namespaces(token), Account(token),
                    token.expires.empty() ? "never" : token.expires,
                    token.last_used.empty() ? "never" : token.last_used,
                    token.last_used_from.empty() ? "-" : token.last_used_from,
                    token.created_by.empty() ? "-" : token.created_by});
  }
  if (rows.empty()) {
    output.Note("koya: no tokens");
  } else {
    output.PrintTable(
        {"NAME", "SCOPE", "NAMESPACES", "ACTS FOR", "EXPIRES", "LAST USED", "FROM", "CREATED BY"},
        rows);
  }
  output.PrintDocument(wire::EncodeTokenList(tokens));
}

Result<int> Create(const TokenArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::OpenOrBegin(arguments.place, output));
  ASSIGN_OR_RETURN(wire::Token token,
                   RegistryClient(place.connection()).CreateToken(arguments.request));
  PrintText("created", token, output);
  return 0;
}

Result<int> List(const TokenArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  ASSIGN_OR_RETURN(std::vector<wire::Token> tokens,
                   RegistryClient(place.connection()).ListTokens());
  PrintTokens(tokens, output);
  return 0;
}

Result<int> Rotate(const TokenArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  ASSIGN_OR_RETURN(
      wire::Token token,
      RegistryClient(place.connection()).RotateToken(arguments.name, arguments.request.expires));
  PrintText("rotated", token, output);
  return 0;
}

Result<int> Revoke(const TokenArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  RETURN_IF_ERROR(RegistryClient(place.connection()).RevokeToken(arguments.name));
  output.Print(fmt::format("Revoked the token \"{}\"", arguments.name));
  output.PrintDocument(wire::EncodeRevokedToken(arguments.name));
  return 0;
}

std::string CheckDuration(const std::string& text) {
  if (ParseDuration(text)) return {};
  return fmt::format(
      "\"{}\" is not a duration: use a whole number and s, m, h or d, for example 90d", text);
}

std::string CheckLife(const std::string& text) {
  return text == wire::kNeverExpires ? std::string() : CheckDuration(text);
}

void AddCreate(CLI::App& token, Invocation& invocation) {
  CLI::App* command = token.add_subcommand("create", "Create a token and print it");
  auto arguments = std::make_shared<TokenArguments>();
  wire::TokenRequest& request = arguments->request;
  command->add_option("NAME", request.name, "Its name, for example ci")
      ->required()
      ->check(ReadableBy(auth::CheckTokenName))
      ->type_name("");
  command->add_option("--scope", request.scope, "The scope: read, publish or admin")
      ->required()
      ->type_name("SCOPE")
      ->check(CLI::IsMember({"read", "publish", "admin"}), "scope");
  command
      ->add_option("--namespace", request.namespaces,
                   "Only these namespaces, for example acme or team-*; repeatable")
      ->type_name("PATTERN")
      ->check(ReadableBy(auth::CheckNamespacePattern))
      ->allow_extra_args(false);
  command
      ->add_option("--expires", request.expires,
                   "How long it is valid, for example 12h, or never (90d)")
      ->type_name("DURATION")
      ->check(CheckLife, "duration");
  command
      ->add_option("--service", request.service,
                   "The service account it acts for (default: the account of your own token)")
      ->type_name("NAME");
  AddPlaceFlags(*command, arguments->place);
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kCreateFooter));
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return Create(*arguments, output); };
  });
}

void AddList(CLI::App& token, Invocation& invocation) {
  CLI::App* command = token.add_subcommand("list", "List the tokens, without their secrets");
  auto arguments = std::make_shared<TokenArguments>();
  AddPlaceFlags(*command, arguments->place);
  AddJsonFlag(*command, invocation);
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return List(*arguments, output); };
  });
}

void AddRotate(CLI::App& token, Invocation& invocation) {
  CLI::App* command =
      token.add_subcommand("rotate", "Replace a token's text; the old one stops working");
  auto arguments = std::make_shared<TokenArguments>();
  command->add_option("NAME", arguments->name, "The token's name")
      ->required()
      ->check(ReadableBy(auth::CheckTokenName))
      ->type_name("");
  command
      ->add_option("--expires", arguments->request.expires,
                   "How long it is valid from now (default: as long as when it was created)")
      ->type_name("DURATION")
      ->check(CheckDuration, "duration");
  AddPlaceFlags(*command, arguments->place);
  AddJsonFlag(*command, invocation);
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return Rotate(*arguments, output); };
  });
}

void AddRevoke(CLI::App& token, Invocation& invocation) {
  CLI::App* command = token.add_subcommand("revoke", "Revoke a token");
  auto arguments = std::make_shared<TokenArguments>();
  command->add_option("NAME", arguments->name, "The token's name")
      ->required()
      ->check(ReadableBy(auth::CheckTokenName))
      ->type_name("");
  AddPlaceFlags(*command, arguments->place);
  AddJsonFlag(*command, invocation);
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return Revoke(*arguments, output); };
  });
}

}  // namespace

void AddTokenCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* token =
      program.add_subcommand("token", "Create, list, rotate and revoke tokens (scope admin)");
  token->require_subcommand(1);
  AddCreate(*token, invocation);
  AddList(*token, invocation);
  AddRotate(*token, invocation);
  AddRevoke(*token, invocation);
}

}  // namespace koya::cli
