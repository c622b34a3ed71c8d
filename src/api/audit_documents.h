// The audit log between the wire and the service.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "domain/audit_record.h"
#include "service/audit.h"
#include "wire/audit.h"

namespace koya::api {

wire::AuditEntry ToWire(const AuditRecord& record);
wire::AuditReport ToWire(const service::AuditReport& report);

// What the query part of a request asks for: actor, action, target, namespace, address, token,
// kind, since and until (a time, a day, or a duration up to now), below. Fails: kInvalid.
Result<AuditFilter> ReadAuditFilter(std::string_view query, UnixSeconds now);

// "SEQUENCE:HASH", as a verification tells them. Fails: kInvalid.
Result<std::optional<AuditAnchor>> ReadExpectedLink(const std::optional<std::string>& text);

}  // namespace koya::api
