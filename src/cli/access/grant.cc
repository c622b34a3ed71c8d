// koya grant add | list | remove

#include <fmt/format.h>

#include <string>

#include "cli/noun.h"
#include "cli/program.h"
#include "cli/text/named_arguments.h"
#include "cli/text/readable.h"
#include "domain/name_rules.h"
#include "wire/command_results.h"
#include "wire/namespaces.h"

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

// The endpoint for the kind of grantee, with the namespace and the grantee's name.
template <class Endpoint>
auto AtGrantee(const GrantArguments& arguments, const Endpoint& user, const Endpoint& group,
               const Endpoint& service) {
  const GranteeKind kind = arguments.grantee.kind();
  return At(kind == GranteeKind::kUser    ? user
            : kind == GranteeKind::kGroup ? group
                                          : service,
            arguments.ns, arguments.grantee.name());
}

Result<int> AddGrant(ApiClient& api, const GrantArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(
      wire::Grant grant,
      api.Send(AtGrantee(arguments, wire::kGrantToUser, wire::kGrantToGroup, wire::kGrantToService),
               {arguments.role}));
  return PrintDone({},
                   fmt::format("The {} \"{}\" has the role {} in {}", GranteeNoun(grant.kind),
                               grant.name, grant.role, arguments.ns),
                   wire::Encode(grant), output);
}

Result<int> ListGrants(ApiClient& api, const GrantArguments& arguments, Output& output) {
  return PrintList(api.Send(At(wire::kListGrants, arguments.ns)),
                   {{"KIND", &wire::Grant::kind},
                    {"NAME", &wire::Grant::name},
                    {"ROLE", &wire::Grant::role},
                    {"GRANTED", &wire::Grant::granted},
                    {"GRANTED BY", &wire::Grant::granted_by, "-"}},
                   fmt::format("koya: no roles are granted in {}", arguments.ns), output);
}

Result<int> RemoveGrant(ApiClient& api, const GrantArguments& arguments, Output& output) {
  const std::string_view kind = GranteeKindName(arguments.grantee.kind());
  const std::string& name = arguments.grantee.name();
  return PrintDone(
      api.Send(AtGrantee(arguments, wire::kRemoveGrantOfUser, wire::kRemoveGrantOfGroup,
                         wire::kRemoveGrantOfService)),
      fmt::format("Removed the role of the {} \"{}\" in {}", GranteeNoun(kind), name, arguments.ns),
      wire::EncodeDone("removed", {{"namespace", arguments.ns}, {"kind", kind}, {"name", name}}),
      output);
}

void DeclareGrantedNamespace(CLI::App& command, GrantArguments& arguments) {
  command.add_option("NAMESPACE", arguments.ns, "The namespace, for example acme")
      ->required()
      ->check(ReadableBy(ParseNamespaceName))
      ->type_name("");
}

void DeclareGrantee(CLI::App& command, GrantArguments& arguments) {
  DeclareGrantedNamespace(command, arguments);
  AddGranteeFlags(command, arguments.grantee);
}

void DeclareGrant(CLI::App& command, GrantArguments& arguments) {
  DeclareGrantedNamespace(command, arguments);
  command.add_option("ROLE", arguments.role, "reader, publisher or owner")
      ->required()
      ->check(CLI::IsMember({"reader", "publisher", "owner"}), "role")
      ->type_name("");
  AddGranteeFlags(command, arguments.grantee);
}

void RequireGrantee(const GrantArguments& arguments) {
  RequireOne(arguments.grantee, "--user, --group or --service");
}

}  // namespace

void AddGrantCommand(CLI::App& program, Invocation& invocation) {
  AddNoun<GrantArguments>(
      program, invocation, "grant",
      "Grant and remove roles in a namespace (owners and administrators)", kGrantFooter,
      {{"add", "Grant a role in a namespace", AtPlace<AddGrant>, DeclareGrant, nullptr,
        RequireGrantee},
       {"list", "List the roles in a namespace", AtPlace<ListGrants>, DeclareGrantedNamespace},
       {"remove", "Remove a role in a namespace", AtPlace<RemoveGrant>, DeclareGrantee, nullptr,
        RequireGrantee}});
}

}  // namespace koya::cli
