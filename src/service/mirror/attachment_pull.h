// Fetches the attachments that another registry's description of a release names: checks them as
// those of own versions, and stages them. What cannot be used is left out, with the reason in the
// log: clients need no attachment.
#pragma once

#include <chrono>
#include <string_view>
#include <vector>

#include "blobs/blob_store.h"
#include "domain/upstream_record.h"
#include "service/common/attachments.h"
#include "service/mirror/context.h"
#include "service/mirror/mirror_space.h"
#include "upstream/deadline.h"
#include "wire/providers.h"

namespace koya::upstream {
class ProviderSource;
}

namespace koya::service {

// The attachments of a release, as one platform's description names them.
struct AttachmentWish {
  UpstreamRelease release;  // its files, and the attachments that are pinned
  Platform platform;
  std::vector<wire::ForeignAttachment> named;
  // What happens to those that are pinned: compared, if the description states their SHA-256;
  // compared in any case; or fetched again, and nothing else.
  enum class Pinned { kCompareStated, kCompare, kRestore } pinned = Pinned::kCompareStated;
};

struct PulledAttachments {
  // For the catalog: new ones, and those that have other bytes than the pinned ones.
  std::vector<UpstreamAttachment> found;
  std::vector<StagedBlob> blobs;  // of new and of restored ones
};

class AttachmentPull {
 public:
  // All arguments must outlive this.
  AttachmentPull(const MirrorContext& context, upstream::ProviderSource& source,
                 const AttachmentLimits& limits, const DiskQuota& room)
      : context_(context), source_(source), limits_(limits), room_(room) {}

  // For all of them. What has not arrived by then is left out, and comes with the next package.
  static constexpr std::chrono::seconds kTimeout{5};

  // On a thread that may block. Takes at most half of the time that `patience` leaves.
  Awaitable<PulledAttachments> Pull(AttachmentWish wish, upstream::Deadline patience);

 private:
  Task<void> PullOne(const wire::ForeignAttachment& named, const AttachmentWish& wish,
                     const upstream::Deadline& patience, PulledAttachments& pulled);
  Status Compare(const UpstreamAttachment& pinned, const wire::ForeignAttachment& named,
                 const AttachmentWish& wish, const upstream::Deadline& patience,
                 PulledAttachments& pulled);
  void LogLeftOut(const AttachmentWish& wish, std::string_view name, Error why);
  Failure TooMany() const;
  Result<StagedBlob> Receive(const wire::ForeignAttachment& named,
                             const upstream::Deadline& patience);

  const MirrorContext& context_;
  upstream::ProviderSource& source_;
  const AttachmentLimits& limits_;
  const DiskQuota& room_;
};

}  // namespace koya::service
