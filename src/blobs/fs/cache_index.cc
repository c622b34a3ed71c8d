#include "blobs/fs/cache_index.h"

#include <algorithm>
#include <iterator>

#include "blobs/fs/blob_files.h"

namespace koya {

std::unique_ptr<CacheReservation> CacheIndex::Reserve() const {
  return std::make_unique<CacheReservation>(bytes_);
}

CacheIndex::Entry CacheIndex::Retire(Entry entry) {
  if (entry->chosen_) chosen_ -= entry->size();
  bytes_->gone += entry->size();
  bytes_->kept -= entry->size();
  entry->gone = true;
  return entry;
}

CacheIndex::Entry CacheIndex::Add(const Digest& digest, std::uint64_t size, Time used,
                                  CacheReservation* staged) {
  auto added = std::make_shared<CacheEntry>(digest, size, bytes_);
  added->last = used;
  added->noted_ = used;
  Entry replaced;  // outlives the lock
  std::lock_guard lock(mutex_);
  Entry& place = entries_[digest];
  if (place) replaced = Retire(std::move(place));
  bytes_->kept += size;
  if (staged != nullptr) staged->Release();
  place = added;
  return added;
}

bool CacheIndex::Remove(const Entry& entry) {
  std::lock_guard lock(mutex_);
  auto found = entries_.find(entry->digest());
  if (found == entries_.end() || found->second != entry) return false;
  Retire(std::move(found->second));  // the caller holds it
  entries_.erase(found);
  return true;
}

CacheIndex::Entry CacheIndex::FindEntry(const Digest& digest) const {
  std::lock_guard lock(mutex_);
  auto found = entries_.find(digest);
  return found == entries_.end() ? nullptr : found->second;
}

CacheIndex::Entry CacheIndex::Next(const std::optional<Digest>& after) const {
  std::lock_guard lock(mutex_);
  auto next = after ? entries_.upper_bound(*after) : entries_.begin();
  return next == entries_.end() ? nullptr : next->second;
}

std::vector<CacheIndex::Entry> CacheIndex::InFolder(std::size_t folder) const {
  Sha256Bytes first{};
  first[0] = static_cast<std::byte>(folder);
  std::vector<Entry> found;
  std::lock_guard lock(mutex_);
  for (auto entry = entries_.lower_bound(Digest(first));
       entry != entries_.end() && BlobLayout::FolderIndex(entry->first) == folder; ++entry) {
    found.push_back(entry->second);
  }
  return found;
}

std::vector<CacheIndex::Entry> CacheIndex::Choose(std::uint64_t spare) {
  if (spare == 0 && bytes_->total() <= bound_) return {};
  std::lock_guard lock(mutex_);
  const std::uint64_t left = bytes_->total() - chosen_;
  std::uint64_t wanted = spare;
  if (left > bound_) wanted = std::max(wanted, left - (bound_ - bound_ / 10));
  if (wanted == 0) return {};
  using Age = std::pair<Time, Digest>;
  std::vector<Age> ages;
  ages.reserve(entries_.size());
  for (const auto& [digest, entry] : entries_) {
    if (!entry->chosen_) ages.emplace_back(entry->last.load(), digest);
  }
  std::ranges::make_heap(ages, std::greater<>());
  std::vector<Entry> chosen;
  std::uint64_t won = 0;
  while (won < wanted && !ages.empty()) {
    std::ranges::pop_heap(ages, std::greater<>());
    const Entry& oldest = entries_.at(ages.back().second);
    ages.pop_back();
    oldest->chosen_ = true;
    won += oldest->size();
    chosen.push_back(oldest);
  }
  chosen_ += won;
  return chosen;
}

std::vector<std::pair<CacheIndex::Entry, CacheIndex::Time>> CacheIndex::TakeUnnoted(
    std::chrono::seconds interval) {
  std::vector<std::pair<Entry, Time>> taken;
  std::lock_guard lock(mutex_);
  for (const auto& [digest, entry] : entries_) {
    const Time used = entry->last;
    if (used - entry->noted_ < interval) continue;
    entry->noted_ = used;
    taken.emplace_back(entry, used);
  }
  return taken;
}

std::size_t CacheIndex::count() const {
  std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace koya
