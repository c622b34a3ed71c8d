// koya group create | list | delete | add | remove | members

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

wire::Membership MemberOf(const GroupArguments& arguments) {
  return {.kind = std::string(AccountKindName(arguments.member.account_kind())),
          .name = arguments.member.name()};
}

Result<int> CreateGroup(const GroupArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  ASSIGN_OR_RETURN(wire::Group group,
                   AccessClient(place.connection()).CreateGroup(arguments.group));
  output.Print(fmt::format("Created the group \"{}\"", group.name));
  output.PrintDocument(wire::Encode(group));
  return 0;
}

Result<int> ListGroups(const GroupArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  ASSIGN_OR_RETURN(std::vector<wire::Group> groups, AccessClient(place.connection()).ListGroups());
  std::vector<std::vector<std::string>> rows;
  for (const wire::Group& group : groups) {
    rows.push_back({group.name, group.created, group.created_by.empty() ? "-" : group.created_by});
  }
  if (rows.empty()) {
    output.Note("koya: no groups");
  } else {
    output.PrintTable({"NAME", "CREATED", "CREATED BY"}, rows);
  }
  output.PrintDocument(wire::EncodeGroupList(groups));
  return 0;
}

Result<int> DeleteGroup(const GroupArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  RETURN_IF_ERROR(AccessClient(place.connection()).DeleteGroup(arguments.group));
  output.Print(fmt::format("Deleted the group \"{}\"", arguments.group));
  output.PrintDocument(wire::EncodeDeletedAccount("group", arguments.group));
  return 0;
}

Result<int> AddMember(const GroupArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  const GranteeFlags& member = arguments.member;
  RETURN_IF_ERROR(AccessClient(place.connection())
                      .AddMember(arguments.group, member.account_kind(), member.name()));
  output.Print(fmt::format("\"{}\" is in the group \"{}\"", member.name(), arguments.group));
  output.PrintDocument(wire::EncodeAddedMember(arguments.group, MemberOf(arguments)));
  return 0;
}

Result<int> RemoveMember(const GroupArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  const GranteeFlags& member = arguments.member;
  RETURN_IF_ERROR(AccessClient(place.connection())
                      .RemoveMember(arguments.group, member.account_kind(), member.name()));
  output.Print(fmt::format("Took \"{}\" out of the group \"{}\"", member.name(), arguments.group));
  output.PrintDocument(wire::EncodeRemovedMember(arguments.group, MemberOf(arguments)));
  return 0;
}

Result<int> ListMembers(const GroupArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  ASSIGN_OR_RETURN(std::vector<wire::GroupMember> members,
                   AccessClient(place.connection()).ListMembers(arguments.group));
  std::vector<std::vector<std::string>> rows;
  for (const wire::GroupMember& member : members) {
    rows.push_back(
        {member.kind, member.name, member.source.empty() ? "an administrator" : member.source});
  }
  if (rows.empty()) {
    output.Note(fmt::format("koya: the group \"{}\" has no members", arguments.group));
  } else {
    output.PrintTable({"KIND", "NAME", "ADDED BY"}, rows);
  }
  output.PrintDocument(wire::EncodeMemberList(members));
  return 0;
}

// One subcommand as all have it.
struct GroupVerb {
  std::string name;
  std::string about;
  Result<int> (*action)(const GroupArguments&, Output&);
  enum class Takes { kNothing, kGroup, kMember } takes = Takes::kGroup;
};

void AddGroupVerb(CLI::App& parent, Invocation& invocation, const GroupVerb& verb) {
  CLI::App* command = parent.add_subcommand(verb.name, verb.about);
  auto arguments = std::make_shared<GroupArguments>();
  const bool takes_member = verb.takes == GroupVerb::Takes::kMember;
  if (verb.takes != GroupVerb::Takes::kNothing) {
    command->add_option(takes_member ? "GROUP" : "NAME", arguments->group, "The group's name")
        ->required()
        ->check(ReadableBy(CheckGroupName))
        ->type_name("");
  }
  if (takes_member) AddMemberFlags(*command, arguments->member);
  AddPlaceFlags(*command, arguments->place);
  AddJsonFlag(*command, invocation);
  command->callback([arguments, action = verb.action, takes_member, &invocation] {
    if (takes_member) RequireOne(arguments->member, "--user or --service");
    invocation.action = [arguments, action](Output& output) { return action(*arguments, output); };
  });
}

}  // namespace

void AddGroupCommand(CLI::App& program, Invocation& invocation) {
  using enum GroupVerb::Takes;
  const std::vector<GroupVerb> kVerbs = {
      {"create", "Create a group", CreateGroup},
      {"list", "List the groups", ListGroups, kNothing},
      {"delete", "Delete a group, with its grants; its members stay", DeleteGroup},
      {"add", "Add a member to a group", AddMember, kMember},
      {"remove", "Remove a member from a group", RemoveMember, kMember},
      {"members", "List the members of a group", ListMembers},
  };
  CLI::App* group =
      program.add_subcommand("group", "Manage groups and their members (administrators)");
  group->require_subcommand(1);
  for (const GroupVerb& verb : kVerbs) AddGroupVerb(*group, invocation, verb);
  // Set last: commands that are added inherit it otherwise.
  group->footer(std::string(kGroupFooter));
}

}  // namespace koya::cli
