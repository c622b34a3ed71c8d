#include "api/common/audit_documents.h"

#include <charconv>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/common/call.h"
#include "api/common/query.h"
#include "auth/principal.h"
#include "base/byte_source.h"
#include "base/text.h"
#include "domain/audit_record.h"
#include "domain/digest.h"
#include "http/server/message.h"
#include "obs/log.h"
#include "service/audit/audit.h"
#include "web/common/audit_sentence.h"
#include "web/common/language.h"

namespace koya::api {
namespace {

wire::AuditLink LinkToWire(const AuditAnchor& link) {
  return {.sequence = static_cast<std::uint64_t>(link.sequence), .hash = link.hash.hex()};
}

Result<std::string> AuditText(std::string_view query, std::string_view name) {
  ASSIGN_OR_RETURN(std::optional<std::string> text, QueryParameter(query, name));
  return std::move(text).value_or("");
}

Result<std::optional<UnixSeconds>> AuditMoment(std::string_view query, std::string_view name,
                                               UnixSeconds now) {
  ASSIGN_OR_RETURN(std::optional<std::string> text, QueryParameter(query, name));
  if (!text || text->empty()) return std::nullopt;
  if (std::optional<UnixSeconds> time = ParseRfc3339(*text)) return time;
  std::optional<std::chrono::seconds> ago = ParseDuration(*text);
  if (ago && ago->count() <= now) return now - ago->count();
  return FailInvalid(
      "the parameter \"{}\" must be a time such as 2026-11-21T16:41:10Z, a day "
      "such as 2026-11-21, or an age such as 24h, not \"{}\"",
      name, Printable(*text, 40));
}

Result<std::optional<AuditKind>> AuditKindOf(std::string_view query) {
  ASSIGN_OR_RETURN(std::string text, AuditText(query, "kind"));
  if (text.empty()) return std::nullopt;
  std::optional<AuditKind> kind = ParseAuditKind(text);
  if (kind) return kind;
  return FailInvalid("the parameter \"kind\" must be change or denied, not \"{}\"",
                     Printable(text, 40));
}

Result<std::optional<std::int64_t>> AuditBelow(std::string_view query) {
  ASSIGN_OR_RETURN(std::string text, AuditText(query, "below"));
  if (text.empty()) return std::nullopt;
  std::optional<std::int64_t> below = WholeNumber(text);
  if (below) return below;
  return FailInvalid("the parameter \"below\" must be \"next\" of the previous page, not \"{}\"",
                     Printable(text, 40));
}

// At one time in memory.
constexpr std::uint64_t kAuditBatch = 250;

class AuditLines final : public ByteSource {
 public:
  AuditLines(service::Audit& audit, auth::Principal by, AuditFilter filter, AuditFormat format)
      : audit_(audit), by_(std::move(by)), filter_(std::move(filter)), format_(format) {
    if (format_ == AuditFormat::kCsv) head_ = wire::AuditCsvHead();
  }

  Task<std::span<const std::byte>> Read() override {
    lines_ = std::exchange(head_, {});
    if (!ended_) {
      ASSIGN_OR_CO_RETURN(std::vector<AuditRecord> records,
                          co_await audit_.List(by_, filter_, kAuditBatch));
      for (const AuditRecord& record : records) AddLine(ToWire(record));
      ended_ = records.size() < kAuditBatch;
      if (!records.empty()) filter_.below = records.back().id;
    }
    co_return std::as_bytes(std::span(lines_));
  }

 private:
  void AddLine(const wire::AuditEntry& entry) {
    if (format_ == AuditFormat::kCsv) {
      lines_ += wire::AuditCsvLine(entry);
    } else {
      lines_ += wire::Encode(entry);
      lines_ += '\n';
    }
  }

  service::Audit& audit_;
  const auth::Principal by_;
  AuditFilter filter_;
  const AuditFormat format_;
  std::string head_;
  std::string lines_;
  bool ended_ = false;
};

}  // namespace

wire::AuditEntry ToWire(const AuditRecord& record) {
  const koya::AuditEntry& entry = record.entry;
  wire::AuditEntry out{.id = static_cast<std::uint64_t>(record.id),
                       .time = FormatRfc3339(entry.at),
                       .kind = std::string(AuditKindName(entry.kind)),
                       .actor = entry.by.name,
                       .token = entry.by.token,
                       .address = entry.by.address,
                       .user_agent = entry.by.user_agent,
                       .request_id = entry.by.request_id,
                       .action = entry.action,
                       .sentence = web::AuditSentence(web::Language::kEnglish, entry),
                       .target = entry.target,
                       .ns = entry.ns,
                       .before = {entry.before},
                       .after = {entry.after},
                       .count = entry.count,
                       .chain = {}};
  if (record.link) out.chain = LinkToWire(*record.link);
  return out;
}

std::optional<std::int64_t> WholeNumber(std::string_view text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stopped != end || number < 0) return std::nullopt;
  return number;
}

Task<service::AuditReport> VerifyAuditLog(Call& call, std::string expected) {
  ASSIGN_OR_CO_RETURN(std::optional<AuditAnchor> anchor, ReadExpectedLink(expected));
  ASSIGN_OR_CO_RETURN(service::AuditReport report,
                      co_await call.services.audit.entries.Verify(call.principal, anchor));
  if (report.damage) {
    call.services.log.Error("the audit log is damaged", {{"request_id", call.request().request_id},
                                                         {"sequence", report.damage->sequence},
                                                         {"problem", report.damage->problem}});
  }
  co_return report;
}

wire::AuditReport ToWire(const service::AuditReport& report) {
  wire::AuditReport out{.whole = !report.damage,
                        .checked = report.checked,
                        .anchor = LinkToWire(report.ends.anchor),
                        .head = LinkToWire(report.ends.head),
                        .damage = {}};
  if (report.damage) {
    out.damage = {static_cast<std::uint64_t>(report.damage->sequence), report.damage->problem};
  }
  return out;
}

Result<AuditFilter> ReadAuditFilter(std::string_view query, UnixSeconds now) {
  AuditFilter filter;
  ASSIGN_OR_RETURN(filter.actor, AuditText(query, "actor"));
  ASSIGN_OR_RETURN(filter.action, AuditText(query, "action"));
  ASSIGN_OR_RETURN(filter.target, AuditText(query, "target"));
  ASSIGN_OR_RETURN(filter.ns, AuditText(query, "namespace"));
  ASSIGN_OR_RETURN(filter.address, AuditText(query, "address"));
  ASSIGN_OR_RETURN(filter.token, AuditText(query, "token"));
  ASSIGN_OR_RETURN(filter.kind, AuditKindOf(query));
  ASSIGN_OR_RETURN(filter.since, AuditMoment(query, "since", now));
  ASSIGN_OR_RETURN(filter.until, AuditMoment(query, "until", now));
  ASSIGN_OR_RETURN(filter.below, AuditBelow(query));
  return filter;
}

Result<std::optional<AuditAnchor>> ReadExpectedLink(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t colon = text.find(':');
  if (colon != std::string::npos) {
    std::optional<std::int64_t> sequence = WholeNumber(text.substr(0, colon));
    Result<Digest> hash = Digest::Parse(text.substr(colon + 1));
    if (sequence && hash) return AuditAnchor{.sequence = *sequence, .hash = *hash};
  }
  return FailInvalid(
      "the parameter \"expect\" must be SEQUENCE:HASH from an earlier verification, not \"{}\"",
      Printable(text, 100));
}

http::Response AuditExport(Services& services, auth::Principal by, AuditFilter filter,
                           AuditFormat format) {
  const bool as_csv = format == AuditFormat::kCsv;
  http::Response reply;
  reply.fields = {
      {"Content-Type", as_csv ? "text/csv; charset=utf-8; header=present" : "application/x-ndjson"},
      {"Cache-Control", "no-store"}};
  reply.body = std::make_unique<AuditLines>(services.audit.entries, std::move(by),
                                            std::move(filter), format);
  return reply;
}

}  // namespace koya::api
