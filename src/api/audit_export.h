// The audit log as one file, however long it is.
#pragma once

namespace koya {
struct AuditFilter;
}
namespace koya::auth {
struct Principal;
}
namespace koya::http {
struct Response;
}

namespace koya::api {

struct Services;

enum class AuditFormat { kJsonLines, kCsv };

// All that matches, one entry a line, newest first; read as it is sent. REQUIRES: `by` may list it
// (service::Audit::CheckMayList).
http::Response AuditExport(Services& services, auth::Principal by, AuditFilter filter,
                           AuditFormat format);

}  // namespace koya::api
