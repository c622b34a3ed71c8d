// Stores the audit log: appends, chains and reads entries, and trims the oldest; never changes any.
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
  // Appends entries that belong to no other write (denied attempts): all or none.
  virtual Task<void> AppendAudit(std::vector<AuditEntry> entries) = 0;
  // Newest first, at most `limit` (1000).
  virtual Task<std::vector<AuditRecord>> ListAudit(AuditFilter filter, std::uint64_t limit) = 0;
  // Whether there are entries that are not in the chain yet. Denied attempts of anonymous callers
  // (actor "": no token or session) never enter it.
  virtual Task<bool> HasUnlinkedAudit() = 0;
  // Links up to `most` (1000) of them, in the order of their ids, each to the one before
  // (AuditHash). Returns how many. Of two entries that are written concurrently, the one
  // with the greater id may be linked first. Two servers that link concurrently do not both link an
  // entry: the second finds nothing left to do.
  virtual Task<std::uint64_t> ChainAudit(std::uint64_t most) = 0;
  // The head is stored apart from the entries, so that a removal from the end is detected.
  virtual Task<AuditEnds> FindAuditEnds() = 0;
  // Linked entries after this sequence, in order, at most `limit` (1000).
  virtual Task<std::vector<AuditRecord>> ListAuditChain(std::int64_t after,
                                                        std::uint64_t limit) = 0;
  // Removes linked entries from before `before`, oldest first, at most `most` (1000), up to the
  // first newer one; the last removed entry's place and hash become the anchor. Returns how many.
  virtual Task<std::uint64_t> TrimAudit(UnixSeconds before, std::uint64_t most) = 0;
  // Removes entries that never enter the chain (denied attempts of anonymous callers), from before
  // `before`, oldest first, at most `most` (1000). Returns how many.
  virtual Task<std::uint64_t> TrimAnonymousAudit(UnixSeconds before, std::uint64_t most) = 0;
};

}  // namespace koya
