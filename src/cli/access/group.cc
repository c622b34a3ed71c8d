// koya group create | list | delete | add | remove | members

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "cli/noun.h"
#include "cli/program.h"
#include "cli/text/named_arguments.h"
#include "cli/text/readable.h"
#include "domain/name_rules.h"
#include "wire/accounts.h"
#include "wire/command_results.h"

namespace koya::cli {
namespace {

constexpr std::string_view kGroupFooter =
    R"(A role granted to a group applies to all its members. Members that a sign-in provider added to a
group are removed at that provider.

Examples:
  koya group create platform
  koya group add platform --user ada@example.com
  koya grant add acme owner --group platform
  koya group members platform)";

struct GroupArguments {
  std::string group;
  GranteeFlags member;
  PlaceFlags place;
};

Result<int> CreateGroup(ApiClient& api, const GroupArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(wire::Group group, api.Send(At(wire::kCreateGroup), {arguments.group}));
  return PrintDone({}, fmt::format("Created the group \"{}\"", group.name), wire::Encode(group),
                   output);
}

Result<int> ListGroups(ApiClient& api, const GroupArguments&, Output& output) {
  return PrintList(api.Send(At(wire::kListGroups)),
                   {{"NAME", &wire::Group::name},
                    {"CREATED", &wire::Group::created},
                    {"CREATED BY", &wire::Group::created_by, "-"}},
                   "koya: no groups", output);
}

Result<int> DeleteGroup(ApiClient& api, const GroupArguments& arguments, Output& output) {
  return PrintDone(api.Send(At(wire::kDeleteGroup, arguments.group)),
                   fmt::format("Deleted the group \"{}\"", arguments.group),
                   wire::EncodeDone("deleted", {{"kind", "group"}, {"name", arguments.group}}),
                   output);
}

// Changes who is in a group. `said`: to people.
Result<int> ChangeMember(ApiClient& api, const GroupArguments& arguments,
                         const wire::Endpoint<void, void, 2>& user,
                         const wire::Endpoint<void, void, 2>& service, std::string_view said,
                         std::string_view done, Output& output) {
  const GranteeFlags& member = arguments.member;
  const AccountKind kind = member.account_kind();
  return PrintDone(
      api.Send(At(kind == AccountKind::kUser ? user : service, arguments.group, member.name())),
      said,
      wire::EncodeDone(
          done,
          {{"group", arguments.group}, {"kind", AccountKindName(kind)}, {"name", member.name()}}),
      output);
}

Result<int> AddMember(ApiClient& api, const GroupArguments& arguments, Output& output) {
  return ChangeMember(
      api, arguments, wire::kAddUserToGroup, wire::kAddServiceToGroup,
      fmt::format("\"{}\" is in the group \"{}\"", arguments.member.name(), arguments.group),
      "added", output);
}

Result<int> RemoveMember(ApiClient& api, const GroupArguments& arguments, Output& output) {
  return ChangeMember(
      api, arguments, wire::kRemoveUserFromGroup, wire::kRemoveServiceFromGroup,
      fmt::format("Took \"{}\" out of the group \"{}\"", arguments.member.name(), arguments.group),
      "removed", output);
}

Result<int> ListMembers(ApiClient& api, const GroupArguments& arguments, Output& output) {
  return PrintList(api.Send(At(wire::kListMembers, arguments.group)),
                   {{"KIND", &wire::GroupMember::kind},
                    {"NAME", &wire::GroupMember::name},
                    {"ADDED BY", &wire::GroupMember::source, "an administrator"}},
                   fmt::format("koya: the group \"{}\" has no members", arguments.group), output);
}

void DeclareGroup(CLI::App& command, const std::string& heading, GroupArguments& arguments) {
  command.add_option(heading, arguments.group, "The group's name")
      ->required()
      ->check(ReadableBy(CheckGroupName))
      ->type_name("");
}

void DeclareGroupName(CLI::App& command, GroupArguments& arguments) {
  DeclareGroup(command, "NAME", arguments);
}

void DeclareMember(CLI::App& command, GroupArguments& arguments) {
  DeclareGroup(command, "GROUP", arguments);
  AddMemberFlags(command, arguments.member);
}

void RequireMember(const GroupArguments& arguments) {
  RequireOne(arguments.member, "--user or --service");
}

}  // namespace

void AddGroupCommand(CLI::App& program, Invocation& invocation) {
  AddNoun<GroupArguments>(
      program, invocation, "group", "Manage groups and their members (administrators)",
      kGroupFooter,
      {{"create", "Create a group", AtPlace<CreateGroup>, DeclareGroupName},
       {"list", "List the groups", AtPlace<ListGroups>},
       {"delete", "Delete a group, with its grants; its members stay", AtPlace<DeleteGroup>,
        DeclareGroupName},
       {"add", "Add a member to a group", AtPlace<AddMember>, DeclareMember, nullptr,
        RequireMember},
       {"remove", "Remove a member from a group", AtPlace<RemoveMember>, DeclareMember, nullptr,
        RequireMember},
       {"members", "List the members of a group", AtPlace<ListMembers>, DeclareGroupName}});
}

}  // namespace koya::cli
