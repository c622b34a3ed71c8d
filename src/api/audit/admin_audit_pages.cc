#include <utility>

#include "api/common/admin_answer.h"
#include "api/common/audit_documents.h"
#include "service/audit/audit.h"
#include "web/admin/admin_pages.h"

namespace koya::api {
namespace {

// As typed, whether it makes sense or not. Fails: kInvalid: it cannot be shown.
Result<web::AuditQuestion> ReadAuditQuestion(const Call& call) {
  web::AuditQuestion question;
  ASSIGN_OR_RETURN(question.actor, TypedParameter(call, "actor"));
  ASSIGN_OR_RETURN(question.action, TypedParameter(call, "action"));
  ASSIGN_OR_RETURN(question.target, TypedParameter(call, "target"));
  ASSIGN_OR_RETURN(question.ns, TypedParameter(call, "namespace"));
  ASSIGN_OR_RETURN(question.address, TypedParameter(call, "address"));
  ASSIGN_OR_RETURN(question.token, TypedParameter(call, "token"));
  ASSIGN_OR_RETURN(question.since, TypedParameter(call, "since"));
  ASSIGN_OR_RETURN(question.until, TypedParameter(call, "until"));
  ASSIGN_OR_RETURN(std::string kind, TypedParameter(call, "kind"));
  question.kind = ParseAuditKind(kind);
  return question;
}

bool IsAnythingAsked(const AuditFilter& filter) {
  return filter.kind || filter.since || filter.until || !filter.actor.empty() ||
         !filter.action.empty() || !filter.target.empty() || !filter.ns.empty() ||
         !filter.address.empty() || !filter.token.empty();
}

Task<web::AdminAuditPage> ReadAuditPage(Call& call, AuditFilter filter) {
  web::AdminAuditPage page;
  page.is_asked = IsAnythingAsked(filter);
  page.is_first = !filter.below;
  constexpr std::uint64_t kMost = web::AdminAuditPage::kMostEntries;
  ASSIGN_OR_CO_RETURN(page.entries, co_await call.services.audit.entries.List(
                                        call.principal, std::move(filter), kMost + 1));
  page.has_more = page.entries.size() > kMost;
  if (page.has_more) page.entries.resize(kMost);
  co_return page;
}

void AddReport(web::AdminAuditProofPage& page, service::AuditReport report) {
  page.is_walked = true;
  page.checked = report.checked;
  page.ends = report.ends;
  if (!report.damage) return;
  page.damaged_at = report.damage->sequence;
  page.damage = std::move(report.damage->problem);
}

Task<http::Response> ShowAudit(Call& call, PageAnswer& page) {
  ASSIGN_OR_CO_RETURN(web::AuditQuestion question, ReadAuditQuestion(call));
  Result<AuditFilter> filter = ReadAuditFilter(call.request().query, call.services.clock.Now());
  if (!filter && filter.error().kind != ErrorKind::kInvalid) {
    co_return Failure(std::move(filter).error());
  }
  web::AdminAuditPage shown;
  if (filter) {
    ASSIGN_OR_CO_RETURN(shown, co_await ReadAuditPage(call, *filter));
  } else {
    shown.problem = web::Refusal::Of(filter.error(), web::Typed::kAuditFilter);
  }
  shown.question = std::move(question);
  ASSIGN_OR_CO_RETURN(shown.ends, co_await call.services.audit.entries.Ends(call.principal));
  const unsigned status = filter ? 200 : 400;
  co_return co_await page.SendUnkept(web::RenderAdminAudit(page.frame, shown), status);
}

Task<http::Response> ShowAuditEntry(Call& call, PageAnswer& page) {
  const std::optional<std::int64_t> id = WholeNumber(call.path("id"));
  if (!id) co_return FailNotFound("audit log entries have numeric IDs");
  ASSIGN_OR_CO_RETURN(AuditRecord record,
                      co_await call.services.audit.entries.FindEntry(call.principal, *id));
  co_return co_await page.SendUnkept(web::RenderAdminAuditEntry(page.frame, record));
}

Task<http::Response> ShowAuditProof(Call& call, PageAnswer& page) {
  web::AdminAuditProofPage shown;
  ASSIGN_OR_CO_RETURN(shown.expected, TypedParameter(call, "expect"));
  ASSIGN_OR_CO_RETURN(std::string walk, TypedParameter(call, "walk"));
  ASSIGN_OR_CO_RETURN(shown.ends, co_await call.services.audit.entries.Ends(call.principal));
  unsigned status = 200;
  if (walk == "yes") {
    Result<service::AuditReport> report = co_await VerifyAuditLog(call, shown.expected);
    if (report) {
      AddReport(shown, *std::move(report));
    } else if (report.error().kind == ErrorKind::kInvalid) {
      shown.problem = web::Refusal::Of(report.error(), web::Typed::kAuditEnd);
      status = 400;
    } else {
      co_return Failure(std::move(report).error());
    }
  }
  co_return co_await page.SendUnkept(web::RenderAdminAuditProof(page.frame, shown), status);
}

// A download for the administrator who is signed in: audit.jsonl or audit.csv.
Task<http::Response> GetAuditFile(Call& call, PageAnswer& /*page*/) {
  const std::string file(call.path("file"));
  const bool as_csv = file == "audit.csv";
  if (!as_csv && file != "audit.jsonl") {
    co_return FailNotFound("the audit log is available as audit.jsonl or audit.csv");
  }
  ASSIGN_OR_CO_RETURN(AuditFilter filter,
                      ReadAuditFilter(call.request().query, call.services.clock.Now()));
  CO_RETURN_IF_ERROR(service::Audit::CheckMayList(call.principal, filter));
  http::Response reply = AuditExport(call.services, call.principal, std::move(filter),
                                     as_csv ? AuditFormat::kCsv : AuditFormat::kJsonLines);
  reply.fields.emplace_back("Content-Disposition", "attachment; filename=\"" + file + "\"");
  co_return reply;
}

}  // namespace

// The audit log.
std::span<const Route> AdminAuditPageRoutes() {
  static constexpr Route kRoutes[] = {
      AdminRow<ShowAudit>("/-/admin/audit", "Show the audit log"),
      AdminRow<ShowAuditEntry>("/-/admin/audit/{id}", "Show an entry of the audit log"),
      AdminRow<ShowAuditProof>("/-/admin/audit/proof", "Show whether the audit log is intact"),
      AdminRow<GetAuditFile>("/-/admin/audit/export/{file}",
                             "Export matching audit log entries as a file"),
  };
  return kRoutes;
}

}  // namespace koya::api
