// What is inside a module's version, read out of its archive.
#pragma once

#include <memory>
#include <utility>

#include "archive/archive_limits.h"
#include "base/offload.h"
#include "blobs/blob_store.h"
#include "domain/host_name.h"
#include "service/contents_source.h"

namespace koya::service {

class ArchiveContents final : public ContentsSource {
 public:
  // Everything given must outlive this. Archives are read on `workers`.
  ArchiveContents(BlobStore& blobs, WorkerPool& workers, ArchiveLimits limits)
      : blobs_(blobs), workers_(workers), limits_(limits) {}

  // An archive in a store elsewhere is copied here for as long as it is read.
  Task<inspect::ModuleContents> Read(ModuleVersionRecord record) override;

 private:
  // The bytes as a file of this machine, which is no part of the store.
  Task<std::unique_ptr<BlobWriter>> CopyHere(std::shared_ptr<Blob> blob);

  BlobStore& blobs_;
  WorkerPool& workers_;
  const ArchiveLimits limits_;
};

}  // namespace koya::service
