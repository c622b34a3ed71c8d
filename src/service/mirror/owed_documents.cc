#include "service/mirror/owed_documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <utility>

#include "service/small_blob.h"

namespace koya::service {
namespace {

constexpr std::chrono::hours kOwedFor(1);

std::string OwedKey(const UpstreamRelease& release) {
  return fmt::format("{} {}", release.provider.Key(), release.version.ToString());
}

const UpstreamPackage* FindPlatform(const UpstreamRelease& release, const Platform& platform) {
  auto found = std::ranges::find(release.packages, platform, &UpstreamPackage::platform);
  return found == release.packages.end() ? nullptr : &*found;
}

// Whether the documents name every package that is kept, as it is kept.
bool NamesAll(const UpstreamRelease& whole, const UpstreamRelease& kept) {
  return std::ranges::all_of(kept.packages, [&whole](const UpstreamPackage& package) {
    const UpstreamPackage* named = FindPlatform(whole, package.platform);
    return named != nullptr && named->digest == package.digest;
  });
}

}  // namespace

bool OwedDocuments::Take(UpstreamRelease whole, Texts texts) {
  if (std::max(texts.sums.size(), texts.signature.size()) > kSmallBlobBytes) return false;
  std::string key = OwedKey(whole);
  auto owed = std::make_shared<const Owed>(std::move(whole), std::move(texts));
  {
    std::lock_guard lock(mutex_);
    if (owed_.size() >= kMost) return owed_.contains(key);
    if (!owed_.emplace(key, owed).second) return true;
  }
  context_.pools.documents.Spawn(StoreInTime(std::move(key), std::move(owed)));
  return true;
}

UpstreamRelease OwedDocuments::Complete(UpstreamRelease kept) const {
  if (kept.signature) return kept;
  OwedPtr owed;
  {
    std::lock_guard lock(mutex_);
    auto found = owed_.find(OwedKey(kept));
    if (found == owed_.end()) return kept;
    owed = found->second;
  }
  const UpstreamRelease& whole = owed->whole;
  if (!NamesAll(whole, kept)) return kept;
  kept.sums = whole.sums;
  kept.signature = whole.signature;
  kept.keys = whole.keys;
  kept.fit_for_origin = whole.fit_for_origin;
  for (const UpstreamPackage& package : whole.packages) {
    if (FindPlatform(kept, package.platform) == nullptr) kept.packages.push_back(package);
  }
  std::ranges::sort(kept.packages, {}, &UpstreamPackage::platform);
  return kept;
}

std::shared_ptr<Blob> OwedDocuments::Open(const Digest& digest) const {
  std::lock_guard lock(mutex_);
  for (const auto& [key, owed] : owed_) {
    const auto& [whole, texts] = *owed;
    if (whole.sums && whole.sums->digest == digest) return BlobOfText(texts.sums);
    if (whole.signature && whole.signature->digest == digest) return BlobOfText(texts.signature);
  }
  return nullptr;
}

std::size_t OwedDocuments::size() const {
  std::lock_guard lock(mutex_);
  return owed_.size();
}

Awaitable<void> OwedDocuments::StoreInTime(std::string key, OwedPtr owed) {
  Status stored;
  try {
    stored = co_await TryToStore(owed);
  } catch (const std::exception& exception) {
    stored = Fail(ErrorKind::kInternal, "the log says why", exception.what());
  }
  if (!stored) {
    context_.log.Failure("a release stays without its author's documents: " + key, stored.error());
  }
  std::lock_guard lock(mutex_);
  owed_.erase(key);
}

// Until the store takes them, says something else, or it has been too long.
Task<void> OwedDocuments::TryToStore(OwedPtr owed) {
  const std::stop_token stop = context_.pools.documents.stopping();
  const auto end = std::chrono::steady_clock::now() + kOwedFor;
  for (;;) {
    co_await PauseForOthers(stop, pause_);
    if (stop.stop_requested()) co_return Status();
    Status stored = co_await Store(owed);
    const bool away = !stored && stored.error().kind == ErrorKind::kUnavailable;
    if (!away || std::chrono::steady_clock::now() >= end) co_return stored;
  }
}

// Data first, record last, as ever. What is pinned by now may be another release's.
Task<void> OwedDocuments::Store(OwedPtr owed) {
  for (const std::string* text : {&owed->texts.sums, &owed->texts.signature}) {
    Result<ReleaseDocument> stored = co_await StoreText(context_.blobs, *text);
    if (!stored) co_return Failure(std::move(stored).error());
  }
  UpstreamRelease whole = owed->whole;
  ASSIGN_OR_CO_RETURN(UpstreamRelease kept,
                      co_await context_.catalog.FindUpstreamRelease(whole.provider, whole.version));
  if (!NamesAll(whole, kept)) co_return Status();
  Result<UpstreamRelease> pinned = co_await context_.catalog.PinRelease(std::move(whole), true);
  if (!pinned) co_return Failure(std::move(pinned).error());
  co_return Status();
}

}  // namespace koya::service
