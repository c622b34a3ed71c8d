// What the audit log says of who is in a group.
#pragma once

#include <string_view>

#include "catalog/sql/audit_log.h"
#include "domain/account_record.h"

namespace koya::sql {

AuditedChange MemberAdded(std::string_view group, const MemberRecord& member);
AuditedChange MemberRemoved(std::string_view group, const MemberRecord& member);

}  // namespace koya::sql
