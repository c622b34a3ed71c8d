// The audit log, as it is kept. Appended to, chained, read, and cut at its old end; never changed.
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "base/task.h"

namespace koya {

struct AuditEnds;
struct AuditEntry;
struct AuditFilter;
struct AuditRecord;

class AuditCatalog {
 public:
  virtual ~AuditCatalog() = default;
  // Entries of their own, that belong to no other write: denied attempts. All or none.
  virtual Task<void> AppendAudit(std::vector<AuditEntry> entries) = 0;
  // Newest first, `limit` at most (1000).
  virtual Task<std::vector<AuditRecord>> ListAudit(AuditFilter filter, std::uint64_t limit) = 0;
  // Whether there are entries that have no place in the chain yet. Denied attempts without a token
  // or session (actor "") get none.
  virtual Task<bool> HasUnlinkedAudit() = 0;
  // Links up to `most` (1000) of them, in the order of their ids, each to the one before
  // (domain/audit_chain.h). Returns how many. Of two entries that are written at once, the one with
  // the greater id may be linked first. Two servers that do it at once do not both link an entry:
  // the second finds nothing left to do.
  virtual Task<std::uint64_t> ChainAudit(std::uint64_t most) = 0;
  // The head is kept apart from the entries: one that is removed from the end is missed.
  virtual Task<AuditEnds> FindAuditEnds() = 0;
  // Linked entries after this sequence, in order, `limit` at most (1000).
  virtual Task<std::vector<AuditRecord>> ListAuditChain(std::int64_t after,
                                                        std::uint64_t limit) = 0;
  // Removes linked entries from before `before`, oldest first, `most` (1000) at most, up to the
  // first that is newer; the last one's place and hash become the anchor. Returns how many.
  virtual Task<std::uint64_t> TrimAudit(UnixSeconds before, std::uint64_t most) = 0;
  // Removes those that have no place in it for good, from before `before`, oldest first, `most`
  // (1000) at most. Returns how many.
  virtual Task<std::uint64_t> TrimStrangersAudit(UnixSeconds before, std::uint64_t most) = 0;
};

}  // namespace koya
