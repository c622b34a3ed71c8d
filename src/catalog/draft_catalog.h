// DraftCatalog is the part of the catalog (catalog.h) that stores drafts: releases of providers
// whose files are still being uploaded.
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
  // Fails: kConflict when the namespace already has `most_open` drafts that have not expired at
  // `draft.created_at`.
  virtual Task<void> AddDraft(DraftRecord draft, std::uint64_t most_open) = 0;
  // Expired drafts are not found. Fails: kNotFound.
  virtual Task<DraftRecord> FindDraft(std::string id, UnixSeconds now) = 0;
  // Drafts of one release that have not expired, newest first, without their files.
  virtual Task<std::vector<DraftRecord>> ListDrafts(ProviderAddress address, Version version,
                                                    UnixSeconds now) = 0;
  // Adds the file, or replaces the one of the same name, and sets the draft's expiry to
  // `expires_at`. Fails: kNotFound when the draft is gone; kTooLarge when it already has
  // `most_files` others.
  virtual Task<void> PutDraftFile(std::string id, DraftFile file, UnixSeconds expires_at,
                                  std::uint64_t most_files) = 0;
  // Fails: kNotFound.
  virtual Task<void> RemoveDraft(std::string id) = 0;
  // Returns how many were removed.
  virtual Task<std::uint64_t> RemoveExpiredDrafts(UnixSeconds now) = 0;
};

}  // namespace koya
