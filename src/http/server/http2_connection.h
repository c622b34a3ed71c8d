// The HTTP/2 side of a connection (RFC 9113): frames, flow control, limits, and the streams.
//
// nghttp2 reads and writes frames in memory; this class moves its bytes through the transport. One
// coroutine reads; while it sends, it reads only between batches, so a client that reads nothing is
// not read from either. Handlers run as coroutines of their own, which send through the connection
// as long as the socket takes it. Belongs to its loop's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "http/server/engine.h"
#include "http/server/http2_head.h"
#include "http/server/transport.h"

namespace koya::http {

class Http2Stream;

// Limits what costs more to receive than to send: so many at once, and then so many a second.
class FrameBudget {
 public:
  static constexpr std::int64_t kMost = 200;
  static constexpr std::int64_t kPerSecond = 50;
  // False: the budget is spent.
  bool Take(LoopTime now);

 private:
  std::int64_t left_ = kMost;
  LoopTime filled_at_ = 0;
};

// The allocator of one session of nghttp2. Outlives it.
//
// The session's largest block holds the frame being written. Mostly only its beginning is used, so
// it gets pages of its own, which take no memory until they are written to.
class Http2Memory {
 public:
  Http2Memory() = default;
  ~Http2Memory();
  Http2Memory(const Http2Memory&) = delete;
  Http2Memory& operator=(const Http2Memory&) = delete;
  nghttp2_mem functions();

 private:
  void* Allocate(std::size_t size);
  void* Reallocate(void* block, std::size_t size);
  void Free(void* block);

  void* frame_ = nullptr;
  std::size_t frame_size_ = 0;
};

class Http2Connection {
 public:
  static constexpr std::size_t kMostStreams = 100;
  static constexpr std::uint32_t kStreamWindow = 256 * 1024;
  static constexpr std::uint32_t kConnectionWindow = 1024 * 1024;  // of all streams together

  // `peer`: the address of the client or proxy. All references outlive the connection.
  Http2Connection(LoopContext& loop, Transport& transport, std::string_view peer, bool is_proxy);
  ~Http2Connection();
  Http2Connection(const Http2Connection&) = delete;
  Http2Connection& operator=(const Http2Connection&) = delete;

  // Serves requests until either side ends the connection, and all handlers have ended.
  Awaitable<void> Serve();
  // Whether the client broke a rule, and may need time to read why.
  bool faulted() const { return faulted_; }

  // Called by the ticker.
  void Expire(LoopTime now);
  // Stops accepting requests; ends once those that are running have been answered.
  void Drain();
  // Cancels all handlers. The transport has been closed.
  void Cut();

  // For streams.
  std::size_t stream_count() const { return streams_.size(); }
  LoopContext& loop() { return loop_; }
  Transport& transport() { return transport_; }
  nghttp2_session* session() { return session_.get(); }
  std::string_view peer() const { return peer_; }
  bool peer_is_proxy() const { return is_proxy_; }
  std::vector<nghttp2_nv>& scratch_fields() { return scratch_fields_; }
  // Memory of a request that has ended, for the next one.
  struct Buffers {
    std::string text;
    std::string answer_head;
    std::vector<Field> fields;
  };
  Buffers& spare() { return spare_; }
  // Sends what nghttp2 has, unless this connection's coroutine is about to.
  void SendSoon();
  // Returns bytes of a body to the client's windows.
  void GiveBack(const Http2Stream& stream, std::size_t count);
  // Whether clients may be unable to send because of bytes that wait in other streams.
  bool is_window_low() const { return unread_ >= kConnectionWindow / 2; }
  void Remove(Http2Stream& stream);

 private:
  friend struct Http2Callbacks;
  static constexpr std::size_t kRestInput = 1024;
  using SessionHandle = std::unique_ptr<nghttp2_session, void (*)(nghttp2_session*)>;

  void OpenSession();
  bool Receive(std::string_view bytes);
  void StartStreams();
  Http2Stream* AddStream(std::int32_t id);
  // Counts a frame against the budget; ends the connection once that is spent.
  void CountFrame();
  void Terminate(std::uint32_t error_code);
  void SayGoodbye();
  bool Gather();
  bool SendAtOnce();
  bool IsOver() const;
  void Wake();
  std::span<char> InputSpace();
  Awaitable<bool> SendAll();
  Awaitable<void> ReadAndSend();
  Awaitable<void> EndStreams();
  void Rest();

  LoopContext& loop_;
  Engine& engine_;
  Transport& transport_;
  const std::string_view peer_;
  const bool is_proxy_;
  const std::size_t most_streams_;
  Http2Memory memory_;
  SessionHandle session_;
  std::vector<std::unique_ptr<Http2Stream>> streams_;
  std::vector<std::unique_ptr<Http2Stream>> removed_;  // freed once none of their methods runs
  std::vector<Http2Stream*> arrived_;                  // heads are complete, but not started yet
  Http2HeadWriter head_writer_;
  std::vector<nghttp2_nv> scratch_fields_;
  Buffers spare_;
  FrameBudget budget_;
  std::string out_;         // frames that are not sent yet
  std::size_t unread_ = 0;  // bytes of bodies that wait for their handlers
  std::unique_ptr<char[]> input_;
  std::size_t input_size_ = 0;
  std::size_t input_wanted_ = kRestInput;
  LoopTimer ended_;                    // wakes EndStreams
  LoopTime header_deadline_ = kNever;  // of the preface, and of a head that has begun
  LoopTime idle_since_ = 0;
  LoopTime goaway_at_ = kNever;  // when a drain stops accepting requests
  bool reading_ = false;         // the coroutine waits for bytes: others may send
  bool woken_ = false;
  bool rest_due_ = false;
  bool resting_ = false;
  bool faulted_ = false;
  bool said_goodbye_ = false;
  bool broken_ = false;
  bool cut_ = false;
};

}  // namespace koya::http
