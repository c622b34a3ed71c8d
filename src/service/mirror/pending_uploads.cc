#include "service/mirror/pending_uploads.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "blobs/blob_store.h"
#include "catalog/upstream_catalog.h"
#include "obs/log.h"
#include "service/common/blob_io.h"
#include "service/common/freeze.h"
#include "service/mirror/context.h"
#include "service/mirror/fetch_lease.h"

namespace koya::service {
namespace {

constexpr std::chrono::hours kPendingFor(1);
constexpr int kLongerPauses = 4;
constexpr std::string_view kUndocumented = "a release has no documents of its author: ";

std::string PendingKey(const UpstreamRelease& release) {
  return fmt::format("{} {}", release.provider.Key(), release.version.ToString());
}

const UpstreamPackage* FindPlatform(const UpstreamRelease& release, const Platform& platform) {
  auto found = std::ranges::find(release.packages, platform, &UpstreamPackage::platform);
  return found == release.packages.end() ? nullptr : &*found;
}

// Returns whether the documents name every pinned package with its pinned digest.
bool NamesAll(const UpstreamRelease& whole, const UpstreamRelease& kept) {
  return std::ranges::all_of(kept.packages, [&whole](const UpstreamPackage& package) {
    const UpstreamPackage* named = FindPlatform(whole, package.platform);
    return named != nullptr && named->digest == package.digest;
  });
}

}  // namespace

bool PendingUploads::AddDocuments(const UpstreamRelease& kept, UpstreamRelease whole, Texts texts) {
  // Wrong documents would keep the right ones out.
  if (!NamesAll(whole, kept)) return false;
  if (std::max(texts.sums.size(), texts.signature.size()) > kSmallBlobBytes) return false;
  std::string key = PendingKey(whole);
  auto owed = std::make_shared<const Pending>(std::move(whole), std::move(texts),
                                              std::chrono::steady_clock::now() + kPendingFor);
  {
    std::lock_guard lock(mutex_);
    if (pending_.size() >= kMost) return pending_.contains(key);
    pending_.try_emplace(std::move(key), std::move(owed));
    if (std::exchange(storing_, true)) return true;
  }
  context_.pools.documents.Spawn(StoreInTime());
  return true;
}

void PendingUploads::MakeRoom() {
  std::lock_guard lock(mutex_);
  if (pending_.size() < kMost) return;
  pending_.erase(
      std::ranges::min_element(pending_, {}, [](const auto& each) { return each.second->until; }));
}

UpstreamRelease PendingUploads::Complete(UpstreamRelease kept) const {
  if (kept.signature) return kept;
  PendingPtr owed;
  {
    std::lock_guard lock(mutex_);
    auto found = pending_.find(PendingKey(kept));
    if (found == pending_.end()) return kept;
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

std::shared_ptr<Blob> PendingUploads::OpenDocument(const Digest& digest) const {
  std::lock_guard lock(mutex_);
  for (const auto& [key, owed] : pending_) {
    const auto& [whole, texts, until] = *owed;
    if (whole.sums && whole.sums->digest == digest) return BlobOfText(texts.sums);
    if (whole.signature && whole.signature->digest == digest) return BlobOfText(texts.signature);
  }
  return nullptr;
}

std::size_t PendingUploads::size() const {
  std::lock_guard lock(mutex_);
  return pending_.size();
}

// One task stores all pending documents, since each attempt costs the catalog a write even while
// the store is away: it tries one release, and the others follow once that one is stored.
Awaitable<void> PendingUploads::StoreInTime() {
  const std::stop_token stop = context_.pools.documents.stopping();
  std::chrono::milliseconds pause = pause_;
  co_await PauseForOthers(stop, pause);
  std::string key;
  while (PendingPtr owed = Next(stop, key)) {
    const bool away = co_await IsStoreAway(key, std::move(owed));
    pause = away ? std::min(2 * pause, kLongerPauses * pause_) : pause_;
    if (away) co_await PauseForOthers(stop, pause);
  }
}

// Returns the release after `key` and sets `key` to it: a release that cannot be stored does not
// block the others. Null: none is pending; the next AddDocuments() spawns a new task.
PendingUploads::PendingPtr PendingUploads::Next(const std::stop_token& stop, std::string& key) {
  std::lock_guard lock(mutex_);
  if (stop.stop_requested()) pending_.clear();
  storing_ = !pending_.empty();
  if (!storing_) return nullptr;
  auto next = pending_.upper_bound(key);
  if (next == pending_.end()) next = pending_.begin();
  key = next->first;
  return next->second;
}

// Tries to store one release; removes it when it is stored or the store rejects it.
Awaitable<bool> PendingUploads::IsStoreAway(std::string key, PendingPtr owed) {
  Status stored;
  try {
    stored = co_await Store(std::move(owed));
  } catch (const std::exception& exception) {
    stored = Fail(ErrorKind::kInternal, "see the log", exception.what());
  }
  if (!stored && stored.error().kind == ErrorKind::kUnavailable) {
    GiveUpOld(stored.error());
    co_return true;
  }
  if (!stored) context_.log.Failure(fmt::format("{}{}", kUndocumented, key), stored.error());
  std::lock_guard lock(mutex_);
  pending_.erase(key);
  co_return false;
}

// Drops documents that have been pending for too long; the next request for them asks upstream
// again.
void PendingUploads::GiveUpOld(const Error& why) {
  const auto now = std::chrono::steady_clock::now();
  std::vector<std::string> old;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [key, owed] : pending_) {
      if (owed->until <= now) old.push_back(key);
    }
    for (const std::string& key : old) pending_.erase(key);
  }
  for (const std::string& key : old)
    context_.log.Failure(fmt::format("{}{}", kUndocumented, key), why);
}

// Stores data first, the record last, as ever. The release that is pinned by now may be another
// one. A release that was fetched while the registry was frozen is not pinned: its documents are
// dropped.
Task<void> PendingUploads::Store(PendingPtr owed) {
  if (co_await IsFrozen(context_.freeze)) co_return FailUnavailable("the registry is frozen");
  UpstreamRelease whole = owed->whole;
  Result<UpstreamRelease> kept =
      co_await context_.catalog.FindUpstreamRelease(whole.provider, whole.version);
  if (!kept && kept.error().kind == ErrorKind::kNotFound) co_return Status();
  if (!kept) co_return Failure(std::move(kept).error());
  if (!NamesAll(whole, *kept)) co_return Status();
  for (const std::string* text : {&owed->texts.sums, &owed->texts.signature}) {
    Result<ReleaseDocument> stored = co_await StoreText(context_.blobs, *text);
    if (!stored) co_return Failure(std::move(stored).error());
  }
  Result<UpstreamRelease> pinned = co_await context_.catalog.PinRelease(std::move(whole), true);
  if (!pinned) co_return Failure(std::move(pinned).error());
  co_return Status();
}

}  // namespace koya::service
