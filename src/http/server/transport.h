// The byte stream under a connection: a socket, with or without TLS, and one coarse deadline.
//
// Sends first try the socket and wait only if it is full. Every wait has a deadline, checked by the
// loop's ticker. Belongs to its loop's thread.
#pragma once

#include <sys/types.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <span>
#include <string_view>

#include "base/task.h"
#include "http/server/page_cache.h"
#include "http/server/tls_session.h"

namespace koya {
class WorkerPool;
}

namespace koya::http {

using LoopExecutor = boost::asio::io_context::executor_type;
using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, LoopExecutor>;
using LoopTimer = boost::asio::basic_waitable_timer<
    std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>, LoopExecutor>;

// Milliseconds on a clock that never goes back; coarse (a few milliseconds), and cheap to read.
using LoopTime = std::int64_t;
constexpr LoopTime kNever = INT64_MAX;
inline LoopTime LoopNow() {
  std::timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<LoopTime>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

// A few pieces of memory that are sent one after another.
class IoVec {
 public:
  static constexpr std::size_t kMost = 3;
  void Add(std::string_view piece) {
    if (!piece.empty()) pieces_[count_++] = piece;
  }
  bool empty() const { return first_ == count_; }
  std::span<const std::string_view> left() const { return {&pieces_[first_], count_ - first_}; }
  void Consume(std::size_t bytes);

 private:
  std::array<std::string_view, kMost> pieces_{};
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

struct TransportOptions {
  LoopTime send_stall_timeout = 0;
  // Reads files that are not in memory; null: the loop does. Outlives the connection.
  WorkerPool* disk = nullptr;
  bool (*is_in_memory)(const FileSlice&) = IsInMemory;
};

class Transport {
 public:
  enum class Sent { kAll, kSome, kBroken };
  enum class State { kOpen, kEnded, kTimedOut, kBroken };

  // `tls`: null for a plain connection.
  Transport(Socket socket, std::unique_ptr<TlsSession> tls, TransportOptions options);

  bool secure() const { return tls_ != nullptr; }
  // Whether the handshake chose HTTP/2.
  bool is_http2() const { return tls_ != nullptr && tls_->is_http2(); }
  int descriptor() { return socket_.native_handle(); }
  LoopExecutor executor() { return socket_.get_executor(); }
  // Why the last wait failed.
  State state() const { return state_; }

  // Reads exactly as many bytes, before the handshake and under TLS. False: they did not come.
  Awaitable<bool> ReadBelowTls(std::span<char> into, LoopTime deadline);
  // Completes the TLS handshake, if there is one. A peer that does not speak TLS is dropped.
  Awaitable<bool> Handshake(LoopTime deadline);
  // Reads at least one byte; 0 when the peer has ended, the deadline passed or the connection
  // broke.
  Awaitable<std::size_t> Read(std::span<char> into, LoopTime deadline);
  // Reads bytes that have arrived: 0 if there are none, or the connection is at its end.
  std::size_t TryRead(std::span<char> into);
  // Sends the bytes that the socket accepts at once, and removes them from `pieces`. After kSome:
  // call Send for the rest.
  Sent TrySend(IoVec& pieces);
  Awaitable<bool> Send(IoVec pieces);
  // Sends `head` and then the file, by sendfile or in batched records; other connections of the
  // loop run in between. False: the connection broke, or the file was shorter than its slice. Adds
  // the bytes of the file that were sent to `sent`, which must live until the connection has ended.
  Awaitable<bool> SendFile(std::string_view head, FileSlice slice, std::uint64_t& sent);

  // Closes gracefully. With `lingering`, bytes from the peer are discarded until the peer has ended
  // too or `deadline`, so that it can read the response instead of getting a reset.
  Awaitable<void> Close(bool lingering, LoopTime deadline);
  // Ends with a reset, and without TLS's close_notify: the peer must see that data is missing.
  void Abort();

  // Called by the ticker: fails the current wait when its deadline has passed, and wakes a read
  // that cannot see that the peer has ended (ADR 104).
  void Expire(LoopTime now);
  // Fails the current wait, if any, as if the peer had ended.
  void Interrupt();
  void Rest();

 private:
  auto OnLoop(boost::system::error_code& error);
  Awaitable<std::size_t> ReadSocket(std::span<char> into, LoopTime deadline);
  Awaitable<std::size_t> ReadTls(std::span<char> into, LoopTime deadline);
  Awaitable<bool> WaitWritable();
  Awaitable<bool> FlushTls();
  Awaitable<bool> SendFilePlain(FileSlice slice, std::uint64_t& sent);
  Awaitable<void> ReadOnWorker(FileSlice window);
  bool IsOnDisk(const FileSlice& window) const;
  Awaitable<bool> SendFileTls(std::string_view head, FileSlice slice, std::uint64_t& sent);
  Awaitable<void> Discard(LoopTime deadline);
  ssize_t SendOnce(const IoVec& pieces, int flags);
  Sent TrySendPlain(IoVec& pieces, int flags);
  Sent TrySendTls(IoVec& pieces);
  Sent TryFlushTls();
  bool Conclude(const boost::system::error_code& error);

  Socket socket_;
  std::unique_ptr<TlsSession> tls_;
  const TransportOptions options_;
  LoopTime deadline_ = kNever;
  LoopTime look_at_ = kNever;  // when to look whether the peer has ended
  bool expired_ = false;
  bool interrupted_ = false;
  State state_ = State::kOpen;
};

}  // namespace koya::http
