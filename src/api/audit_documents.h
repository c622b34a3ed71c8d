// The audit log between the wire and the service.
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
namespace koya::service {
struct AuditReport;
}

namespace koya::api {

struct Call;

wire::AuditEntry ToWire(const AuditRecord& record);
wire::AuditReport ToWire(const service::AuditReport& report);

// What the query part of a request asks for: actor, action, target, namespace, address, token,
// kind, since and until (a time, a day, or a duration up to now), below. Fails: kInvalid.
Result<AuditFilter> ReadAuditFilter(std::string_view query, UnixSeconds now);

// The number of an entry, or of a page; nullopt: it is none.
std::optional<std::int64_t> WholeNumber(std::string_view text);

// The whole log is gone through, and damage told to the server's log. `expected`: a link that must
// be in it, "SEQUENCE:HASH"; "": none. Fails: kInvalid: it is no link; as the service.
Task<service::AuditReport> VerifyAuditLog(Call& call, std::string expected);

// "SEQUENCE:HASH", as a verification tells them. Fails: kInvalid.
Result<std::optional<AuditAnchor>> ReadExpectedLink(const std::string& text);

}  // namespace koya::api
