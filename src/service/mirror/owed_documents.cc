#include "service/mirror/owed_documents.h"

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
#include "service/mirror/context.h"
#include "service/mirror/mirror_pools.h"
#include "service/small_blob.h"

namespace koya::service {
namespace {

constexpr std::chrono::hours kOwedFor(1);
constexpr int kLongerPauses = 4;
constexpr std::string_view kUndocumented = "a release stays without its author's documents: ";

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

bool OwedDocuments::Take(const UpstreamRelease& kept, UpstreamRelease whole, Texts texts) {
  // They would keep the right ones out.
  if (!NamesAll(whole, kept)) return false;
  if (std::max(texts.sums.size(), texts.signature.size()) > kSmallBlobBytes) return false;
  std::string key = OwedKey(whole);
  auto owed = std::make_shared<const Owed>(std::move(whole), std::move(texts),
                                           std::chrono::steady_clock::now() + kOwedFor);
  {
    std::lock_guard lock(mutex_);
    if (owed_.size() >= kMost) return owed_.contains(key);
    owed_.try_emplace(std::move(key), std::move(owed));
    if (std::exchange(storing_, true)) return true;
  }
  context_.pools.documents.Spawn(StoreInTime());
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
    const auto& [whole, texts, until] = *owed;
    if (whole.sums && whole.sums->digest == digest) return BlobOfText(texts.sums);
    if (whole.signature && whole.signature->digest == digest) return BlobOfText(texts.signature);
  }
  return nullptr;
}

std::size_t OwedDocuments::size() const {
  std::lock_guard lock(mutex_);
  return owed_.size();
}

// One for all that is owed, as each attempt costs the catalog a write, even while the store is
// away: one release is tried, and the others follow when it was taken.
Awaitable<void> OwedDocuments::StoreInTime() {
  const std::stop_token stop = context_.pools.documents.stopping();
  std::chrono::milliseconds pause = pause_;
  co_await PauseForOthers(stop, pause);
  std::string key;
  while (OwedPtr owed = Next(stop, key)) {
    const bool away = co_await IsStoreAway(key, std::move(owed));
    pause = away ? std::min(2 * pause, kLongerPauses * pause_) : pause_;
    if (away) co_await PauseForOthers(stop, pause);
  }
}

// The one after `key`, which becomes its key: whatever is wrong with one, the others have their
// turn. Null: nothing is owed any more, and the next to come must be seen to.
OwedDocuments::OwedPtr OwedDocuments::Next(const std::stop_token& stop, std::string& key) {
  std::lock_guard lock(mutex_);
  if (stop.stop_requested()) owed_.clear();
  storing_ = !owed_.empty();
  if (!storing_) return nullptr;
  auto next = owed_.upper_bound(key);
  if (next == owed_.end()) next = owed_.begin();
  key = next->first;
  return next->second;
}

// Tries to store one, which is owed no longer when the store has taken it, or has said why not.
Awaitable<bool> OwedDocuments::IsStoreAway(std::string key, OwedPtr owed) {
  Status stored;
  try {
    stored = co_await Store(std::move(owed));
  } catch (const std::exception& exception) {
    stored = Fail(ErrorKind::kInternal, "the log says why", exception.what());
  }
  if (!stored && stored.error().kind == ErrorKind::kUnavailable) {
    GiveUpOld(stored.error());
    co_return true;
  }
  if (!stored) context_.log.Failure(fmt::format("{}{}", kUndocumented, key), stored.error());
  std::lock_guard lock(mutex_);
  owed_.erase(key);
  co_return false;
}

// Whoever wants what has been owed for too long makes it asked for again.
void OwedDocuments::GiveUpOld(const Error& why) {
  const auto now = std::chrono::steady_clock::now();
  std::vector<std::string> old;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [key, owed] : owed_) {
      if (owed->until <= now) old.push_back(key);
    }
    for (const std::string& key : old) owed_.erase(key);
  }
  for (const std::string& key : old)
    context_.log.Failure(fmt::format("{}{}", kUndocumented, key), why);
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
