// koya idp add | list | test | disable | remove

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/noun.h"
#include "cli/password_input.h"
#include "cli/program.h"
#include "cli/text/readable.h"
#include "wire/command_results.h"
#include "wire/identity.h"

namespace koya::cli {
namespace {

constexpr std::string_view kIdpFooter =
    R"(OpenID Connect providers for signing in, besides passwords. "add" prints the redirect URL to
register at the provider. A new provider is disabled until "koya idp test" succeeds. Groups match those of the same name here, unless they are mapped.

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
                   ApiClient(place.connection()).Send(At(wire::kAddIdentityProvider), provider));
  output.Print(fmt::format("Added the sign-in provider \"{}\"", added.name));
  output.Print("  redirect URL  " + added.callback);
  return PrintDone(
      {},
      fmt::format("Register that URL at the provider, then enable it: koya idp test {}",
                  added.name),
      wire::Encode(added), output);
}

Result<int> ListIdps(ApiClient& api, const IdpArguments&, Output& output) {
  return PrintList(api.Send(At(wire::kListIdentityProviders)),
                   {{"NAME", &wire::IdentityProvider::name},
                    {"ISSUER", &wire::IdentityProvider::issuer},
                    {"CLIENT", &wire::IdentityProvider::client_id},
                    {"STATE",
                     [](const wire::IdentityProvider& provider) -> std::string {
                       return provider.enabled ? "enabled" : "disabled";
                     }},
                    {"GROUPS", &wire::IdentityProvider::groups_claim, "-"},
                    {"REDIRECT URL", &wire::IdentityProvider::callback}},
                   "koya: no sign-in providers: users sign in with passwords", output);
}

Result<int> TestIdp(ApiClient& api, const IdpArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(wire::IdentityProviderReport report,
                   api.Send(At(wire::kTestIdentityProvider, arguments.provider.name)));
  for (const wire::IdentityProviderFinding& each : report.findings) {
    output.Print(fmt::format("{} {}", each.good ? "ok   " : "wrong", Printable(each.text, 2000)));
  }
  const std::string& name = arguments.provider.name;
  if (report.ok && report.enabled) {
    output.Print(fmt::format("The sign-in provider \"{}\" is enabled", name));
  } else if (!report.enabled) {
    output.Print(fmt::format("The sign-in provider \"{}\" stays disabled", name));
  }
  output.PrintDocument(wire::Encode(report));
  return report.ok ? 0 : 1;
}

Result<int> DisableIdp(ApiClient& api, const IdpArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(wire::IdentityProvider provider,
                   api.Send(At(wire::kDisableIdentityProvider, arguments.provider.name)));
  return PrintDone({},
                   fmt::format("Disabled the sign-in provider \"{}\"; sessions that exist continue",
                               provider.name),
                   wire::Encode(provider), output);
}

Result<int> RemoveIdp(ApiClient& api, const IdpArguments& arguments, Output& output) {
  const std::string& name = arguments.provider.name;
  return PrintDone(api.Send(At(wire::kRemoveIdentityProvider, name)),
                   fmt::format("Removed the sign-in provider \"{}\"", name),
                   wire::EncodeDone("removed", {{"name", name}}), output);
}

void DeclareIdp(CLI::App& command, IdpArguments& arguments) {
  command.add_option("NAME", arguments.provider.name, "Its name here")->required()->type_name("");
}

void DeclareIdpFlags(CLI::App& add, IdpArguments& arguments) {
  wire::IdentityProvider& provider = arguments.provider;
  add.add_option("--issuer", provider.issuer, "The issuer, exactly as the provider spells it")
      ->required()
      ->type_name("URL");
  add.add_option("--client-id", provider.client_id, "This server's client ID at the provider")
      ->required()
      ->type_name("ID");
  add.add_flag("--client-secret-stdin", arguments.secret_from_stdin,
               "Read the client's secret from standard input; without it, the client is public");
  add.add_option("--groups-claim", provider.groups_claim,
                 "The claim with a user's groups, for example \"groups\"")
      ->type_name("CLAIM");
  add.add_option("--map", arguments.maps, "A group there and the group here; repeatable")
      ->type_name("THEIRS=OURS")
      ->check(ReadableBy(ReadGroupMap));
}

}  // namespace

void AddIdpCommand(CLI::App& program, Invocation& invocation) {
  AddNoun<IdpArguments>(
      program, invocation, "idp", "Manage sign-in providers (administrators)", kIdpFooter,
      {{"add", "Add a sign-in provider", AddIdp, DeclareIdp, DeclareIdpFlags},
       {"list", "List the sign-in providers", AtPlace<ListIdps>},
       {"test", "Test a sign-in provider, and enable it if it is good", AtPlace<TestIdp>,
        DeclareIdp},
       {"disable", "Disable a sign-in provider until its next test", AtPlace<DisableIdp>,
        DeclareIdp},
       {"remove", "Remove a sign-in provider; its users stay", AtPlace<RemoveIdp>, DeclareIdp}});
}

}  // namespace koya::cli
