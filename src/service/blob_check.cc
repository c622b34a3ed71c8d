#include "service/blob_check.h"

#include <memory>
#include <span>
#include <utility>

#include "base/offload.h"
#include "base/sha256.h"
#include "blobs/blob_source.h"
#include "blobs/blob_store.h"

namespace koya::service {
namespace {

using State = CheckReport::State;

Task<Digest> HashBlob(std::shared_ptr<Blob> blob, WorkerPool& workers) {
  BlobSource source(std::move(blob));
  Sha256Hasher hasher;
  while (true) {
    ASSIGN_OR_CO_RETURN(std::span<const std::byte> bytes, co_await source.Read());
    if (bytes.empty()) break;
    auto update = [&hasher, bytes]() -> Status {
      hasher.Update(bytes);
      return {};
    };
    CO_RETURN_IF_ERROR(co_await Offload(workers, std::move(update)));
  }
  co_return Digest(hasher.Finish());
}

}  // namespace

Task<State> BlobChecker::Check(BlobInfo blob, CheckRequest request) {
  Result<std::shared_ptr<Blob>> open = co_await blobs.Open(blob.digest);
  if (!open && open.error().kind == ErrorKind::kNotFound) co_return State::kMissing;
  if (!open && open.error().kind == ErrorKind::kCorrupt) co_return State::kDamaged;
  if (!open) co_return Failure(std::move(open).error());
  if (blob.size != 0 && (*open)->size() != blob.size) co_return State::kDamaged;
  if (request.quick) co_return State::kOk;
  Result<Digest> found = co_await HashBlob(*std::move(open), workers);
  if (!found && found.error().kind == ErrorKind::kCorrupt) co_return State::kDamaged;
  if (!found) co_return Failure(std::move(found).error());
  co_return *found == blob.digest ? State::kOk : State::kDamaged;
}

}  // namespace koya::service
