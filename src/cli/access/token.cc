// koya token create | list | rotate | revoke

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "auth/principal.h"
#include "base/clock.h"
#include "cli/noun.h"
#include "cli/program.h"
#include "cli/text/readable.h"
#include "wire/command_results.h"
#include "wire/tokens.h"

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
  std::string filter;  // "": all
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
  std::string text = fmt::format("{} {}", token.account_kind, token.account);
  if (!token.account_created_by.empty()) {
    text += fmt::format(" (created by {})", token.account_created_by);
  }
  return text;
}

// `what` was done with it.
Result<int> PrintText(std::string_view what, const Result<wire::Token>& token, Output& output) {
  if (!token) return std::unexpected(token.error());
  output.Note(
      fmt::format("koya: {} the token \"{}\": scope {}, namespaces {}, expires {}; it is "
                  "not shown again",
                  what, token->name, token->scope, Namespaces(*token),
                  token->expires.empty() ? "never" : token->expires));
  return PrintDone({}, token->token, wire::Encode(*token), output);
}

Result<int> CreateToken(const TokenArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::OpenOrBegin(arguments.place, output));
  ApiClient api(place.connection());
  return PrintText("created", api.Send(At(wire::kCreateToken), arguments.request), output);
}

// All tokens that the caller may see, or those of a filter, a hundred at once.
Result<wire::TokenList> FetchTokens(ApiClient& api, const std::string& filter) {
  if (filter.empty()) return api.Send(At(wire::kListTokens));
  constexpr std::size_t kAtOnce = 100;
  wire::TokenList all;
  for (bool more = true; more;) {
    ASSIGN_OR_RETURN(wire::TokenList part,
                     api.Send(At(wire::kListTokens)
                                  .With("filter", filter)
                                  .With("limit", std::to_string(kAtOnce))
                                  .With("offset", std::to_string(all.items.size()))));
    more = part.items.size() == kAtOnce;
    std::ranges::move(part.items, std::back_inserter(all.items));
  }
  return all;
}

Result<int> ListTokens(ApiClient& api, const TokenArguments& arguments, Output& output) {
  return PrintList(FetchTokens(api, arguments.filter),
                   {{"NAME", &wire::Token::name},
                    {"SCOPE", &wire::Token::scope},
                    {"NAMESPACES", Namespaces},
                    {"ACTS FOR", Account},
                    {"EXPIRES", &wire::Token::expires, "never"},
                    {"LAST USED", &wire::Token::last_used, "never"},
                    {"FROM", &wire::Token::last_used_from, "-"},
                    {"CREATED BY", &wire::Token::created_by, "-"}},
                   "koya: no tokens", output);
}

Result<int> RotateToken(ApiClient& api, const TokenArguments& arguments, Output& output) {
  const wire::TokenRequest& request = arguments.request;
  return PrintText("rotated", api.Send(At(wire::kRotateToken, request.name), {request.expires}),
                   output);
}

Result<int> RevokeToken(ApiClient& api, const TokenArguments& arguments, Output& output) {
  const std::string& name = arguments.request.name;
  return PrintDone(api.Send(At(wire::kRevokeToken, name)),
                   fmt::format("Revoked the token \"{}\"", name),
                   wire::EncodeDone("revoked", {{"name", name}}), output);
}

std::string CheckDuration(const std::string& text) {
  if (ParseDuration(text)) return {};
  return fmt::format(
      "\"{}\" is not a duration: use a whole number and s, m, h or d, for example 90d", text);
}

std::string CheckLife(const std::string& text) {
  return text == wire::kNeverExpires ? std::string() : CheckDuration(text);
}

void DeclareTokenName(CLI::App& command, const std::string& about, TokenArguments& arguments) {
  command.add_option("NAME", arguments.request.name, about)
      ->required()
      ->check(ReadableBy(auth::CheckTokenName))
      ->type_name("");
}

void DeclareNewToken(CLI::App& command, TokenArguments& arguments) {
  wire::TokenRequest& request = arguments.request;
  DeclareTokenName(command, "Its name, for example ci", arguments);
  command.add_option("--scope", request.scope, "The scope: read, publish or admin")
      ->required()
      ->type_name("SCOPE")
      ->check(CLI::IsMember({"read", "publish", "admin"}), "scope");
  command
      .add_option("--namespace", request.namespaces,
                  "Only these namespaces, for example acme or team-*; repeatable")
      ->type_name("PATTERN")
      ->check(ReadableBy(auth::CheckNamespacePattern))
      ->allow_extra_args(false);
  command
      .add_option("--expires", request.expires,
                  "How long it is valid, for example 12h, or never (90d)")
      ->type_name("DURATION")
      ->check(CheckLife, "duration");
  command
      .add_option("--service", request.service,
                  "The service account it acts for (default: the account of your own token)")
      ->type_name("NAME");
  command.footer(std::string(kCreateFooter));
}

void DeclareFilter(CLI::App& command, TokenArguments& arguments) {
  command
      .add_option("--filter", arguments.filter,
                  "Only tokens that never expire, are unused for 90 days, or end within 14 days")
      ->type_name("FILTER")
      ->check(CLI::IsMember({"never_expires", "unused", "ends_soon"}), "filter");
}

void DeclareRotation(CLI::App& command, TokenArguments& arguments) {
  DeclareTokenName(command, "The token's name", arguments);
  command
      .add_option("--expires", arguments.request.expires,
                  "How long it is valid from now (default: as long as when it was created)")
      ->type_name("DURATION")
      ->check(CheckDuration, "duration");
}

void DeclareToken(CLI::App& command, TokenArguments& arguments) {
  DeclareTokenName(command, "The token's name", arguments);
}

}  // namespace

void AddTokenCommand(CLI::App& program, Invocation& invocation) {
  AddNoun<TokenArguments>(program, invocation, "token",
                          "Create, list, rotate and revoke tokens (scope admin)", "",
                          {{"create", "Create a token and print it", CreateToken, DeclareNewToken},
                           {"list", "List the tokens, without their secrets", AtPlace<ListTokens>,
                            nullptr, DeclareFilter},
                           {"rotate", "Replace a token's text; the old one stops working",
                            AtPlace<RotateToken>, DeclareRotation},
                           {"revoke", "Revoke a token", AtPlace<RevokeToken>, DeclareToken}});
}

}  // namespace koya::cli
