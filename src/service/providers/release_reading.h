// Reads a draft's docs and schema at the commit. Input is hostile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "blobs/blob_store.h"
#include "catalog/provider_catalog.h"
#include "domain/provider_docs_record.h"
#include "inspect/provider/provider_doc.h"

namespace koya {
struct DraftFile;
struct DraftRecord;
class WorkerPool;
}  // namespace koya

namespace koya::service {

struct DocsSource;

struct SchemaFindings {
  std::optional<StagedBlob> packed;   // nullopt: nothing could be read
  std::vector<SchemaRecord> items;    // with their positions in it
  std::vector<ReadWarning> warnings;  // parts that could not be read
  std::vector<std::string> problems;  // reasons for rejection: more than the limits
};

// Converts the output of `providers schema -json` to a zip whose items are read one by one. Blocks.
// `type`: the provider's ("aws"). `bytes`: limits.schema_bytes, of the unpacked document; the
// source may be gzip. Memory: the largest resource. Fails: kInternal, kStorageFull.
Result<SchemaFindings> ReadSchema(BlobStore& blobs, const DocsSource& source,
                                  const std::string& type, std::uint64_t bytes);

struct DocsLimits {
  inspect::provider::DocsLimits docs;         // limits.docs_files, limits.docs_bytes
  std::uint64_t schema_bytes = 256ULL << 20;  // limits.schema_bytes
};

struct ReleaseReading {
  ReleaseExtras extras;
  // The blob that extras.schema indexes: commit it before storing the extras.
  std::optional<StagedBlob> schema;
  std::vector<std::string> problems;  // reasons to reject the draft, as sentences
};

// Threads: any.
class ReleaseReader {
 public:
  // Both must outlive this. `pool` runs blocking work.
  ReleaseReader(BlobStore& blobs, WorkerPool& pool, DocsLimits limits)
      : blobs_(blobs), pool_(pool), limits_(limits) {}

  // Names of the files listed in SHA256SUMS.
  using Signed = std::vector<std::string>;

  // Turns unreadable parts into warnings. Skips a file that has problems already. Fails: as the
  // store: kInternal, kStorageFull, kCorrupt.
  Task<ReleaseReading> Read(DraftRecord draft, Signed is_signed);

 private:
  Task<void> ReadDocsOf(const DraftRecord& draft, const DraftFile& file, ReleaseReading& reading);
  Task<void> ReadSchemaOf(const DraftRecord& draft, const DraftFile& file, ReleaseReading& reading);

  BlobStore& blobs_;
  WorkerPool& pool_;
  DocsLimits limits_;
};

}  // namespace koya::service
