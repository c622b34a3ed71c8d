#include "blobs/fill.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/file.h"
#include "blobs/blob_store.h"

namespace koya {
namespace {

// Bytes that are still arriving. They were written a moment ago: reading them does not block.
class GrowingBlob final : public Blob {
 public:
  GrowingBlob(std::shared_ptr<Fill> fill, Fill::Arrival arrival)
      : fill_(std::move(fill)), arrival_(std::move(arrival)) {}

  std::uint64_t size() const override { return *arrival_.length; }
  std::optional<int> file_descriptor() const override { return arrival_.descriptor; }
  std::shared_ptr<Fill> growth() const override { return fill_; }

  Task<std::size_t> ReadAt(std::uint64_t offset, std::span<std::byte> into) override {
    if (offset >= size()) co_return 0U;
    ASSIGN_OR_CO_RETURN(std::uint64_t end, co_await fill_->WaitBeyond(offset));
    std::size_t most = std::min<std::uint64_t>(into.size(), end - offset);
    ssize_t got = ::pread(arrival_.descriptor, into.data(), most, static_cast<off_t>(offset));
    if (got < 0) co_return Failure(ErrnoError("read a blob that is being fetched", errno));
    co_return static_cast<std::size_t>(got);
  }

 private:
  const std::shared_ptr<Fill> fill_;
  const Fill::Arrival arrival_;
};

}  // namespace

// Wakes those who wait for the length: there is nothing to read yet.
void Fill::Start(Arrival arrival, Begin begin) {
  {
    std::lock_guard lock(changed_.mutex());
    // An empty blob has no last byte to hold back: readers of an announced length of 0 wait for the
    // end.
    if (arrival.length == 0U) arrival.length.reset();
    arrival_ = std::move(arrival);
    begin_ = std::move(begin);
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
    arrival_->length = bytes_;
  }
  changed_.NotifyAll();
}

void Fill::Serve(Opened whole) {
  {
    std::lock_guard lock(changed_.mutex());
    bytes_ = whole.blob->size();
    whole_ = true;
    here_ = std::move(whole);
  }
  changed_.NotifyAll();
}

void Fill::End(Status how) {
  {
    std::lock_guard lock(changed_.mutex());
    if (!how) failure_ = std::move(how).error();
    over_ = true;
    begin_ = nullptr;
  }
  changed_.NotifyAll();
}

// One byte is kept back until the whole is known to be right.
std::uint64_t Fill::Offered() const {
  if (whole_) return bytes_;
  std::uint64_t most = arrival_ && arrival_->length ? *arrival_->length - 1 : 0;
  return std::min(bytes_, most);
}

Task<Fill::Opened> Fill::Open(std::chrono::steady_clock::time_point deadline, Error late) {
  std::function<bool()> begun = [this] { return failure_ || whole_ || Offered() > 0; };
  bool in_time = co_await changed_.WaitUntil(std::move(begun), deadline);
  if (!in_time) co_return Failure(std::move(late));
  std::lock_guard lock(changed_.mutex());
  if (failure_) co_return Failure(*failure_);
  co_return OpenedNow();
}

Task<Fill::Opened> Fill::OpenAnnounced() {
  std::function<bool()> announced = [this] {
    return failure_ || whole_ || (arrival_ && arrival_->length);
  };
  co_await changed_.Wait(std::move(announced));
  std::lock_guard lock(changed_.mutex());
  if (failure_) co_return Failure(*failure_);
  co_return OpenedNow();
}

Fill::Opened Fill::OpenedNow() {
  if (here_) return *here_;
  return {arrival_->digest, std::make_shared<GrowingBlob>(shared_from_this(), *arrival_)};
}

bool Fill::parts_wait() {
  std::lock_guard lock(changed_.mutex());
  return arrival_ && arrival_->parts_wait;
}

void Fill::Demand() {
  Begin begin;
  {
    std::lock_guard lock(changed_.mutex());
    begin = std::exchange(begin_, nullptr);
  }
  if (begin) begin(shared_from_this());
}

Task<std::uint64_t> Fill::WaitBeyond(std::uint64_t offset) {
  Demand();
  std::function<bool()> more = [this, offset] {
    return failure_.has_value() || whole_ || Offered() > offset;
  };
  co_await changed_.Wait(std::move(more));
  std::lock_guard lock(changed_.mutex());
  if (failure_) co_return Failure(*failure_);
  std::uint64_t end = Offered();
  if (end <= offset) {
    co_return Fail(ErrorKind::kInternal, "the archive is shorter than announced",
                   "read beyond the end of a fetch");
  }
  co_return end;
}

Task<void> Fill::WaitForEnd() {
  std::function<bool()> over = [this] { return over_; };
  co_await changed_.Wait(std::move(over));
  std::lock_guard lock(changed_.mutex());
  if (failure_) co_return Failure(*failure_);
  co_return Status();
}

Task<void> WaitUntilWhole(std::shared_ptr<Blob> blob) {
  std::shared_ptr<Fill> growth = blob->growth();
  if (growth && blob->size() > 0) CO_RETURN_IF_ERROR(co_await growth->WaitBeyond(blob->size() - 1));
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

void FillBoard::EndFill(const std::string& key, Status how) {
  std::shared_ptr<Fill> over;
  {
    std::lock_guard lock(mutex_);
    auto entry = fills_.find(key);
    over = std::move(entry->second);
    fills_.erase(entry);
    ++ended_;
  }
  over->End(std::move(how));
}

std::size_t FillBoard::size() const {
  std::lock_guard lock(mutex_);
  return fills_.size();
}

}  // namespace koya
