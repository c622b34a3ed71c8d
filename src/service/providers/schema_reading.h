// Converts the output of `providers schema -json` to a zip whose items are read one by one. Blocks;
// input is hostile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "blobs/blob_store.h"
#include "domain/provider_docs_record.h"

namespace koya::service {

struct DocsSource;

struct SchemaFindings {
  std::optional<StagedBlob> packed;   // nullopt: nothing could be read
  std::vector<SchemaRecord> items;    // with their positions in it
  std::vector<ReadWarning> warnings;  // parts that could not be read
  std::vector<std::string> problems;  // reasons for rejection: more than the limits
};

// `type`: the provider's ("aws"). `bytes`: limits.schema_bytes, of the unpacked document; the
// source may be gzip. Memory: the largest resource. Fails: kInternal, kStorageFull.
Result<SchemaFindings> ReadSchema(BlobStore& blobs, const DocsSource& source,
                                  const std::string& type, std::uint64_t bytes);

}  // namespace koya::service
