// Makes the audit log's entries on the membership of groups.
#pragma once

#include <string_view>

#include "catalog/sql/engine/audit_log.h"
#include "domain/account_record.h"

namespace koya::sql {

AuditedChange MemberAdded(std::string_view group, const MemberRecord& member);
AuditedChange MemberRemoved(std::string_view group, const MemberRecord& member);

}  // namespace koya::sql
