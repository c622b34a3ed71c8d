// Conversions of the audit log between the wire and the service, and its export.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/task.h"
#include "wire/audit.h"

namespace koya {
struct AuditAnchor;
struct AuditFilter;
struct AuditRecord;
}  // namespace koya
namespace koya::auth {
struct Principal;
}
namespace koya::http {
struct Response;
}
namespace koya::service {
struct AuditReport;
}

namespace koya::api {

struct Call;
struct Services;

wire::AuditEntry ToWire(const AuditRecord& record);
wire::AuditReport ToWire(const service::AuditReport& report);

// Parses the filter in the query of a request: actor, action, target, namespace, address, token,
// kind, since and until (a time, a day, or a duration up to now), below. Fails: kInvalid.
Result<AuditFilter> ReadAuditFilter(std::string_view query, UnixSeconds now);

// The number of an entry or of a page; nullopt: `text` is not a whole number.
std::optional<std::int64_t> WholeNumber(std::string_view text);

// Verifies the whole log and logs damage to the server's log. `expected`: a link that the log must
// contain, "SEQUENCE:HASH"; "": none. Fails: kInvalid: `expected` is not a link; as the service.
Task<service::AuditReport> VerifyAuditLog(Call& call, std::string expected);

// Parses "SEQUENCE:HASH", the form in which a verification reports a link. Fails: kInvalid.
Result<std::optional<AuditAnchor>> ReadExpectedLink(const std::string& text);

// ---- export of the audit log as one file of any length

enum class AuditFormat { kJsonLines, kCsv };

// A response with all matching entries, one per line, newest first, which reads the log while it is
// sent. REQUIRES: `by` may list it (service::Audit::CheckMayList).
http::Response AuditExport(Services& services, auth::Principal by, AuditFilter filter,
                           AuditFormat format);

}  // namespace koya::api
