// For tests: an audit log in memory, which can be damaged, and fails on command.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "catalog/audit_catalog.h"
#include "domain/audit_record.h"

namespace koya::service {

class AuditCatalogFake final : public AuditCatalog {
 public:
  // The log itself, by id. To be damaged.
  std::vector<AuditRecord> records;
  AuditEnds ends;
  bool away = false;  // every call fails
  int calls = 0;
  std::function<void()> before_page;  // called before each page of the chain is read

  Task<void> AppendAudit(std::vector<AuditEntry> entries) override {
    CO_RETURN_IF_ERROR(Call());
    for (AuditEntry& entry : entries) {
      records.push_back({.id = next_id_++, .entry = std::move(entry), .link = std::nullopt});
    }
    co_return Status();
  }
  // By namespace and id only.
  Task<std::vector<AuditRecord>> ListAudit(AuditFilter filter, std::uint64_t limit) override {
    CO_RETURN_IF_ERROR(Call());
    std::vector<AuditRecord> found;
    for (const AuditRecord& record : records) {
      bool fits = filter.ns.empty() || filter.ns == record.entry.ns;
      if (fits && record.id < filter.below.value_or(INT64_MAX)) found.push_back(record);
    }
    std::ranges::reverse(found);
    if (found.size() > limit) found.erase(found.begin() + static_cast<long>(limit), found.end());
    co_return found;
  }
  Task<bool> HasUnlinkedAudit() override {
    CO_RETURN_IF_ERROR(Call());
    co_return std::ranges::any_of(
        records, [](const auto& record) { return !record.link && !IsAnonymousEntry(record); });
  }
  Task<std::uint64_t> ChainAudit(std::uint64_t most) override {
    CO_RETURN_IF_ERROR(Call());
    std::uint64_t linked = 0;
    for (AuditRecord& record : records) {
      if (record.link || linked == most || IsAnonymousEntry(record)) continue;
      ends.head = NextAuditLink(ends.head, record.entry);
      record.link = ends.head;
      ++linked;
    }
    co_return linked;
  }
  Task<AuditEnds> FindAuditEnds() override {
    CO_RETURN_IF_ERROR(Call());
    co_return ends;
  }
  Task<std::vector<AuditRecord>> ListAuditChain(std::int64_t after, std::uint64_t limit) override {
    CO_RETURN_IF_ERROR(Call());
    if (before_page) before_page();
    std::vector<AuditRecord> found;
    for (const AuditRecord& record : records) {
      if (record.link && record.link->sequence > after) found.push_back(record);
    }
    std::ranges::sort(found, {}, [](const AuditRecord& record) { return record.link->sequence; });
    if (found.size() > limit) found.erase(found.begin() + static_cast<long>(limit), found.end());
    co_return found;
  }
  Task<std::uint64_t> TrimAudit(UnixSeconds before, std::uint64_t most) override {
    CO_RETURN_IF_ERROR(Call());
    std::uint64_t removed = 0;
    while (removed < most && !records.empty() && records.front().link &&
           records.front().entry.at < before) {
      ends.anchor = *records.front().link;
      records.erase(records.begin());
      ++removed;
    }
    co_return removed;
  }

  Task<std::uint64_t> TrimAnonymousAudit(UnixSeconds before, std::uint64_t most) override {
    CO_RETURN_IF_ERROR(Call());
    std::uint64_t removed = 0;
    std::erase_if(records, [&](const AuditRecord& record) {
      const bool goes =
          removed < most && !record.link && IsAnonymousEntry(record) && record.entry.at < before;
      removed += goes ? 1 : 0;
      return goes;
    });
    co_return removed;
  }

 private:
  static bool IsAnonymousEntry(const AuditRecord& record) {
    return record.entry.kind == AuditKind::kDenied && record.entry.by.name.empty();
  }
  Status Call() {
    ++calls;
    if (!away) return {};
    return FailUnavailable("the catalog does not answer");
  }

  std::int64_t next_id_ = 1;
};

}  // namespace koya::service
