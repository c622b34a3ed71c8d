// Reads the audit log and verifies its integrity. Methods fail, besides the errors that they name:
// as the catalog.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/audit_record.h"

namespace koya {
class AuditCatalog;
}
namespace koya::auth {
struct Principal;
}

namespace koya::service {

// Result of verifying the hash chain.
struct AuditReport {
  // The first entry that was changed. Later entries were not verified.
  struct Damage {
    std::int64_t sequence = 0;
    std::string problem;
  };
  std::optional<Damage> damage;  // nullopt: the chain is intact
  std::uint64_t checked = 0;     // entries, each with its position
  AuditEnds ends;                // the newest; store it elsewhere and pass it as `expected` later
};

class Audit {
 public:
  // `catalog` must outlive this.
  explicit Audit(AuditCatalog& catalog) : catalog_(catalog) {}

  // Checks that `by` may see the entries that match the filter: administrators all entries, owners
  // of a namespace those about it, if the filter names it. Fails: kForbidden.
  static Status CheckMayList(const auth::Principal& by, const AuditFilter& filter);
  // Newest first, at most `limit` (1000). Fails: kForbidden, as above.
  Task<std::vector<AuditRecord>> List(auth::Principal by, AuditFilter filter, std::uint64_t limit);
  // Returns the entry with this id. Fails: kForbidden (administrators only); kNotFound.
  Task<AuditRecord> FindEntry(auth::Principal by, std::int64_t id);
  // Returns the two ends of the chain without verifying the entries between them. Fails: kForbidden
  // (administrators only).
  Task<AuditEnds> Ends(auth::Principal by);
  // Verifies the chain page by page, from its anchor to its end at the time of the call.
  // `expected`: position and hash from an earlier verification, which must still be there. Fails:
  // kForbidden (administrators only); kInvalid: the expected entry was removed because of its age.
  Task<AuditReport> Verify(auth::Principal by, std::optional<AuditAnchor> expected);

 private:
  AuditCatalog& catalog_;
};

}  // namespace koya::service
