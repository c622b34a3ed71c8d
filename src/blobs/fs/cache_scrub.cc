#include "blobs/fs/cache_scrub.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string_view>

#include "base/file_io.h"

namespace koya {
namespace {

constexpr std::size_t kScrubPiece = 256 * 1024;
constexpr std::chrono::minutes kColdAfter{10};
constexpr std::chrono::minutes kSaveEvery{1};
constexpr std::chrono::seconds kRoundEvery{60};  // at most
constexpr std::size_t kPositionText = 71;        // sha256:<64>

std::optional<Digest> ReadPosition(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  std::array<char, kPositionText> text{};
  if (!file.valid()) return std::nullopt;
  auto got = ReadSome(file.get(), std::as_writable_bytes(std::span(text)));
  if (!got) return std::nullopt;
  Result<Digest> digest = Digest::Parse(std::string_view(text.data(), *got));
  return digest ? std::optional(*digest) : std::nullopt;
}

}  // namespace

CacheScrub::CacheScrub(FsCache& cache, std::uint64_t bytes_per_second)
    : cache_(cache),
      bytes_per_second_(bytes_per_second),
      position_file_(cache.layout_.root() + "/scrubbed"),
      piece_(kScrubPiece),
      position_(ReadPosition(position_file_)),
      round_began_(std::chrono::steady_clock::now()),
      saved_(round_began_) {}

CacheScrub::~CacheScrub() { SavePosition(); }

void CacheScrub::SavePosition() {
  if (!position_) return;
  saved_ = std::chrono::steady_clock::now();
  // Only a place to begin at: lost or half written, it is another one.
  UniqueFd file(
      ::open(position_file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0640));
  const std::string text = position_->ToString();
  if (file.valid()) (void)WriteAll(file.get(), std::as_bytes(std::span(text)));
}

void CacheScrub::Stop() {
  {
    std::lock_guard lock(stopped_.mutex());
    stop_.request_stop();
  }
  stopped_.NotifyAll();
}

Awaitable<void> CacheScrub::Run(WorkerPool& workers) {
  if (bytes_per_second_ == 0) co_return;
  std::uint64_t read = 0;
  std::function<void()> step = [this, &read] { read = Step(bytes_per_second_); };
  std::function<bool()> is_over = [this] { return stop_.stop_requested(); };
  while (!stop_.stop_requested()) {
    const auto began = std::chrono::steady_clock::now();
    co_await workers.Run(step);
    const bool is_small = read < bytes_per_second_;  // that was all of the cache
    const auto next = began + (is_small ? kRoundEvery : std::chrono::seconds(1));
    co_await stopped_.WaitUntil(is_over, next);
  }
}

std::uint64_t CacheScrub::Step(std::uint64_t budget) {
  std::uint64_t done = 0;
  const std::optional<Digest> began_after = position_;
  bool has_wrapped = false;
  while (done < budget && !stop_.stop_requested()) {
    if (current_ && current_->entry->gone) current_.reset();
    if (!current_ && !Begin()) {
      if (has_wrapped || !began_after) break;
      has_wrapped = true;
      continue;
    }
    if (has_wrapped && began_after && current_->entry->digest() > *began_after) break;
    done += Read(std::min<std::uint64_t>(budget - done, kScrubPiece));
  }
  cache_.scrubbed_ += done;
  if (std::chrono::steady_clock::now() - saved_ >= kSaveEvery) SavePosition();
  return done;
}

bool CacheScrub::Begin() {
  while (CacheIndex::Entry entry = cache_.index_.Next(position_)) {
    position_ = entry->digest();
    const std::string path = cache_.layout_.PathOf(entry->digest());
    UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file.valid()) {
      cache_.suspect_ = true;  // was deleted, most likely
      continue;
    }
    const bool is_cold = std::chrono::steady_clock::now() - entry->last.load() > kColdAfter;
    if (is_cold) (void)::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
    current_.emplace(std::move(entry), std::move(file), is_cold);
    return true;
  }
  position_.reset();
  EndRound();
  return false;
}

void CacheScrub::EndRound() {
  const auto now = std::chrono::steady_clock::now();
  round_.took = std::chrono::duration_cast<std::chrono::milliseconds>(now - round_began_);
  if (on_round_) on_round_(round_);
  round_ = {};
  round_began_ = now;
}

std::uint64_t CacheScrub::Read(std::uint64_t most) {
  const std::span<std::byte> into = std::span(piece_).first(static_cast<std::size_t>(most));
  auto got = ReadSome(current_->file.get(), into, current_->offset);
  if (!got) {
    End(false);
    return 0;
  }
  current_->hasher.Update(into.first(*got));
  current_->offset += *got;
  round_.bytes += *got;
  const bool is_read = *got == 0 || current_->offset >= current_->entry->size();
  if (is_read) End(Digest(current_->hasher.Finish()) == current_->entry->digest());
  return *got;
}

void CacheScrub::End(bool is_whole) {
  if (current_->is_cold) (void)::posix_fadvise(current_->file.get(), 0, 0, POSIX_FADV_DONTNEED);
  const CacheIndex::Entry entry = current_->entry;
  current_.reset();
  ++round_.entries;
  if (is_whole) return;
  ++round_.bad;
  (void)cache_.Remove(entry, FsCache::Why::kBad);
}

}  // namespace koya
