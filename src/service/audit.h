// The audit log as people read it, and the proof that it is whole.
// Methods fail, besides what they name: as the catalog.
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

// What a walk along the chain found.
struct AuditReport {
  // The first entry that is not as it was written. Nothing after it was looked at.
  struct Damage {
    std::int64_t sequence = 0;
    std::string problem;
  };
  std::optional<Damage> damage;  // nullopt: it is whole
  std::uint64_t checked = 0;     // entries, each with its place
  AuditEnds ends;                // the newest, to be kept elsewhere and expected at the next walk
};

class Audit {
 public:
  // `catalog` must outlive this.
  explicit Audit(AuditCatalog& catalog) : catalog_(catalog) {}

  // Whether `by` may see what the filter asks for: administrators all of it, owners of a namespace
  // what is about that one, when it is named. Fails: kForbidden.
  static Status CheckMayList(const auth::Principal& by, const AuditFilter& filter);
  // Newest first, `limit` at most (1000). Fails: kForbidden, as above.
  Task<std::vector<AuditRecord>> List(auth::Principal by, AuditFilter filter, std::uint64_t limit);
  // The one with this id. Fails: kForbidden (for administrators only); kNotFound.
  Task<AuditRecord> Find(auth::Principal by, std::int64_t id);
  // Where the chain begins and ends, which is said without a look at what lies between. Fails:
  // kForbidden (the same).
  Task<AuditEnds> Ends(auth::Principal by);
  // Walks the chain from its anchor to where it ended when it was asked, a page at a time.
  // `expected`: a place and hash that an earlier walk has told; they are to be there still. Fails:
  // kForbidden (for administrators only); kInvalid: what is expected was removed with its age.
  Task<AuditReport> Verify(auth::Principal by, std::optional<AuditAnchor> expected);

 private:
  AuditCatalog& catalog_;
};

}  // namespace koya::service
