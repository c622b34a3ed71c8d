#include "blobs/s3/object_transfer.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <thread>
#include <utility>

#include "base/encoding.h"
#include "base/offload.h"

namespace koya {

std::string ObjectPrefixOf(const Digest& digest) {
  const std::string hex = digest.hex();
  return "sha256/" + hex.substr(0, 2) + "/" + hex.substr(2) + "/";
}

Result<std::string> FreshObjectName(const Digest& digest) {
  std::array<std::byte, 16> random{};
  if (::getentropy(random.data(), random.size()) != 0) {
    return Failure(ErrnoError("read random bytes for an object's name", errno));
  }
  return ObjectPrefixOf(digest) + HexEncode(random);
}

namespace {

// Readers are notified of the first bytes at once, then after this many new bytes or this much
// time, because a notification costs a thread switch. Smaller steps while waiting for the store:
// there is time then.
constexpr std::uint64_t kTold = 4 * kObjectPiece;
constexpr std::uint64_t kReportedWhileWaiting = kObjectPiece;
constexpr std::chrono::milliseconds kToldEach{2};
// How often a transfer that breaks, each time further on, is taken up again.
constexpr int kMostBreaks = 32;

// Others may be asked, or the same ones later.
bool MayPass(const Error& error) {
  return error.kind == ErrorKind::kUnavailable || error.kind == ErrorKind::kTimeout;
}

// Lists the objects of a digest in the store while the catalog is unavailable. Any object with the
// right hash will do. An empty listing does not prove that the blob is missing: the result is the
// catalog's failure then.
Task<LocatedBlob> LocateByListing(const S3BlobParts& parts, Digest digest, Error why) {
  LocatedBlob located{.objects = {}, .listed = true};
  Result<std::vector<ObjectInfo>> listed =
      co_await parts.objects.List(ObjectPrefixOf(digest), std::string());
  if (!listed) {
    parts.log.Failure("a blob's objects cannot be listed", listed.error(),
                      {{"digest", digest.ToString()}});
  }
  if (!listed || listed->empty()) co_return Failure(std::move(why));
  for (ObjectInfo& info : *listed) {
    located.objects.push_back({std::move(info.name), digest, info.size});
  }
  co_return located;
}

}  // namespace

Error FailureOfStore(Error error) {
  if (error.kind == ErrorKind::kTimeout) error.kind = ErrorKind::kUnavailable;
  return error;
}

Error StoppedTransfer() {
  Error error{ErrorKind::kUnavailable, "the server is stopping; try again in a moment", {}};
  error.retry_after = 1;
  return error;
}

Task<LocatedBlob> LocateBlob(const S3BlobParts& parts, Digest digest) {
  Result<BlobObject> found = co_await parts.ledger.FindStored(digest);
  if (found) co_return LocatedBlob{{*std::move(found)}, false};
  if (MayPass(found.error())) {
    co_return co_await LocateByListing(parts, digest, std::move(found).error());
  }
  if (found.error().kind != ErrorKind::kNotFound) co_return Failure(std::move(found).error());
  co_return Fail(ErrorKind::kNotFound,
                 fmt::format("no bytes are stored under {}", digest.ToString()),
                 found.error().detail);
}

ObjectTransfer::ObjectTransfer(TransferContext context, LocatedBlob located, std::size_t attempt)
    : context_(std::move(context)),
      located_(std::move(located)),
      object_(located_.objects[attempt % located_.objects.size()]) {}

std::size_t ObjectTransfer::attempts() const {
  if (object_.lost) return 1;
  return std::max<std::size_t>(2, located_.objects.size());
}

Task<BlobInfo> ObjectTransfer::Run(std::shared_ptr<Fill> fill) {
  CO_RETURN_IF_ERROR(co_await Receive(std::move(fill)));
  auto finish = [this] { return writer_->Finish(); };
  ASSIGN_OR_CO_RETURN(BlobInfo found,
                      co_await Offload(context_.parts.cache.workers(), std::move(finish)));
  if (!too_long_ && found.digest == object_.digest) co_return found;
  wrong_ = too_long_ ? fmt::format("it has more than {} bytes", object_.size)
                     : fmt::format("{} bytes that hash to {}", found.size, found.digest.ToString());
  Error error{ErrorKind::kUnavailable,
              "the archive arrived damaged from the object store and is being fetched again; try "
              "again in a moment",
              wrong_};
  error.retry_after = 1;
  co_return Failure(std::move(error));
}

Status ObjectTransfer::AcceptBytes(std::span<const std::byte> bytes, Fill& fill) {
  context_.counts.bytes += bytes.size();
  too_long_ = writer_->size() + bytes.size() > object_.size;
  if (too_long_) return FailCorrupt("the store sent more than the object's size");
  RETURN_IF_ERROR(writer_->Write(bytes));
  const std::uint64_t size = writer_->size();
  const auto now = std::chrono::steady_clock::now();
  const std::uint64_t enough = bytes.size() < kObjectPiece ? kReportedWhileWaiting : kTold;
  const bool soon = size - told_ < enough && now - told_at_ < kToldEach;
  if (told_ != 0 && soon && size != object_.size) return {};
  const bool first = told_ == 0;
  told_ = size;
  told_at_ = now;
  fill.Grow(size);
  // Who waits for the first bytes sends them before more are fetched, also where both threads have
  // one core.
  if (first) std::this_thread::yield();
  return {};
}

Task<void> ObjectTransfer::Receive(std::shared_ptr<Fill> fill) {
  std::size_t misses = 0;
  for (int breaks = 0;;) {
    const std::uint64_t offset = writer_->size();
    ObjectSink sink = [this, &fill](std::span<const std::byte> bytes) {
      return AcceptBytes(bytes, *fill);
    };
    Status got = co_await context_.parts.objects.Get(
        object_.name, {.offset = offset, .size = object_.size}, std::move(sink), context_.stop);
    if (got || too_long_) co_return Status();
    if (stopping()) co_return Failure(StoppedTransfer());
    if (got.error().kind == ErrorKind::kNotFound) {
      CO_RETURN_IF_ERROR(co_await LookAgain(++misses));
      continue;
    }
    const bool got_on = writer_->size() > offset && ++breaks <= kMostBreaks;
    const bool goes_on = got_on && MayPass(got.error());
    if (!goes_on) co_return Failure(FailureOfStore(std::move(got).error()));
  }
}

// The ledger says that the object is there, and the store that it is not.
Task<void> ObjectTransfer::LookAgain(std::size_t misses) {
  const std::vector<std::chrono::milliseconds>& waits = context_.options.missing_waits;
  if (misses > waits.size()) co_return co_await DeclareLost("the store has no such object");
  std::function<bool()> stopped = [this] { return stopping(); };
  const auto until = std::chrono::steady_clock::now() + waits[misses - 1];
  const bool ended = co_await context_.changed.WaitUntil(std::move(stopped), until);
  if (ended) co_return Failure(StoppedTransfer());
  if (located_.listed) co_return Status();
  // Another one may hold it by now, or none: it was collected after it had been opened.
  Result<BlobObject> now = co_await context_.parts.ledger.FindStored(object_.digest);
  const bool left = !now && now.error().kind == ErrorKind::kNotFound;
  if (left) co_return Failure(std::move(now).error());
  if (now && now->size == object_.size) {
    of_two_ = of_two_ || (writer_->size() > 0 && now->name != object_.name);
    object_ = *std::move(now);
  }
  co_return Status();
}

// Its bytes are asked for at the store by the next reader all the same: it may come back.
Task<void> ObjectTransfer::DeclareLost(std::string why) {
  ++context_.counts.lost;
  context_.parts.log.Error(
      "the object store has lost a blob: publish it again, or restore the object",
      {{"digest", object_.digest.ToString()},
       {"object", object_.name},
       {"bytes", object_.size},
       {"why", why}});
  if (!located_.listed) {
    Status noted = co_await context_.parts.ledger.Lose(object_.name);
    if (!noted) {
      context_.parts.log.Failure("a lost object could not be marked as such", noted.error());
    }
  }
  co_return Fail(ErrorKind::kCorrupt,
                 fmt::format("the bytes stored under {} are lost or damaged: publish them again, "
                             "or have the server's operator restore them from a backup",
                             object_.digest.ToString()),
                 object_.name + ": " + why);
}

Awaitable<void> ObjectTransfer::DeclareFound() {
  if (of_two_) co_return;
  context_.parts.log.Info("a blob that the object store had lost is available again",
                          {{"digest", object_.digest.ToString()}, {"object", object_.name}});
  Status noted = co_await context_.parts.ledger.Regain(object_.name);
  if (!noted) {
    context_.parts.log.Failure("an object that was lost could not be marked as found",
                               noted.error());
  }
}

}  // namespace koya
