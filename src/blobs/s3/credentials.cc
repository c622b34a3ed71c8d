#include "blobs/s3/credentials.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "base/file.h"
#include "base/file_io.h"

namespace koya::s3 {

std::optional<Credentials> CredentialKeeper::Usable() const {
  std::lock_guard lock(mutex_);
  if (!current_) return std::nullopt;
  if (current_->expires != 0 && clock_.WallNow() >= current_->expires) return std::nullopt;
  return current_;
}

bool CredentialKeeper::IsDue() const {
  std::lock_guard lock(mutex_);
  const UnixSeconds now = clock_.WallNow();
  if (!current_ || current_->expires == 0) return false;
  return now >= current_->expires - kEarly && now >= not_before_;
}

Result<Credentials> CredentialKeeper::Get(std::stop_token stop) {
  std::optional<Credentials> usable = Usable();
  const bool changed = source_->HasChanged();
  if (usable && !changed && !IsDue()) return *std::move(usable);
  std::unique_lock fetching(fetching_, std::defer_lock);
  if (usable && !changed) {
    // Another thread fetches them already; these are good for some minutes.
    if (!fetching.try_lock()) return *std::move(usable);
  } else {
    fetching.lock();
  }
  std::optional<Credentials> since = Usable();
  if (since && !source_->HasChanged() && !IsDue()) return *std::move(since);
  auto fetched = Fetch(std::move(stop));
  if (fetched || !since) return fetched;
  // An early refresh may fail: these have not expired.
  std::lock_guard lock(mutex_);
  not_before_ = clock_.WallNow() + kPause;
  return *std::move(since);
}

Result<Credentials> CredentialKeeper::Fetch(std::stop_token stop) {
  ASSIGN_OR_RETURN(Credentials fetched, source_->Fetch(std::move(stop)));
  std::lock_guard lock(mutex_);
  current_ = fetched;
  not_before_ = 0;
  return fetched;
}

void CredentialKeeper::Expire(const Credentials& refused) {
  std::lock_guard lock(mutex_);
  if (current_ == refused) current_.reset();
}

namespace {

constexpr std::size_t kMostOfAFile = 64 << 10;
constexpr std::string_view kAround = " \t\r\n";

Failure Unreadable(std::string why) { return Fail(ErrorKind::kInvalid, "", std::move(why)); }

}  // namespace

FileStamp StampOf(const std::string& path) {
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) return {};
  return {.device = found.st_dev,
          .inode = found.st_ino,
          .size = found.st_size,
          .seconds = found.st_mtim.tv_sec,
          .nanoseconds = found.st_mtim.tv_nsec};
}

Result<std::string> ReadSmallFile(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) return Unreadable(std::strerror(errno));
  std::string text(kMostOfAFile + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    auto got = ReadSome(file.get(), std::as_writable_bytes(std::span(text)).subspan(size));
    if (!got) return Unreadable(std::strerror(got.error()));
    if (*got == 0) break;
    size += *got;
  }
  if (size > kMostOfAFile) return Unreadable("it is larger than 64 KiB");
  text.resize(size);
  return text;
}

std::string TrimmedLine(std::string_view text) {
  std::size_t begin = std::min(text.find_first_not_of(kAround), text.size());
  return std::string(text.substr(begin, text.find_last_not_of(kAround) + 1 - begin));
}

bool IsOneWord(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace koya::s3
