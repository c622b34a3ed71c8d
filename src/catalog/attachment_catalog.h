// AttachmentCatalog is the part of the catalog (catalog.h) that stores attachments of versions that
// are published here. The bytes are blobs, which BlobReferences covers.
#pragma once

#include <cstdint>
#include <vector>

#include "base/task.h"
#include "domain/attachment.h"

namespace koya::sql {
class Executor;
}  // namespace koya::sql

namespace koya {

struct Actor;
struct SearchSubject;

class AttachmentCatalog {
 public:
  explicit AttachmentCatalog(sql::Executor& transactions) : transactions_(transactions) {}

  // Adds an attachment to a version, with an entry in the audit log; one transaction. Returns
  // whether it is new: the same bytes again change nothing. Fails: kNotFound: there is no such
  // version, or it was withdrawn; kConflict: the version has other bytes under this name; kRefused:
  // it has `most` attachments.
  Task<bool> AddAttachment(Actor by, SearchSubject version, Attachment attachment,
                           std::uint64_t most);
  // The attachments of a version, withdrawn or not, by name, bytewise; none if there is no such
  // version.
  Task<std::vector<Attachment>> ListAttachments(SearchSubject version);

 private:
  sql::Executor& transactions_;
};

}  // namespace koya
