// Part of the catalog (catalog.h): releases of providers whose files still come in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/task.h"

namespace koya {

class ProviderAddress;
class Version;
struct DraftFile;
struct DraftRecord;

class DraftCatalog {
 public:
  virtual ~DraftCatalog() = default;
  // Fails: kConflict when the namespace has `most_open` drafts already that have not expired at
  // `draft.created_at`.
  virtual Task<void> AddDraft(DraftRecord draft, std::uint64_t most_open) = 0;
  // Expired drafts are not found. Fails: kNotFound.
  virtual Task<DraftRecord> FindDraft(std::string id, UnixSeconds now) = 0;
  // Those of one release that have not expired, newest first, without their files.
  virtual Task<std::vector<DraftRecord>> ListDrafts(ProviderAddress address, Version version,
                                                    UnixSeconds now) = 0;
  // Adds the file, or replaces that of the same name, and moves the draft's expiry to `expires_at`.
  // Fails: kNotFound when the draft is gone; kTooLarge when it has `most_files` others already.
  virtual Task<void> PutDraftFile(std::string id, DraftFile file, UnixSeconds expires_at,
                                  std::uint64_t most_files) = 0;
  // Fails: kNotFound.
  virtual Task<void> RemoveDraft(std::string id) = 0;
  // Returns how many there were.
  virtual Task<std::uint64_t> RemoveExpiredDrafts(UnixSeconds now) = 0;
};

}  // namespace koya
