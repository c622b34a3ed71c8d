#include "catalog/sql/access/group_change.h"

#include <fmt/format.h>

#include "domain/audit_facts.h"

namespace koya::sql {
namespace {

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
