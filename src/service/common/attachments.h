// Attachments serves and adds the attachments of versions that are published here. That an
// attachment is sound and names a file of its version is all that is checked.
//
// Data first, record last: an upload streams into a staged blob, is checked and committed durably;
// only then one transaction records it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/task.h"
#include "domain/attachment.h"
#include "domain/module_address.h"
#include "domain/provider_address.h"
#include "domain/version.h"
#include "service/common/version_rules.h"

namespace koya {
class Blob;
class BlobStore;
class ByteSource;
class Catalog;
class Clock;
class WorkerPool;
struct SearchSubject;
}  // namespace koya

namespace koya::service {

struct UploadLimit;

struct AttachmentLimits {
  std::uint64_t bytes = 16ULL << 20;  // limits.attachment_bytes
  std::uint64_t count = 32;           // limits.attachments, of a version

  // For StageUpload.
  UploadLimit ForUpload() const;
};

// Reads and checks an attachment (wire/attachment_check.h). Blocks. `files`: the version's. Fails:
// kRefused; kInternal.
Status CheckAttachmentFile(std::string_view name, AttachmentKind kind, int descriptor,
                           std::uint64_t size, std::span<const Digest> files);

struct OpenAttachment {
  Attachment attachment;
  std::shared_ptr<Blob> blob;
};

class Attachments {
 public:
  // All arguments must outlive this. `pool` runs the checks.
  Attachments(Catalog& catalog, BlobStore& blobs, WorkerPool& pool, const Clock& clock,
              AttachmentLimits limits)
      : catalog_(catalog), blobs_(blobs), pool_(pool), clock_(clock), limits_(limits) {}

  struct Owner {
    std::variant<ModuleAddress, ProviderAddress> address;
    Version version;
  };

  const AttachmentLimits& limits() const { return limits_; }

  // By name; empty if the version has none, or is not there.
  Task<std::vector<Attachment>> List(Owner owner);
  // Fails: kNotFound; kGone: the version was withdrawn; kCorrupt when the record's blob is missing.
  Task<OpenAttachment> Open(Owner owner, std::string name);

  struct Added {
    Attachment attachment;
    bool created = false;  // false: the version had these bytes under this name
  };
  // Adds an upload to a version that is there. Fails: kForbidden, as for publishing the version;
  // kNotFound, kGone; kRefused: the name, the content, or more than limits().count; kTooLarge;
  // kConflict: other bytes have this name; kStorageFull, and the errors of `upload`. Then nothing
  // is recorded.
  Task<Added> Add(Publishing publishing, Owner owner, std::string name, ByteSource& upload);

 private:
  struct Found;
  Task<Found> Find(Owner owner);

  Catalog& catalog_;
  BlobStore& blobs_;
  WorkerPool& pool_;
  const Clock& clock_;
  const AttachmentLimits limits_;
};

}  // namespace koya::service
