#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "catalog/sql/access/access_catalog.h"
#include "catalog/sql/engine/account_row.h"
#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/columns.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/engine/transaction.h"
#include "domain/audit_facts.h"
#include "domain/audit_record.h"
#include "domain/topic.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr auto kGroupColumns =
    Columns(Column<&GroupRecord::name>("name"), Column<&GroupRecord::created_at>("created_at"),
            Column<&GroupRecord::created_by>("created_by"));
constexpr auto kAddGroup =
    Sql("add_group", "INSERT INTO account_group (name_key, ", kNames<kGroupColumns>,
        ") VALUES (:name_key, ", kValues<kGroupColumns>, ") ON CONFLICT DO NOTHING");
constexpr auto kListGroups =
    Sql("list_groups", "SELECT ", kSelect<kGroupColumns>, " FROM account_group ORDER BY name_key");
// Its memberships go with it (ON DELETE CASCADE).
constexpr Statement kRemoveGroup{"remove_group",
                                 "DELETE FROM account_group WHERE name_key = :name_key"};
constexpr Statement kAddMember{"add_member",
                               "INSERT INTO group_member (group_key, account_id, source) "
                               "VALUES (:group_key, :account_id, :source) ON CONFLICT DO NOTHING"};
constexpr Statement kRemoveMember{
    "remove_member",
    "DELETE FROM group_member WHERE group_key = :group_key AND source = :source AND account_id = "
    "(SELECT id FROM account WHERE kind = :kind AND name_key = :name_key)"};
// A group without members has one row, without a member.
struct MemberColumns {
  std::optional<AccountKind> kind;
  std::string name, source;
};
constexpr auto kMemberColumns = Columns(ReadColumn<&MemberColumns::kind>("a.kind"),
                                        ReadColumn<&MemberColumns::name>("a.name").OrNull(),
                                        ReadColumn<&MemberColumns::source>("m.source").OrNull());
constexpr auto kListMembers =
    Sql("list_members", "SELECT ", kSelect<kMemberColumns>,
        " FROM account_group g LEFT JOIN group_member m ON m.group_key = g.name_key "
        "LEFT JOIN account a ON a.id = m.account_id WHERE g.name_key = :name_key "
        "ORDER BY CASE a.kind WHEN 'user' THEN 0 ELSE 1 END, a.name_key, m.source");

AuditedChange GroupChange(std::string_view action, const std::string& group) {
  return {.action = action, .target = "group:" + group};
}

Status AddGroup(Session& session, const Actor& by, const GroupRecord& group) {
  RETURN_IF_ERROR(CheckStorable("the group's name", group.name));
  RETURN_IF_ERROR(CheckStorable("the name of who adds the group", group.created_by));
  LockAccess(session);
  {
    Query query(session, kAddGroup);
    query.Use(AccountKey(group.name));
    if (UseRecord(query, kGroupColumns, group).Run() == 0) {
      return FailConflict(
          "there is already a group named \"{}\", in this or another letter "
          "case: choose another name",
          Printable(group.name));
    }
  }
  RecordChange(session, by, GroupChange("group.create", group.name));
  AppendChange(session, std::string(kAccessTopic));
  return {};
}

Result<std::vector<GroupRecord>> ListGroups(Session& session) {
  Query query(session, kListGroups);
  return ReadRecords(query, kGroupColumns);
}

Result<Grantee> FindMember(Session& session, const MemberRecord& member) {
  return FindNamedGrantee(session, GranteeKindOf(member.kind), member.name);
}

Status AddMember(Session& session, const Actor& by, const std::string& group,
                 const MemberRecord& member) {
  RETURN_IF_ERROR(CheckStorable("the source of the membership", member.source));
  LockAccess(session);
  ASSIGN_OR_RETURN(Grantee into, FindNamedGrantee(session, GranteeKind::kGroup, group));
  ASSIGN_OR_RETURN(Grantee who, FindMember(session, member));
  {
    Query query(session, kAddMember);
    if (query.Use(into.key).Use(who.key).Use(member.source).Run() == 0) return {};
  }
  RecordChange(session, by, MemberAdded(into.name, {member.kind, who.name, member.source}));
  AppendChange(session, std::string(kAccessTopic));
  return {};
}

// Returns whether it was there.
bool DeleteMember(Session& session, const std::string& group_key, const MemberRecord& member) {
  if (!IsStorable(member.name) || !IsStorable(member.source)) return false;
  Query query(session, kRemoveMember);
  query.Use(group_key).Use(member.source);
  return query.Use(AccountKindName(member.kind)).Use(AccountKey(member.name)).Run() != 0;
}

Status RemoveMember(Session& session, const Actor& by, const std::string& group,
                    const MemberRecord& member) {
  LockAccess(session);
  ASSIGN_OR_RETURN(Grantee from, FindNamedGrantee(session, GranteeKind::kGroup, group));
  if (!DeleteMember(session, from.key, member)) {
    return FailNotFound(
        "the group \"{}\" has no such member \"{}\": list its members to see "
        "them and the source of their membership",
        Printable(group), Printable(member.name));
  }
  ASSIGN_OR_RETURN(Grantee who, FindMember(session, member));
  RecordChange(session, by, MemberRemoved(from.name, {member.kind, who.name, member.source}));
  AppendChange(session, std::string(kAccessTopic));
  return {};
}

Result<std::vector<MemberRecord>> ListMembers(Session& session, const std::string& group) {
  if (!IsStorable(group)) return NoGroup(group);
  Query query(session, kListMembers);
  query.Use(AccountKey(group));
  ASSIGN_OR_RETURN(std::vector<MemberColumns> rows, ReadRecords(query, kMemberColumns));
  if (rows.empty()) return NoGroup(group);
  std::vector<MemberRecord> members;
  for (MemberColumns& row : rows) {
    if (row.kind) members.push_back({*row.kind, std::move(row.name), std::move(row.source)});
  }
  return members;
}

// By name, each once, regardless of its sources.
std::vector<std::string> NamesOf(const std::vector<MemberRecord>& members) {
  std::vector<std::string> names;
  for (const MemberRecord& member : members) {
    std::string name = fmt::format("{}:{}", AccountKindName(member.kind), member.name);
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  return names;
}

Status RemoveGroup(Session& session, const Actor& by, const std::string& name) {
  LockAccess(session);
  ASSIGN_OR_RETURN(Grantee group, FindNamedGrantee(session, GranteeKind::kGroup, name));
  ASSIGN_OR_RETURN(std::vector<MemberRecord> members, ListMembers(session, group.name));
  const std::vector<std::string> roles = RemoveGrantsOf(session, GranteeKind::kGroup, group.key);
  Query(session, kRemoveGroup).Use(group.key).Run();
  AuditedChange change = GroupChange("group.delete", group.name);
  AuditFacts facts;
  if (!members.empty()) facts.Add("members", NamesOf(members));
  if (!roles.empty()) facts.Add("roles", roles);
  if (!members.empty() || !roles.empty()) change.before = facts.ToJson();
  RecordChange(session, by, change);
  AppendChange(session, std::string(kAccessTopic));
  return {};
}

std::string MemberFacts(const MemberRecord& member) {
  AuditFacts facts;
  facts.Add("member", fmt::format("{}:{}", AccountKindName(member.kind), member.name));
  if (!member.source.empty()) facts.Add("idp", member.source);
  return facts.ToJson();
}

}  // namespace

AuditedChange MemberAdded(std::string_view group, const MemberRecord& member) {
  return {.action = "group.add",
          .target = fmt::format("group:{}", group),
          .ns = {},
          .before = {},
          .after = MemberFacts(member)};
}

AuditedChange MemberRemoved(std::string_view group, const MemberRecord& member) {
  return {.action = "group.remove",
          .target = fmt::format("group:{}", group),
          .ns = {},
          .before = MemberFacts(member),
          .after = {}};
}

}  // namespace koya::sql

namespace koya {

Task<void> AccountCatalog::AddGroup(Actor by, GroupRecord group) {
  return transactions_.Write(&sql::AddGroup, std::move(by), std::move(group));
}

Task<void> AccountCatalog::RemoveGroup(Actor by, std::string name) {
  return transactions_.Write(&sql::RemoveGroup, std::move(by), std::move(name));
}

Task<std::vector<GroupRecord>> AccountCatalog::ListGroups() {
  return transactions_.Read(&sql::ListGroups);
}

Task<void> AccountCatalog::AddMember(Actor by, std::string group, MemberRecord member) {
  return transactions_.Write(&sql::AddMember, std::move(by), std::move(group), std::move(member));
}

Task<void> AccountCatalog::RemoveMember(Actor by, std::string group, MemberRecord member) {
  return transactions_.Write(&sql::RemoveMember, std::move(by), std::move(group),
                             std::move(member));
}

Task<std::vector<MemberRecord>> AccountCatalog::ListMembers(std::string group) {
  return transactions_.Read(&sql::ListMembers, std::move(group));
}

}  // namespace koya
