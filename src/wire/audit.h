// Documents of /api/v1/audit: entries of the audit log, and the result of its verification.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/endpoint.h"

namespace koya::wire {

// The text of a JSON object; "": none, null on the wire.
struct JsonText {
  std::string text;
  bool empty() const { return text.empty(); }
  friend bool operator==(const JsonText&, const JsonText&) = default;
};

// A place in the chain. Sequence 0: before the first entry.
struct AuditLink {
  std::uint64_t sequence = 0;
  std::string hash;  // 64 hex digits
  bool empty() const { return hash.empty(); }
  friend bool operator==(const AuditLink&, const AuditLink&) = default;
};

// Empty texts are null on the wire.
struct AuditEntry {
  std::uint64_t id = 0;
  std::string time;  // RFC 3339
  std::string kind;  // "change" or "denied"
  std::string actor;
  std::string token;
  std::string address;
  std::string user_agent;
  std::string request_id;
  std::string action;
  std::string sentence;  // what happened, in English; "" from older servers
  std::string target;
  std::string ns;
  JsonText before;
  JsonText after;
  std::uint64_t count = 1;
  AuditLink chain;  // empty: not chained yet
  friend bool operator==(const AuditEntry&, const AuditEntry&) = default;
};

// A page, newest first.
struct AuditPage {
  std::vector<AuditEntry> entries;
  std::string next;  // the `below` of the next page; empty: this is the last, null on the wire
  friend bool operator==(const AuditPage&, const AuditPage&) = default;
};
// An entry as CSV (RFC 4180), with the line end; and the header line with the column names. Cells
// that a spreadsheet would take for formulas are prefixed with an apostrophe.
std::string AuditCsvHead();
std::string AuditCsvLine(const AuditEntry& entry);

// The first fault found in the log.
struct AuditDamage {
  std::uint64_t sequence = 0;
  std::string problem;
  bool empty() const { return problem.empty(); }
  friend bool operator==(const AuditDamage&, const AuditDamage&) = default;
};
struct AuditReport {
  bool whole = false;
  std::uint64_t checked = 0;
  AuditLink anchor;
  AuditLink head;
  AuditDamage damage;  // empty: the log is whole
  friend bool operator==(const AuditReport&, const AuditReport&) = default;
};

// ---- endpoints

inline constexpr Endpoint<void, AuditPage> kListAudit{"GET", "/api/v1/audit"};
inline constexpr Endpoint<void, AuditReport> kVerifyAudit{"GET", "/api/v1/audit/verify"};

}  // namespace koya::wire
