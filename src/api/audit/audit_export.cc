#include "api/audit/audit_export.h"

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/common/audit_documents.h"
#include "api/common/services.h"
#include "auth/principal.h"
#include "base/byte_source.h"
#include "domain/audit_record.h"
#include "http/server/message.h"
#include "service/audit/audit.h"

namespace koya::api {
namespace {

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
      lines_ += wire::EncodeAuditLine(entry);
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
