#include "service/mirror/attachment_pull.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/offload.h"
#include "obs/log.h"
#include "upstream/provider_source.h"

namespace koya::service {
namespace {

const UpstreamAttachment* FindPinned(const UpstreamRelease& release, std::string_view name) {
  auto found = std::ranges::find_if(release.attachments, [name](const UpstreamAttachment& each) {
    return each.file.name == name;
  });
  return found == release.attachments.end() ? nullptr : &*found;
}

// That attestations may name.
std::vector<Digest> FilesOf(const UpstreamRelease& release) {
  std::vector<Digest> files;
  if (release.sums) files.push_back(release.sums->digest);
  if (release.signature) files.push_back(release.signature->digest);
  for (const UpstreamPackage& each : release.packages) files.push_back(each.digest);
  return files;
}

Failure OtherBytes(const UpstreamAttachment& pinned, const Platform& platform, const Digest& now) {
  if (pinned.platform != platform) {
    return FailBadUpstream("{} has another attachment of this name, which was seen first",
                           pinned.platform.ToString());
  }
  return FailBadUpstream(
      "it has changed upstream: SHA-256 {} was seen first, upstream now has {}; the first one "
      "stays",
      pinned.file.digest.hex(), now.hex());
}

upstream::Deadline ForAttachments(upstream::Deadline patience) {
  const auto now = std::chrono::steady_clock::now();
  const auto half = (std::max(patience.deadline, now) - now) / 2;
  patience.deadline = now + std::min<SteadyTime::duration>(half, AttachmentPull::kTimeout);
  return patience;
}

}  // namespace

Awaitable<PulledAttachments> AttachmentPull::Pull(AttachmentWish wish,
                                                  upstream::Deadline patience) {
  PulledAttachments pulled;
  patience = ForAttachments(std::move(patience));
  std::uint64_t tried = 0;
  for (const wire::ForeignAttachment& named : wish.named) {
    if (++tried > limits_.count) {
      LogLeftOut(wish, named.name + " and those after it", TooMany().error());
      break;
    }
    Status done = co_await PullOne(named, wish, patience, pulled);
    if (patience.stop.stop_requested()) break;
    if (!done) LogLeftOut(wish, named.name, std::move(done).error());
  }
  co_return pulled;
}

void AttachmentPull::LogLeftOut(const AttachmentWish& wish, std::string_view name, Error why) {
  context_.log.TakeLimit(why);
  context_.log.Warn("upstream release: an attachment is left out",
                    {{"provider", wish.release.provider.Key()},
                     {"version", wish.release.version.ToString()},
                     {"platform", wish.platform.ToString()},
                     {"attachment", name},
                     {"reason", why.message}});
}

Failure AttachmentPull::TooMany() const {
  return FailLimit(
      ErrorKind::kRefused, "limits.attachments",
      fmt::format("limits.attachments allows {} attachments of a version", limits_.count));
}

Task<void> AttachmentPull::PullOne(const wire::ForeignAttachment& named, const AttachmentWish& wish,
                                   const upstream::Deadline& patience, PulledAttachments& pulled) {
  const UpstreamAttachment* pinned = FindPinned(wish.release, named.name);
  if (pinned != nullptr) co_return Compare(*pinned, named, wish, patience, pulled);
  if (wish.pinned == AttachmentWish::Pinned::kRestore) co_return Status();
  if (wish.release.attachments.size() + pulled.found.size() >= limits_.count) {
    co_return TooMany();
  }
  ASSIGN_OR_CO_RETURN(StagedBlob staged, Receive(named, patience));
  if (named.sha256 && *named.sha256 != staged.info.digest) {
    co_return FailBadUpstream("it has the SHA-256 {}, but its registry states {}",
                              staged.info.digest.hex(), named.sha256->hex());
  }
  ASSIGN_OR_CO_RETURN(const AttachmentKind kind, ParseAttachmentName(named.name));
  const std::vector<Digest> files = FilesOf(wish.release);
  auto check = [&] {
    return CheckAttachmentFile(named.name, kind, staged.writer->staged_file(), staged.info.size,
                               files);
  };
  CO_RETURN_IF_ERROR(co_await Offload(context_.pools.workers, check));
  pulled.found.push_back({{named.name, staged.info.digest, staged.info.size}, wish.platform});
  pulled.blobs.push_back(std::move(staged));
  co_return Status();
}

// Of one that is pinned.
Status AttachmentPull::Compare(const UpstreamAttachment& pinned,
                               const wire::ForeignAttachment& named, const AttachmentWish& wish,
                               const upstream::Deadline& patience, PulledAttachments& pulled) {
  using Pinned = AttachmentWish::Pinned;
  UpstreamAttachment seen{.file = {.name = named.name, .digest = Digest::Of("")},
                          .platform = wish.platform};
  const bool restores = wish.pinned == Pinned::kRestore;
  if (named.sha256 && !restores) {
    seen.file.digest = *named.sha256;
  } else {
    if (wish.pinned == Pinned::kCompareStated) return {};
    ASSIGN_OR_RETURN(StagedBlob staged, Receive(named, patience));
    seen.file.digest = staged.info.digest;
    seen.file.size = staged.info.size;
    const bool is_same = seen.file.digest == pinned.file.digest;
    if (restores && is_same) pulled.blobs.push_back(std::move(staged));
  }
  if (seen.file.digest == pinned.file.digest) return {};
  const Digest now = seen.file.digest;
  pulled.found.push_back(std::move(seen));
  return OtherBytes(pinned, wish.platform, now);
}

Result<StagedBlob> AttachmentPull::Receive(const wire::ForeignAttachment& named,
                                           const upstream::Deadline& patience) {
  if (std::chrono::steady_clock::now() >= patience.deadline) {
    return Fail(ErrorKind::kUpstreamTimeout, "the attachments before it took too long");
  }
  RETURN_IF_ERROR(room_.Check());
  ASSIGN_OR_RETURN(std::unique_ptr<BlobWriter> writer, context_.blobs.Create());
  DiskReservation free_room(room_);
  upstream::ArchiveTransfer transfer{.url = named.url,
                                     .what = "the attachment",
                                     .max_bytes = limits_.bytes,
                                     .max_bytes_name = "limits.attachment_bytes"};
  transfer.patience = patience;
  transfer.time_name = "upstream.timeout";
  transfer.sink = [&](std::span<const std::byte> piece) -> Status {
    RETURN_IF_ERROR(free_room.Add(piece.size()));
    return writer->Write(piece);
  };
  RETURN_IF_ERROR(source_.FetchArchive(transfer));
  ASSIGN_OR_RETURN(const BlobInfo info, writer->Finish());
  return StagedBlob{std::move(writer), info};
}

}  // namespace koya::service
