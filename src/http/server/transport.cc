#include "http/server/transport.h"

#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/detail/reactive_socket_recv_op.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <functional>
#include <utility>

#include "base/offload.h"

namespace koya::http {

// A buffer for reads of a socket, after which Asio's reactor knows whether the socket is empty.
//
// Asio tries each read at once and waits only when there is nothing. For nearly every request that
// is a system call which finds nothing: the read before it got less than the buffer holds, and so
// all there was. Asio draws that conclusion for sends only; the specialisation below, of its
// (internal) operation, draws it for reads into a SocketSpace (ADR 104).
//
// A peer's end that was there with the last bytes stays unseen, because the socket reports both
// once. Transport::Expire() looks for it.
class SocketSpace : public boost::asio::mutable_buffer {
 public:
  explicit SocketSpace(std::span<char> space) : mutable_buffer(space.data(), space.size()) {}
};

}  // namespace koya::http

namespace boost::asio::detail {

template <>
class reactive_socket_recv_op_base<koya::http::SocketSpace> : public reactor_op {
 public:
  reactive_socket_recv_op_base(const boost::system::error_code& success, socket_type socket,
                               socket_ops::state_type /*state*/,
                               const koya::http::SocketSpace& space,
                               socket_base::message_flags flags, func_type complete)
      : reactor_op(success, &do_perform, complete), socket_(socket), space_(space), flags_(flags) {}

  static status do_perform(reactor_op* base) {
    auto* self = static_cast<reactive_socket_recv_op_base*>(base);
    const bool is_done =
        socket_ops::non_blocking_recv1(self->socket_, self->space_.data(), self->space_.size(),
                                       self->flags_, true, self->ec_, self->bytes_transferred_);
    if (!is_done) return not_done;
    return self->bytes_transferred_ < self->space_.size() ? done_and_exhausted : done;
  }

 private:
  socket_type socket_;
  koya::http::SocketSpace space_;
  socket_base::message_flags flags_;
};

}  // namespace boost::asio::detail

namespace koya::http {
namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

namespace {

constexpr std::size_t kTlsInput = 2 * 1024;        // at rest and for heads
constexpr std::size_t kTlsBulkInput = 64 * 1024;   // while a body arrives
constexpr std::size_t kTlsBatch = 128 * 1024;      // ciphertext gathered for one send
constexpr std::size_t kFilePiece = 64 * 1024;      // read from a file at a time, for TLS
constexpr std::uint64_t kFairShare = 8u << 20;     // then other connections get their turn
constexpr std::uint64_t kTlsFairShare = 2u << 20;  // likewise; encrypting takes as long as that
constexpr char kTlsHandshakeRecord = 0x16;
constexpr LoopTime kLingerIdle = 2000;
constexpr LoopTime kLookAfter = 100;  // how long a read waits before it is looked at

// What may be sent of a file before it is asked again whether it is in memory.
class Window {
 public:
  // Whether a new one must be opened: the last was sent, or a slow client let it grow old.
  bool IsOver() const { return left_ == 0 || (seen_at_ != kNever && LoopNow() > seen_at_ + kAge); }
  // The next part of `slice`.
  FileSlice Open(FileSlice slice) {
    slice.length = std::min(slice.length, kMost);
    left_ = slice.length;
    seen_at_ = slice.in_memory ? kNever : LoopNow();
    return slice;
  }
  std::uint64_t left() const { return left_; }
  void Sent(std::uint64_t bytes) { left_ -= bytes; }

 private:
  static constexpr std::uint64_t kMost = 2u << 20;
  static constexpr LoopTime kAge = 1000;
  std::uint64_t left_ = 0;
  LoopTime seen_at_ = kNever;
};

}  // namespace

void IoVec::Consume(std::size_t bytes) {
  while (bytes > 0) {
    std::string_view& piece = pieces_[first_];
    std::size_t taken = std::min(bytes, piece.size());
    piece.remove_prefix(taken);
    bytes -= taken;
    if (piece.empty()) ++first_;
  }
}

Transport::Transport(Socket socket, std::unique_ptr<TlsSession> tls, TransportOptions options)
    : socket_(std::move(socket)), tls_(std::move(tls)), options_(options) {}

// Converts the end of a wait into a state. Returns true if the wait succeeded.
bool Transport::Conclude(const ErrorCode& error) {
  deadline_ = kNever;
  bool expired = std::exchange(expired_, false);
  bool interrupted = std::exchange(interrupted_, false);
  if (!error) return true;
  if (expired) {
    state_ = State::kTimedOut;
  } else {
    state_ = interrupted || error == asio::error::eof ? State::kEnded : State::kBroken;
  }
  return false;
}

// A completion token that resumes the awaiting coroutine straight from the loop. use_awaitable
// alone would go through the type-erased executor of awaitable<>, at the cost of an allocation.
auto Transport::OnLoop(ErrorCode& error) {
  return asio::bind_executor(socket_.get_executor(),
                             asio::redirect_error(asio::use_awaitable, error));
}

Awaitable<std::size_t> Transport::ReadSocket(std::span<char> into, LoopTime deadline) {
  ErrorCode error;
  deadline_ = deadline;
  look_at_ = LoopNow() + kLookAfter;
  std::size_t count = co_await socket_.async_read_some(SocketSpace(into), OnLoop(error));
  look_at_ = kNever;
  co_return Conclude(error) ? count : 0;
}

Awaitable<std::size_t> Transport::Read(std::span<char> into, LoopTime deadline) {
  return tls_ ? ReadTls(into, deadline) : ReadSocket(into, deadline);
}

Awaitable<std::size_t> Transport::ReadTls(std::span<char> into, LoopTime deadline) {
  for (;;) {
    if (!tls_->NeedsInput()) {
      std::size_t count = 0;
      TlsSession::Outcome outcome = tls_->Read(into, count);
      // Reading may have produced output: tickets, key updates, alerts.
      if (TryFlushTls() == Sent::kSome && !co_await FlushTls()) co_return 0;
      if (outcome == TlsSession::Outcome::kDone) co_return count;
      if (outcome != TlsSession::Outcome::kWantInput) {
        state_ = outcome == TlsSession::Outcome::kEnded ? State::kEnded : State::kBroken;
        co_return 0;
      }
    }
    std::size_t wanted = into.size() > TlsSession::kRecord ? kTlsBulkInput : kTlsInput;
    std::size_t got = co_await ReadSocket(tls_->InputSpace(wanted), deadline);
    if (got == 0) co_return 0;
    tls_->InputArrived(got);
  }
}

std::size_t Transport::TryRead(std::span<char> into) {
  auto receive = [&](std::span<char> space) {
    const ssize_t got = recv(socket_.native_handle(), space.data(), space.size(), MSG_DONTWAIT);
    return got > 0 ? static_cast<std::size_t>(got) : 0;
  };
  if (!tls_) return receive(into);
  std::size_t count = 0;
  while (tls_->Read(into, count) == TlsSession::Outcome::kWantInput) {
    const std::size_t got = receive(tls_->InputSpace(kTlsInput));
    if (got == 0) return 0;
    tls_->InputArrived(got);
  }
  return count;
}

Awaitable<bool> Transport::ReadBelowTls(std::span<char> into, LoopTime deadline) {
  while (!into.empty()) {
    const std::size_t got = co_await ReadSocket(into, deadline);
    if (got == 0) co_return false;
    into = into.subspan(got);
  }
  co_return true;
}

Awaitable<bool> Transport::Handshake(LoopTime deadline) {
  if (!tls_) co_return true;
  bool first = true;
  for (;;) {
    TlsSession::Outcome outcome = tls_->Handshake();
    if (!co_await FlushTls()) co_return false;
    if (outcome == TlsSession::Outcome::kDone) co_return true;
    if (outcome != TlsSession::Outcome::kWantInput) co_return false;
    std::span<char> space = tls_->InputSpace(kTlsInput);
    std::size_t got = co_await ReadSocket(space, deadline);
    if (got == 0) co_return false;
    // Plain HTTP on the TLS port: no alert would be understood.
    if (first && space.front() != kTlsHandshakeRecord) co_return false;
    first = false;
    tls_->InputArrived(got);
  }
}

// What one system call takes of the pieces; negative on failure, as errno says.
ssize_t Transport::SendOnce(const IoVec& pieces, int flags) {
  flags |= MSG_NOSIGNAL | MSG_DONTWAIT;
  auto left = pieces.left();
  if (left.size() == 1) {
    return send(socket_.native_handle(), left[0].data(), left[0].size(), flags);
  }
  std::array<iovec, IoVec::kMost> parts;
  for (std::size_t i = 0; i < left.size(); ++i) {
    parts[i] = {const_cast<char*>(left[i].data()), left[i].size()};
  }
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = left.size();
  return sendmsg(socket_.native_handle(), &message, flags);
}

Transport::Sent Transport::TrySendPlain(IoVec& pieces, int flags) {
  while (!pieces.empty()) {
    ssize_t sent = SendOnce(pieces, flags);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return errno == EAGAIN ? Sent::kSome : Sent::kBroken;
    pieces.Consume(static_cast<std::size_t>(sent));
  }
  return Sent::kAll;
}

Transport::Sent Transport::TryFlushTls() {
  while (!tls_->output().empty()) {
    std::string_view output = tls_->output();
    ssize_t sent =
        send(socket_.native_handle(), output.data(), output.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return errno == EAGAIN ? Sent::kSome : Sent::kBroken;
    tls_->OutputSent(static_cast<std::size_t>(sent));
  }
  return Sent::kAll;
}

Transport::Sent Transport::TrySendTls(IoVec& pieces) {
  for (std::uint64_t turn = 0;; turn += kTlsBatch) {
    if (turn >= kTlsFairShare) return Sent::kSome;
    while (!pieces.empty() && tls_->output().size() < kTlsBatch) {
      std::string_view record = pieces.left().front().substr(0, TlsSession::kRecord);
      if (!tls_->Write(record)) return Sent::kBroken;
      pieces.Consume(record.size());
    }
    if (Sent sent = TryFlushTls(); sent != Sent::kAll) return sent;
    if (pieces.empty()) return Sent::kAll;
  }
}

Transport::Sent Transport::TrySend(IoVec& pieces) {
  Sent sent = tls_ ? TrySendTls(pieces) : TrySendPlain(pieces, 0);
  if (sent == Sent::kBroken) state_ = State::kBroken;
  return sent;
}

Awaitable<bool> Transport::WaitWritable() {
  ErrorCode error;
  deadline_ = LoopNow() + options_.send_stall_timeout;
  co_await socket_.async_wait(Socket::wait_write, OnLoop(error));
  co_return Conclude(error);
}

Awaitable<bool> Transport::FlushTls() {
  IoVec nothing;
  return Send(nothing);
}

Awaitable<bool> Transport::Send(IoVec pieces) {
  for (;;) {
    Sent sent = TrySend(pieces);
    if (sent != Sent::kSome) co_return sent == Sent::kAll;
    bool writable = co_await WaitWritable();
    if (!writable) co_return false;
  }
}

Awaitable<bool> Transport::SendFile(std::string_view head, FileSlice slice, std::uint64_t& sent) {
  if (tls_) {
    bool complete = co_await SendFileTls(head, slice, sent);
    co_return complete;
  }
  IoVec pieces;
  pieces.Add(head);
  // The head waits in the socket for the file's first bytes, so that both share a packet.
  Sent head_sent = TrySendPlain(pieces, MSG_MORE);
  if (head_sent == Sent::kBroken) co_return false;
  if (head_sent == Sent::kSome) {
    bool rest = co_await Send(pieces);
    if (!rest) co_return false;
  }
  bool complete = co_await SendFilePlain(slice, sent);
  co_return complete;
}

bool Transport::IsOnDisk(const FileSlice& window) const {
  return options_.disk != nullptr && !window.in_memory && !options_.is_in_memory(window);
}

Awaitable<void> Transport::ReadOnWorker(FileSlice window) {
  std::function<void()> read = [window] { ReadIntoMemory(window); };
  co_await options_.disk->Run(std::move(read));
}

Awaitable<bool> Transport::SendFilePlain(FileSlice slice, std::uint64_t& sent) {
  Window window;
  std::uint64_t turn = 0;
  while (slice.length > 0) {
    if (window.IsOver()) {
      FileSlice next = window.Open(slice);
      if (IsOnDisk(next)) co_await ReadOnWorker(next);
    }
    auto offset = static_cast<off_t>(slice.offset);
    ssize_t result = sendfile(socket_.native_handle(), slice.descriptor, &offset, window.left());
    if (result > 0) {
      auto now = static_cast<std::uint64_t>(result);
      slice.offset += now;
      slice.length -= now;
      window.Sent(now);
      turn += now;
      sent += now;
      if (turn < kFairShare) continue;
      turn = 0;
      co_await asio::post(socket_.get_executor(), asio::use_awaitable);
      continue;
    }
    if (result < 0 && errno == EINTR) continue;
    if (result == 0 || errno != EAGAIN) co_return false;
    turn = 0;
    bool writable = co_await WaitWritable();
    if (!writable) co_return false;
  }
  co_return true;
}

Awaitable<bool> Transport::SendFileTls(std::string_view head, FileSlice slice,
                                       std::uint64_t& sent) {
  if (!tls_->Write(head)) co_return false;
  auto buffer = std::make_unique_for_overwrite<char[]>(kFilePiece);
  Window window;
  std::uint64_t turn = 0;
  while (slice.length > 0) {
    if (window.IsOver()) {
      FileSlice next = window.Open(slice);
      if (IsOnDisk(next)) co_await ReadOnWorker(next);
    }
    std::size_t piece = std::min<std::uint64_t>(window.left(), kFilePiece);
    ssize_t result = pread(slice.descriptor, buffer.get(), piece, static_cast<off_t>(slice.offset));
    if (result < 0 && errno == EINTR) continue;
    if (result <= 0) co_return false;
    auto got = static_cast<std::size_t>(result);
    slice.offset += got;
    slice.length -= got;
    window.Sent(got);
    turn += got;
    if (!tls_->Write({buffer.get(), got})) co_return false;
    sent += got;
    if (tls_->output().size() < kTlsBatch && slice.length > 0) continue;
    bool flushed = co_await FlushTls();
    if (!flushed) co_return false;
    if (turn < kTlsFairShare) continue;
    turn = 0;
    co_await asio::post(socket_.get_executor(), asio::use_awaitable);
  }
  bool flushed = co_await FlushTls();
  co_return flushed;
}

Awaitable<void> Transport::Discard(LoopTime deadline) {
  std::array<char, 4096> waste;
  for (;;) {
    LoopTime idle = LoopNow() + kLingerIdle;
    std::size_t got = co_await ReadSocket(waste, std::min(idle, deadline));
    if (got == 0 || LoopNow() >= deadline) co_return;
  }
}

Awaitable<void> Transport::Close(bool lingering, LoopTime deadline) {
  if (state_ == State::kBroken) co_return;
  if (tls_) {
    tls_->Close();
    TryFlushTls();
  }
  ErrorCode ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  // Bytes that are here unread would turn the close into a reset, too.
  if (!ignored && (lingering || socket_.available(ignored) > 0)) co_await Discard(deadline);
}

void Transport::Abort() {
  ErrorCode ignored;
  state_ = State::kBroken;
  socket_.set_option(Socket::linger(true, 0), ignored);
  socket_.close(ignored);
}

void Transport::Expire(LoopTime now) {
  if (now >= look_at_) {
    look_at_ = kNever;
    char byte = 0;
    const ssize_t left = recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    // Wakes the read, which then finds the end.
    ErrorCode ignored;
    if (left == 0 || (left < 0 && errno != EAGAIN && errno != EINTR)) {
      socket_.shutdown(Socket::shutdown_receive, ignored);
    }
  }
  if (now < deadline_) return;
  deadline_ = kNever;
  expired_ = true;
  ErrorCode ignored;
  socket_.cancel(ignored);
}

void Transport::Interrupt() {
  interrupted_ = true;
  ErrorCode ignored;
  socket_.cancel(ignored);
}

void Transport::Rest() {
  if (tls_) tls_->Rest();
}

}  // namespace koya::http
