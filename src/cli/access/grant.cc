// koya grant add | list | remove

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/api/access_client.h"
#include "cli/api/place.h"
#include "cli/program.h"
#include "cli/text/named_arguments.h"
#include "cli/text/readable.h"
#include "domain/name_rules.h"
#include "wire/command_results.h"

namespace koya::cli {
namespace {

constexpr std::string_view kGrantFooter =
    R"(A reader may read; a publisher also publishes and deprecates; an owner also withdraws, and
manages keys, visibility and grants. If an account has several roles, the highest applies.

Examples:
  koya grant add acme owner --user ada@example.com
  koya grant add acme reader --group platform        replaces its current role
  koya grant list acme
  koya grant remove acme --service ci)";

struct GrantArguments {
  std::string ns;
  std::string role;
  GranteeFlags grantee;
  PlaceFlags place;
};

// For people.
std::string_view GranteeNoun(std::string_view kind) {
  return kind == GranteeKindName(GranteeKind::kService) ? "service account" : kind;
}

Result<int> AddGrant(const GrantArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  const GranteeFlags& grantee = arguments.grantee;
  ASSIGN_OR_RETURN(wire::Grant grant,
                   AccessClient(place.connection())
                       .PutGrant(arguments.ns, grantee.kind(), grantee.name(), arguments.role));
  output.Print(fmt::format("The {} \"{}\" has the role {} in {}", GranteeNoun(grant.kind),
                           grant.name, grant.role, arguments.ns));
  output.PrintDocument(wire::Encode(grant));
  return 0;
}

Result<int> ListGrants(const GrantArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  ASSIGN_OR_RETURN(std::vector<wire::Grant> grants,
                   AccessClient(place.connection()).ListGrants(arguments.ns));
  std::vector<std::vector<std::string>> rows;
  for (const wire::Grant& grant : grants) {
    rows.push_back({grant.kind, grant.name, grant.role, grant.granted,
                    grant.granted_by.empty() ? "-" : grant.granted_by});
  }
  if (rows.empty()) {
    output.Note(fmt::format("koya: no roles are granted in {}", arguments.ns));
  } else {
    output.PrintTable({"KIND", "NAME", "ROLE", "GRANTED", "GRANTED BY"}, rows);
  }
  output.PrintDocument(wire::EncodeGrantList(grants));
  return 0;
}

Result<int> RemoveGrant(const GrantArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  const GranteeFlags& grantee = arguments.grantee;
  RETURN_IF_ERROR(
      AccessClient(place.connection()).RemoveGrant(arguments.ns, grantee.kind(), grantee.name()));
  output.Print(fmt::format("Removed the role of the {} \"{}\" in {}",
                           GranteeNoun(GranteeKindName(grantee.kind())), grantee.name(),
                           arguments.ns));
  output.PrintDocument(wire::EncodeRemovedGrant(
      arguments.ns,
      {.kind = std::string(GranteeKindName(grantee.kind())), .name = grantee.name()}));
  return 0;
}

// One subcommand as all have it.
struct GrantVerb {
  std::string name;
  std::string about;
  Result<int> (*action)(const GrantArguments&, Output&);
  bool takes_role = false;
  bool takes_grantee = true;
};

void AddGrantVerb(CLI::App& parent, Invocation& invocation, const GrantVerb& verb) {
  CLI::App* command = parent.add_subcommand(verb.name, verb.about);
  auto arguments = std::make_shared<GrantArguments>();
  command->add_option("NAMESPACE", arguments->ns, "The namespace, for example acme")
      ->required()
      ->check(ReadableBy(ParseNamespaceName))
      ->type_name("");
  if (verb.takes_role) {
    command->add_option("ROLE", arguments->role, "reader, publisher or owner")
        ->required()
        ->check(CLI::IsMember({"reader", "publisher", "owner"}), "role")
        ->type_name("");
  }
  const bool takes_grantee = verb.takes_grantee;
  if (takes_grantee) AddGranteeFlags(*command, arguments->grantee);
  AddPlaceFlags(*command, arguments->place);
  AddJsonFlag(*command, invocation);
  command->callback([arguments, action = verb.action, takes_grantee, &invocation] {
    if (takes_grantee) RequireOne(arguments->grantee, "--user, --group or --service");
    invocation.action = [arguments, action](Output& output) { return action(*arguments, output); };
  });
}

}  // namespace

void AddGrantCommand(CLI::App& program, Invocation& invocation) {
  const std::vector<GrantVerb> kVerbs = {
      {"add", "Grant a role in a namespace", AddGrant, true},
      {"list", "List the roles in a namespace", ListGrants, false, false},
      {"remove", "Remove a role in a namespace", RemoveGrant},
  };
  CLI::App* grant = program.add_subcommand(
      "grant", "Grant and remove roles in a namespace (owners and administrators)");
  grant->require_subcommand(1);
  for (const GrantVerb& verb : kVerbs) AddGrantVerb(*grant, invocation, verb);
  // Set last: commands that are added inherit it otherwise.
  grant->footer(std::string(kGrantFooter));
}

}  // namespace koya::cli
