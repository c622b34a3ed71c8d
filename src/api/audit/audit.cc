#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/common/audit_documents.h"
#include "api/common/call.h"
#include "api/common/query.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "base/text.h"
#include "domain/audit_record.h"
#include "service/audit/audit.h"

namespace koya::api {
namespace {

constexpr std::uint64_t kAuditPage = 100;
constexpr std::uint64_t kMostAuditPage = 1000;
constexpr const char* kJsonLines = "application/x-ndjson";

Result<bool> WantsLines(const http::Request& request) {
  ASSIGN_OR_RETURN(std::optional<std::string> format, QueryParameter(request.query, "format"));
  if (!format) return request.Get("Accept").contains(kJsonLines);
  if (*format == "jsonl") return true;
  if (*format == "json") return false;
  return FailInvalid("the parameter \"format\" must be json or jsonl, not \"{}\"",
                     Printable(*format, 40));
}

// 201 with the token, which is shown this once.
Task<http::Response> ListAudit(Call& call) {
  const http::Request& request = call.request();
  ASSIGN_OR_CO_RETURN(AuditFilter filter,
                      ReadAuditFilter(request.query, call.services.clock.Now()));
  CO_RETURN_IF_ERROR(service::Audit::CheckMayList(call.principal, filter));
  ASSIGN_OR_CO_RETURN(bool lines, WantsLines(request));
  if (lines) {
    co_return AuditExport(call.services, call.principal, std::move(filter),
                          AuditFormat::kJsonLines);
  }
  ASSIGN_OR_CO_RETURN(std::uint64_t limit, QueryNumber(request.query, "limit", kAuditPage));
  limit = std::clamp<std::uint64_t>(limit, 1, kMostAuditPage);
  ASSIGN_OR_CO_RETURN(
      std::vector<AuditRecord> records,
      co_await call.services.audit.entries.List(call.principal, std::move(filter), limit));
  wire::AuditPage page;
  for (const AuditRecord& record : records) page.entries.push_back(ToWire(record));
  if (records.size() == limit) page.next = std::to_string(records.back().id);
  co_return JsonReply(200, wire::Encode(page));
}

Task<http::Response> VerifyAudit(Call& call) {
  ASSIGN_OR_CO_RETURN(std::optional<std::string> text,
                      QueryParameter(call.request().query, "expect"));
  ASSIGN_OR_CO_RETURN(service::AuditReport report,
                      co_await VerifyAuditLog(call, std::move(text).value_or("")));
  co_return JsonReply(200, wire::Encode(ToWire(report)));
}

}  // namespace

std::span<const Route> AuditRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kListAudit, Access::kNamespaceAdmin, ResourceScope::kNone, ListAudit,
                 "List audit log entries"),
      Route::For(wire::kVerifyAudit, Access::kAdmin, ResourceScope::kNone, VerifyAudit,
                 "Verify that the audit log is intact"),
  };
  return kRoutes;
}

}  // namespace koya::api
