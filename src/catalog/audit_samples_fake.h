// For tests: what the audit log may hold.
#pragma once

#include <string>
#include <utility>

#include "catalog/catalog_suite_base.h"
#include "domain/audit_record.h"

namespace koya {

inline AuditEntry SampleAuditEntry(std::string action, std::string target = "token:ci") {
  return {.kind = AuditKind::kChange,
          .at = kSuiteNow,
          .by = {.name = "user:Ada",
                 .token = "laptop",
                 .address = "192.0.2.1",
                 .user_agent = "tofu/1.9",
                 .request_id = "r1"},
          .action = std::move(action),
          .target = std::move(target),
          .ns = "acme",
          .before = R"({"a":1})",
          .after = ""};
}

}  // namespace koya
