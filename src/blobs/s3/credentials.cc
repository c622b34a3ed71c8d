#include "blobs/s3/credentials.h"

#include <utility>

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

}  // namespace koya::s3
