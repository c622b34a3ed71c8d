// Export of the audit log as one file of any length.
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

// A response with all matching entries, one per line, newest first, which reads the log while it is
// sent. REQUIRES: `by` may list it (service::Audit::CheckMayList).
http::Response AuditExport(Services& services, auth::Principal by, AuditFilter filter,
                           AuditFormat format);

}  // namespace koya::api
