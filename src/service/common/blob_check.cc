#include "service/common/blob_check.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "archive/module_package.h"
#include "archive/provider_package.h"
#include "base/offload.h"
#include "base/sha256.h"
#include "blobs/blob_store.h"
#include "blobs/fill.h"

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

State StateOf(StoredBlob::State state) {
  switch (state) {
    case StoredBlob::State::kWhole:
      return State::kOk;
    case StoredBlob::State::kDamaged:
      return State::kDamaged;
    case StoredBlob::State::kMissing:
      return State::kMissing;
  }
  return State::kDamaged;
}

}  // namespace

std::string BlobCheck::Words() const {
  if (state == State::kOk && copy == Copy::kWrong) {
    return "the object store has the right bytes, but this server's copy did not: the copy was "
           "dropped";
  }
  if (state == State::kOk || copy == Copy::kNone) return {};
  const std::string_view lost = state == State::kMissing ? "the object store has lost it"
                                                         : "the object store has other bytes";
  if (copy == Copy::kWrong) {
    return fmt::format("{}, and so had this server's copy, which was dropped", lost);
  }
  if (repaired) return fmt::format("{}: this server's copy was stored again", lost);
  return fmt::format("{}; this server's copy is right: --repair stores it again", lost);
}

Task<State> BlobChecker::CheckHere(BlobInfo blob, CheckRequest request) {
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

// The commit stores lost bytes under another name.
Task<void> BlobChecker::StoreAgain(std::shared_ptr<Blob> copy) {
  ASSIGN_OR_CO_RETURN(std::unique_ptr<BlobWriter> writer, blobs.Create());
  BlobSource source(std::move(copy));
  while (true) {
    ASSIGN_OR_CO_RETURN(std::span<const std::byte> bytes, co_await source.Read());
    if (bytes.empty()) break;
    auto write = [&writer, bytes] { return writer->Write(bytes); };
    CO_RETURN_IF_ERROR(co_await Offload(blobs.workers(), std::move(write)));
  }
  auto finish = [&writer] { return writer->Finish(); };
  Result<BlobInfo> finished = co_await Offload(blobs.workers(), std::move(finish));
  if (!finished) co_return Failure(std::move(finished).error());
  co_return co_await writer->Commit();
}

Task<BlobCheck> BlobChecker::Check(BlobInfo blob, CheckRequest request) {
  BlobCheck check;
  ASSIGN_OR_CO_RETURN(std::optional<StoredBlob> stored,
                      co_await blobs.CheckStored(blob, request.quick));
  if (!stored) {
    ASSIGN_OR_CO_RETURN(check.state, co_await CheckHere(blob, request));
    co_return check;
  }
  check.state = StateOf(stored->state);
  if (stored->copy == nullptr || request.quick) co_return check;
  Result<Digest> found = co_await HashBlob(stored->copy, workers);
  if (!found && found.error().kind != ErrorKind::kCorrupt) {
    co_return Failure(std::move(found).error());
  }
  check.copy = found && *found == blob.digest ? BlobCheck::Copy::kRight : BlobCheck::Copy::kWrong;
  if (check.copy == BlobCheck::Copy::kWrong) co_await blobs.DropCopy(blob.digest);
  const bool lost = check.state != State::kOk;
  if (!request.repair || !lost || check.copy != BlobCheck::Copy::kRight) co_return check;
  CO_RETURN_IF_ERROR(co_await StoreAgain(std::move(stored->copy)));
  check.repaired = true;
  co_return check;
}

namespace {

std::string Refusal(std::string_view why) {
  return fmt::format("today's rules would reject it: {}", why);
}

// What `inspect` (descriptor, size → Result<T>) finds, or nothing where there is no file. What the
// rules refuse is added to `warnings`.
template <class T, class Inspect>
Task<std::optional<T>> Look(ArchiveReview& review, Digest digest, Inspect inspect,
                            std::vector<std::string>& warnings) {
  ASSIGN_OR_CO_RETURN(std::shared_ptr<Blob> blob, co_await review.blobs.Open(digest));
  CO_RETURN_IF_ERROR(co_await WaitUntilWhole(blob));
  std::optional<int> descriptor = blob->file_descriptor();
  if (!descriptor) co_return std::optional<T>();
  auto work = [&] { return inspect(*descriptor, blob->size()); };
  Result<T> found = co_await Offload(review.workers, std::move(work));
  if (found) co_return std::optional<T>(*std::move(found));
  if (found.error().kind != ErrorKind::kRefused) co_return Failure(std::move(found).error());
  warnings.push_back(Refusal(found.error().message));
  co_return std::optional<T>();
}

}  // namespace

Task<std::vector<std::string>> ArchiveReview::Module(Digest digest) {
  std::vector<std::string> warnings;
  auto inspect = [this](int descriptor, std::uint64_t size) {
    return InspectModule(descriptor, size, module);
  };
  CO_RETURN_IF_ERROR(co_await Look<ModuleInspection>(*this, digest, inspect, warnings));
  co_return warnings;
}

Task<std::vector<std::string>> ArchiveReview::ForeignModule(Digest digest) {
  std::vector<std::string> warnings;
  auto inspect = [this](int descriptor, std::uint64_t size) {
    return InspectForeignModule(descriptor, size, module);
  };
  CO_RETURN_IF_ERROR(co_await Look<ModuleInspection>(*this, digest, inspect, warnings));
  co_return warnings;
}

Task<std::vector<std::string>> ArchiveReview::ForeignPackage(Digest digest, std::string type) {
  std::vector<std::string> warnings;
  auto inspect = [this, &type](int descriptor, std::uint64_t size) {
    return InspectProviderPackage(descriptor, size, type, zip);
  };
  CO_RETURN_IF_ERROR(co_await Look<ProviderPackageInspection>(*this, digest, inspect, warnings));
  co_return warnings;
}

Task<std::vector<std::string>> ArchiveReview::OwnPackage(Digest digest, std::string type,
                                                         std::vector<std::string> h1) {
  std::vector<std::string> warnings;
  auto inspect = [this, &type](int descriptor, std::uint64_t size) {
    return InspectProviderPackage(descriptor, size, type, zip);
  };
  ASSIGN_OR_CO_RETURN(std::optional<ProviderPackageInspection> found,
                      co_await Look<ProviderPackageInspection>(*this, digest, inspect, warnings));
  if (!found) co_return warnings;
  for (const std::string& problem : found->problems) warnings.push_back(Refusal(problem));
  if (found->h1 != h1) {
    warnings.push_back(
        fmt::format("clients compute {} of it, but the registry reports {}: lock files with the "
                    "reported hash do not match; publish a higher version",
                    fmt::join(found->h1, ", "), fmt::join(h1, ", ")));
  }
  co_return warnings;
}

}  // namespace koya::service
