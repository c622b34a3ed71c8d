// The handlers of the administrator's pages, for the table: see admin_answer.h.
#pragma once

#include "api/admin_answer.h"

namespace koya::api {

// ---- how the registry is: admin_state_pages.cc

Task<http::Response> ShowAdministration(Call& call, PageAnswer& page);
Task<http::Response> ShowStorage(Call& call, PageAnswer& page);
Task<http::Response> ShowHealth(Call& call, PageAnswer& page);

// ---- the audit log: admin_audit_pages.cc

Task<http::Response> ShowAudit(Call& call, PageAnswer& page);
Task<http::Response> ShowAuditEntry(Call& call, PageAnswer& page);
Task<http::Response> ShowAuditProof(Call& call, PageAnswer& page);
// A file for whoever is signed in: audit.jsonl or audit.csv.
Task<http::Response> GetAuditFile(Call& call, PageAnswer& page);

// ---- who may do what: admin_grants_pages.cc

Task<http::Response> ShowGrants(Call& call, PageAnswer& page);
Task<http::Response> ShowWhy(Call& call, PageAnswer& page);

}  // namespace koya::api
