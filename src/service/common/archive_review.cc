#include "service/common/archive_review.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "archive/module_package.h"
#include "archive/provider_package.h"
#include "base/offload.h"
#include "blobs/blob_store.h"
#include "blobs/fill.h"

namespace koya::service {
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
