// koya idp add | list | test | remove

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/api/access_client.h"
#include "cli/api/place.h"
#include "cli/password_input.h"
#include "cli/program.h"
#include "cli/text/readable.h"
#include "wire/command_results.h"

namespace koya::cli {
namespace {

constexpr std::string_view kIdpFooter =
    R"(OpenID Connect providers for signing in, besides passwords. "add" prints the redirect URL to
register at the provider. Groups match those of the same name here, unless they are mapped.

Examples:
  koya idp add corp --issuer https://id.example.com/realms/corp --client-id koya --client-secret-stdin
  koya idp add corp --issuer https://id.example.com --client-id koya --groups-claim groups \
    --map /platform-team=platform
  koya idp test corp)";

struct IdpArguments {
  wire::IdentityProvider provider;
  std::vector<std::string> maps;
  bool secret_from_stdin = false;
  PlaceFlags place;
};

// The last "=": names of ours have none.
Result<wire::MappedGroup> ReadGroupMap(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    return FailInvalid(
        "\"{}\" is not THEIRS=OURS: name a group of the "
        "provider, and one of \"koya group list\"",
        Printable(text, 80));
  }
  return wire::MappedGroup{text.substr(0, equals), text.substr(equals + 1)};
}

Result<int> AddIdp(const IdpArguments& arguments, Output& output) {
  wire::IdentityProvider provider = arguments.provider;
  for (const std::string& text : arguments.maps) {
    ASSIGN_OR_RETURN(wire::MappedGroup mapped, ReadGroupMap(text));
    provider.groups.push_back(std::move(mapped));
  }
  if (arguments.secret_from_stdin) {
    ASSIGN_OR_RETURN(provider.client_secret, ReadSecret(output.shell(), "the client's secret"));
  }
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  ASSIGN_OR_RETURN(wire::IdentityProvider added,
                   IdentityClient(place.connection()).AddProvider(provider));
  output.Print(fmt::format("Added the sign-in provider \"{}\"", added.name));
  output.Print("  redirect URL  " + added.callback);
  output.Print(
      fmt::format("Register that URL at the provider, then: koya idp test {}", added.name));
  output.PrintDocument(wire::Encode(added));
  return 0;
}

Result<int> ListIdps(const IdpArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  ASSIGN_OR_RETURN(std::vector<wire::IdentityProvider> providers,
                   IdentityClient(place.connection()).ListProviders());
  std::vector<std::vector<std::string>> rows;
  for (const wire::IdentityProvider& each : providers) {
    rows.push_back({each.name, each.issuer, each.client_id,
                    each.groups_claim.empty() ? "-" : each.groups_claim, each.callback});
  }
  if (rows.empty()) {
    output.Note("koya: no sign-in providers: users sign in with passwords");
  } else {
    output.PrintTable({"NAME", "ISSUER", "CLIENT", "GROUPS", "REDIRECT URL"}, rows);
  }
  output.PrintDocument(wire::EncodeIdentityProviderList(providers));
  return 0;
}

Result<int> TestIdp(const IdpArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  ASSIGN_OR_RETURN(wire::IdentityProviderReport report,
                   IdentityClient(place.connection()).TestProvider(arguments.provider.name));
  for (const wire::IdentityProviderFinding& each : report.findings) {
    output.Print(fmt::format("{} {}", each.good ? "ok   " : "wrong", Printable(each.text, 2000)));
  }
  output.PrintDocument(wire::Encode(report));
  return report.ok ? 0 : 1;
}

Result<int> RemoveIdp(const IdpArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  RETURN_IF_ERROR(IdentityClient(place.connection()).RemoveProvider(arguments.provider.name));
  output.Print(fmt::format("Removed the sign-in provider \"{}\"", arguments.provider.name));
  output.PrintDocument(wire::EncodeRemoved("name", arguments.provider.name));
  return 0;
}

struct IdpVerb {
  std::string name;
  std::string about;
  Result<int> (*action)(const IdpArguments&, Output&);
  bool takes_name = true;
};

CLI::App* AddIdpVerb(CLI::App& idp, Invocation& invocation, const IdpVerb& verb,
                     const std::shared_ptr<IdpArguments>& arguments) {
  CLI::App* command = idp.add_subcommand(verb.name, verb.about);
  if (verb.takes_name) {
    command->add_option("NAME", arguments->provider.name, "Its name here")
        ->required()
        ->type_name("");
  }
  AddPlaceFlags(*command, arguments->place);
  AddJsonFlag(*command, invocation);
  command->callback([arguments, action = verb.action, &invocation] {
    invocation.action = [arguments, action](Output& output) { return action(*arguments, output); };
  });
  return command;
}

void AddIdpFlags(CLI::App& add, const std::shared_ptr<IdpArguments>& arguments) {
  wire::IdentityProvider& provider = arguments->provider;
  add.add_option("--issuer", provider.issuer, "The issuer, exactly as the provider spells it")
      ->required()
      ->type_name("URL");
  add.add_option("--client-id", provider.client_id, "This server's client ID at the provider")
      ->required()
      ->type_name("ID");
  add.add_flag("--client-secret-stdin", arguments->secret_from_stdin,
               "Read the client's secret from standard input; without it, the client is public");
  add.add_option("--groups-claim", provider.groups_claim,
                 "The claim with a user's groups, for example \"groups\"")
      ->type_name("CLAIM");
  add.add_option("--map", arguments->maps, "A group there and the group here; repeatable")
      ->type_name("THEIRS=OURS")
      ->check(ReadableBy(ReadGroupMap));
}

}  // namespace

void AddIdpCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* idp = program.add_subcommand("idp", "Manage sign-in providers (administrators)");
  idp->require_subcommand(1);
  auto added = std::make_shared<IdpArguments>();
  AddIdpFlags(*AddIdpVerb(*idp, invocation, {"add", "Add a sign-in provider", AddIdp}, added),
              added);
  const IdpVerb others[] = {
      {"list", "List the sign-in providers", ListIdps, false},
      {"test", "Test a sign-in provider", TestIdp},
      {"remove", "Remove a sign-in provider; its users stay", RemoveIdp},
  };
  for (const IdpVerb& verb : others) {
    AddIdpVerb(*idp, invocation, verb, std::make_shared<IdpArguments>());
  }
  // Set last: commands that are added inherit it otherwise.
  idp->footer(std::string(kIdpFooter));
}

}  // namespace koya::cli
