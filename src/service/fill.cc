#include "service/fill.h"

#include <algorithm>
#include <utility>

namespace koya::service {

void Fill::Start(std::shared_ptr<const void> owner, int descriptor,
                 std::optional<std::uint64_t> length) {
  {
    std::lock_guard lock(changed_.mutex());
    owner_ = std::move(owner);
    descriptor_ = descriptor;
    // Of nothing no last byte can be kept back: whoever announces nothing is waited for.
    if (length && *length > 0) length_ = length;
  }
  changed_.NotifyAll();
}

void Fill::Grow(std::uint64_t bytes) {
  {
    std::lock_guard lock(changed_.mutex());
    bytes_ = bytes;
  }
  changed_.NotifyAll();
}

void Fill::Succeed() {
  {
    std::lock_guard lock(changed_.mutex());
    whole_ = true;
    length_ = bytes_;
  }
  changed_.NotifyAll();
}

void Fill::Fail(Error error) {
  {
    std::lock_guard lock(changed_.mutex());
    failure_ = std::move(error);
  }
  changed_.NotifyAll();
}

// One byte is kept back until the whole is known to be right.
std::uint64_t Fill::Offered() const {
  if (whole_) return bytes_;
  std::uint64_t most = length_ && *length_ > 0 ? *length_ - 1 : 0;
  return std::min(bytes_, most);
}

Task<Fill::Started> Fill::WaitForStart() {
  std::function<bool()> known = [this] {
    return failure_.has_value() || (descriptor_ >= 0 && length_.has_value());
  };
  co_await changed_.Wait(std::move(known));
  std::lock_guard lock(changed_.mutex());
  if (failure_) co_return Failure(*failure_);
  co_return Started{owner_, descriptor_, *length_};
}

Task<std::uint64_t> Fill::WaitBeyond(std::uint64_t offset) {
  std::function<bool()> more = [this, offset] {
    return failure_.has_value() || whole_ || Offered() > offset;
  };
  co_await changed_.Wait(std::move(more));
  std::lock_guard lock(changed_.mutex());
  if (failure_) co_return Failure(*failure_);
  std::uint64_t end = Offered();
  if (end <= offset) {
    co_return koya::Fail(ErrorKind::kInternal, "the archive is shorter than it was said to be",
                         "asked beyond the end of a fill");
  }
  co_return end;
}

Task<void> Fill::WaitForEnd() {
  std::function<bool()> over = [this] { return failure_.has_value() || whole_; };
  co_await changed_.Wait(std::move(over));
  std::lock_guard lock(changed_.mutex());
  if (failure_) co_return Failure(*failure_);
  co_return Status();
}

std::shared_ptr<Fill> FillBoard::Join(const std::string& key,
                                      const std::function<void(std::shared_ptr<Fill>)>& begin) {
  std::lock_guard lock(mutex_);
  auto [entry, first] = fills_.try_emplace(key);
  if (first) {
    entry->second = std::make_shared<Fill>();
    begin(entry->second);
  }
  return entry->second;
}

void FillBoard::Leave(const std::string& key) {
  std::lock_guard lock(mutex_);
  fills_.erase(key);
}

std::size_t FillBoard::size() const {
  std::lock_guard lock(mutex_);
  return fills_.size();
}

}  // namespace koya::service
