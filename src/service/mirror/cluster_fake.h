// For tests: several servers on one catalog, in one process, that read one another's fills.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/run_task.h"
#include "blobs/blob_store.h"
#include "peers/fill_offers.h"
#include "peers/peer_source.h"
#include "service/mirror/mirror.h"

namespace koya::service {

// The network between them. Threads: any.
class FakePeers final : public peers::PeerSource {
 public:
  enum class Mood { kGood, kDead, kSilent };

  void Add(const std::string& address, const peers::FillOffers& offers) {
    std::lock_guard lock(mutex_);
    offers_[address] = &offers;
  }
  // From now on, for those who read there already, too.
  void Set(const std::string& address, Mood mood) {
    std::lock_guard lock(mutex_);
    moods_[address] = mood;
    changed_.notify_all();
  }
  // Waits until so many bytes, of all readers, have gone over.
  void WaitForBytes(std::uint64_t bytes) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return bytes_ >= bytes; });
  }
  int asked() const { return asked_; }

  Result<peers::PeerAnswer> Fetch(const peers::PeerTransfer& transfer) override {
    ++asked_;
    if (std::optional<peers::PeerAnswer> answer = Answer(transfer.address)) return *answer;
    std::shared_ptr<Fill> fill = offers_.at(transfer.address)->FindFill(transfer.digest);
    if (!fill) return peers::PeerAnswer{peers::PeerEnd::kGone, "it is not fetching this"};
    auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    Error late{ErrorKind::kUnavailable, "nothing yet", {}};
    Result<Fill::Opened> opened = RunTask(fill->Open(soon, std::move(late)));
    if (!opened) return peers::PeerAnswer{peers::PeerEnd::kBroken, opened.error().message};
    RETURN_IF_ERROR(transfer.on_start(opened->blob->size()));
    return Read(transfer, opened->blob);
  }

  std::atomic<bool> flip = false;  // the first byte of what goes over

 private:
  std::optional<peers::PeerAnswer> Answer(const std::string& address) {
    std::lock_guard lock(mutex_);
    Mood mood = moods_[address];
    if (mood == Mood::kDead) return peers::PeerAnswer{peers::PeerEnd::kGone, "refused"};
    if (mood == Mood::kSilent) return peers::PeerAnswer{peers::PeerEnd::kSilent, "silent"};
    return std::nullopt;
  }
  // A reader whose fill does not go on looks now and then whether the server is still there.
  Result<peers::PeerAnswer> Read(const peers::PeerTransfer& transfer,
                                 const std::shared_ptr<Blob>& blob) {
    std::vector<std::byte> piece(64 * 1024);
    std::uint64_t at = transfer.offset;
    while (at < blob->size()) {
      std::shared_ptr<Fill> growth = blob->growth();
      bool more = !growth || HasBeyond(growth, at);
      std::optional<peers::PeerAnswer> answer = Answer(transfer.address);
      if (answer && answer->end == peers::PeerEnd::kGone) answer->end = peers::PeerEnd::kBroken;
      if (answer) return *answer;
      if (!more) continue;
      Result<std::size_t> got = RunTask(blob->ReadAt(at, piece));
      if (!got) return peers::PeerAnswer{peers::PeerEnd::kBroken, got.error().message};
      if (at == 0 && flip) piece[0] ^= std::byte{1};
      RETURN_IF_ERROR(transfer.sink(std::span(piece).first(*got)));
      at += *got;
      std::lock_guard lock(mutex_);
      bytes_ += *got;
      changed_.notify_all();
    }
    return peers::PeerAnswer{peers::PeerEnd::kComplete};
  }
  // For a moment: then it is looked whether the server is still there.
  static bool HasBeyond(const std::shared_ptr<Fill>& fill, std::uint64_t at) {
    boost::asio::io_context loop(1);
    boost::asio::cancellation_signal enough;
    std::optional<Result<std::uint64_t>> end;
    auto ended = [](const std::exception_ptr&) {};
    boost::asio::co_spawn(loop, StoreOutcome(fill->WaitBeyond(at), &end),
                          boost::asio::bind_cancellation_slot(enough.slot(), ended));
    loop.run_for(std::chrono::milliseconds(20));
    if (!end) enough.emit(boost::asio::cancellation_type::terminal);
    loop.run();
    return end.has_value();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, const peers::FillOffers*> offers_;
  std::map<std::string, Mood> moods_;
  std::uint64_t bytes_ = 0;
  std::atomic<int> asked_ = 0;
};

}  // namespace koya::service
