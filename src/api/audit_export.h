// The audit log as one file, however long it is.
#pragma once

#include "api/call.h"
#include "domain/audit_record.h"

namespace koya::api {

enum class AuditFormat { kJsonLines, kCsv };

// All that matches, one entry a line, newest first; read as it is sent. REQUIRES: `by` may list it
// (service::Audit::CheckMayList).
http::Response AuditExport(Services& services, auth::Principal by, AuditFilter filter,
                           AuditFormat format);

}  // namespace koya::api
