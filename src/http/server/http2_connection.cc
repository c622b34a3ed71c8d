#include "http/server/http2_connection.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

#include "http/server/http2_stream.h"

namespace koya::http {
namespace asio = boost::asio;

namespace {

constexpr std::size_t kBatchSize = 64 * 1024;     // frames gathered for one send
constexpr std::uint64_t kSendTurn = 2u << 20;     // then other connections get their turn
constexpr std::size_t kFrameBlock = 16 * 1024;    // the least size of nghttp2's block for a frame
constexpr std::size_t kSmallInput = 4 * 1024;     // while many heads arrive
constexpr std::size_t kLargeInput = 64 * 1024;    // while a body arrives
constexpr std::size_t kKeptOutput = 4 * 1024;     // of the buffer, at rest
constexpr std::size_t kOverlongHeads = 4;         // times the limit; beyond, the connection ends
constexpr std::size_t kSmallestIncrement = 1024;  // of a window; smaller ones are counted
constexpr std::size_t kMostContinuations = 8;
constexpr std::size_t kMostSettings = 16;
constexpr std::size_t kMostQueuedAnswers = 200;  // to pings and settings
constexpr LoopTime kRestAfter = 250;
constexpr LoopTime kGoawayDelay = 250;  // for requests that are already on their way

using Callbacks = std::unique_ptr<nghttp2_session_callbacks, void (*)(nghttp2_session_callbacks*)>;
using Options = std::unique_ptr<nghttp2_option, void (*)(nghttp2_option*)>;

Options MakeOptions() {
  nghttp2_option* option = nullptr;
  if (nghttp2_option_new(&option) != 0) throw std::bad_alloc();
  nghttp2_option_set_no_auto_window_update(option, 1);
  nghttp2_option_set_no_closed_streams(option, 1);
  nghttp2_option_set_max_outbound_ack(option, kMostQueuedAnswers);
  nghttp2_option_set_max_settings(option, kMostSettings);
  nghttp2_option_set_max_continuations(option, kMostContinuations);
  return {option, nghttp2_option_del};
}

// Whether the client made this server reset a stream, as opposed to a handler that failed.
bool IsClientsFault(std::uint32_t error_code) {
  return error_code != NGHTTP2_NO_ERROR && error_code != NGHTTP2_INTERNAL_ERROR &&
         error_code != NGHTTP2_CANCEL;
}

}  // namespace

// The functions through which nghttp2 reaches the connection.
struct Http2Callbacks {
  static Http2Connection& Of(void* connection) {
    return *static_cast<Http2Connection*>(connection);
  }
  static Http2Stream* StreamOf(nghttp2_session* session, std::int32_t id) {
    return static_cast<Http2Stream*>(nghttp2_session_get_stream_user_data(session, id));
  }
  static bool IsRequest(const nghttp2_frame* frame) {
    return frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST;
  }

  static int BeginHeaders(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    Http2Connection& connection = Of(user);
    connection.head_writer_.Start();
    connection.header_deadline_ = LoopNow() + connection.engine_.options.header_deadline.count();
    if (!IsRequest(frame)) return 0;
    Http2Stream* stream = connection.AddStream(frame->hd.stream_id);
    nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, stream);
    return 0;
  }

  static int Header(nghttp2_session*, const nghttp2_frame*, const std::uint8_t* name,
                    std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                    std::uint8_t, void* user) {
    Http2Connection& connection = Of(user);
    const std::string_view name_text(reinterpret_cast<const char*>(name), name_size);
    const std::string_view value_text(reinterpret_cast<const char*>(value), value_size);
    const bool is_sane = connection.head_writer_.AcceptField(name_text, value_text);
    const std::size_t most = connection.engine_.options.max_header_bytes;
    if (connection.head_writer_.received() > kOverlongHeads * most) {
      connection.Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
    }
    return is_sane ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  }

  // nghttp2 would leave such a field out.
  static int InvalidHeader(nghttp2_session*, const nghttp2_frame*, const std::uint8_t*, std::size_t,
                           const std::uint8_t*, std::size_t, std::uint8_t, void*) {
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  }

  static int FrameReceived(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    Http2Connection& connection = Of(user);
    const bool is_last = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    switch (frame->hd.type) {
      case NGHTTP2_HEADERS:
        connection.header_deadline_ = kNever;
        HeadReceived(connection, session, frame);
        break;
      case NGHTTP2_DATA:
        if (frame->hd.length == 0 && !is_last) connection.CountFrame();
        break;
      case NGHTTP2_SETTINGS:
        connection.header_deadline_ = kNever;  // the preface ends with these
        if ((frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) connection.CountFrame();
        break;
      case NGHTTP2_WINDOW_UPDATE:
        if (frame->window_update.window_size_increment <
            static_cast<std::int32_t>(kSmallestIncrement)) {
          connection.CountFrame();
        }
        break;
      default:  // resets, pings and the like
        connection.CountFrame();
        break;
    }
    if (!is_last || (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)) return 0;
    Http2Stream* stream = StreamOf(session, frame->hd.stream_id);
    if (stream != nullptr) stream->body().AcceptEnd();
    return 0;
  }

  static void HeadReceived(Http2Connection& connection, nghttp2_session* session,
                           const nghttp2_frame* frame) {
    Http2Stream* stream = StreamOf(session, frame->hd.stream_id);
    if (stream == nullptr || !IsRequest(frame)) return;  // trailers are of no use to handlers
    stream->AcceptHead(connection.head_writer_, (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0);
    stream->waits_to_start = true;
    connection.arrived_.push_back(stream);
  }

  static int DataReceived(nghttp2_session* session, std::uint8_t, std::int32_t id,
                          const std::uint8_t* data, std::size_t size, void* user) {
    Http2Connection& connection = Of(user);
    Http2Stream* stream = StreamOf(session, id);
    if (stream == nullptr || stream->is_answered()) {
      nghttp2_session_consume_connection(session, size);
      return 0;
    }
    connection.input_wanted_ = kLargeInput;
    connection.unread_ += size;
    stream->body().AcceptBytes({reinterpret_cast<const char*>(data), size});
    return 0;
  }

  static int StreamClosed(nghttp2_session* session, std::int32_t id, std::uint32_t, void*) {
    Http2Stream* stream = StreamOf(session, id);
    if (stream != nullptr) stream->Close();
    return 0;
  }

  static int FrameSent(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    const bool is_reset = frame->hd.type == NGHTTP2_RST_STREAM;
    if (is_reset && IsClientsFault(frame->rst_stream.error_code)) Of(user).CountFrame();
    const bool has_body_bytes = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (!has_body_bytes || (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
    const std::int32_t id = frame->hd.stream_id;
    Http2Stream* stream = StreamOf(session, id);
    if (stream != nullptr) {
      stream->SetSentWhole(nghttp2_session_get_stream_remote_close(session, id) == 0);
    }
    return 0;
  }

  static int SendData(nghttp2_session*, nghttp2_frame*, const std::uint8_t* head, std::size_t size,
                      nghttp2_data_source* source, void* user) {
    constexpr std::size_t kFrameHead = 9;
    std::string& out = Of(user).out_;
    if (out.size() >= kBatchSize) return NGHTTP2_ERR_WOULDBLOCK;
    const std::size_t before = out.size();
    out.append(reinterpret_cast<const char*>(head), kFrameHead);
    if (static_cast<Http2Stream*>(source->ptr)->AppendBytes(out, size)) return 0;
    out.resize(before);
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  }

  static Callbacks Make() {
    nghttp2_session_callbacks* callbacks = nullptr;
    if (nghttp2_session_callbacks_new(&callbacks) != 0) throw std::bad_alloc();
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, BeginHeaders);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, Header);
    nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks, InvalidHeader);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, FrameReceived);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, DataReceived);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, StreamClosed);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, FrameSent);
    nghttp2_session_callbacks_set_send_data_callback(callbacks, SendData);
    return {callbacks, nghttp2_session_callbacks_del};
  }
};

bool FrameBudget::Take(LoopTime now) {
  const LoopTime passed = now - filled_at_;
  const std::int64_t earned = passed * kPerSecond / 1000;
  if (earned > 0) {
    left_ = std::min(kMost, left_ + earned);
    filled_at_ = now;
  }
  return --left_ >= 0;
}

Http2Memory::~Http2Memory() {
  if (frame_ != nullptr) munmap(frame_, frame_size_);
}

void* Http2Memory::Allocate(std::size_t size) {
  if (size < kFrameBlock || frame_ != nullptr) return std::malloc(size);
  void* block = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block == MAP_FAILED) return std::malloc(size);
  madvise(block, size, MADV_NOHUGEPAGE);
  frame_size_ = size;
  return frame_ = block;
}

void Http2Memory::Free(void* block) {
  if (block == nullptr || block != frame_) return std::free(block);
  munmap(std::exchange(frame_, nullptr), frame_size_);
}

void* Http2Memory::Reallocate(void* block, std::size_t size) {
  if (block == nullptr) return Allocate(size);
  if (block != frame_) return std::realloc(block, size);
  void* moved = std::malloc(size);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, block, std::min(size, frame_size_));
  Free(block);
  return moved;
}

nghttp2_mem Http2Memory::functions() {
  auto allocate = [](std::size_t size, void* memory) {
    return static_cast<Http2Memory*>(memory)->Allocate(size);
  };
  auto free = [](void* block, void* memory) { static_cast<Http2Memory*>(memory)->Free(block); };
  auto allocate_zeroed = [](std::size_t count, std::size_t size, void*) {
    return std::calloc(count, size);
  };
  auto reallocate = [](void* block, std::size_t size, void* memory) {
    return static_cast<Http2Memory*>(memory)->Reallocate(block, size);
  };
  return {this, allocate, free, allocate_zeroed, reallocate};
}

Http2Connection::Http2Connection(LoopContext& loop, Transport& transport, std::string_view peer,
                                 bool is_proxy)
    : loop_(loop),
      engine_(loop.engine),
      transport_(transport),
      peer_(peer),
      is_proxy_(is_proxy),
      // A client with one connection is never told that it has too many requests.
      most_streams_(is_proxy ? kMostStreams
                             : std::min(kMostStreams, engine_.options.max_connections_per_address)),
      session_(nullptr, nghttp2_session_del),
      head_writer_(engine_.options.max_header_bytes),
      ended_(transport.executor()) {
  OpenSession();
}

Http2Connection::~Http2Connection() = default;

void Http2Connection::OpenSession() {
  static const Callbacks callbacks = Http2Callbacks::Make();
  static const Options options = MakeOptions();
  nghttp2_session* session = nullptr;
  nghttp2_mem memory = memory_.functions();  // copied by nghttp2
  if (nghttp2_session_server_new3(&session, callbacks.get(), this, options.get(), &memory) != 0) {
    throw std::bad_alloc();
  }
  session_.reset(session);
  const std::array<nghttp2_settings_entry, 4> settings{
      {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, static_cast<std::uint32_t>(most_streams_)},
       {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
       {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE,
        static_cast<std::uint32_t>(engine_.options.max_header_bytes)},
       {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1}}};
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
  idle_since_ = LoopNow();
  header_deadline_ = idle_since_ + engine_.options.header_deadline.count();
}

// Handlers of streams that the client has reset go on until they end, and count as long as that.
Http2Stream* Http2Connection::AddStream(std::int32_t id) {
  if (streams_.size() >= most_streams_) {
    nghttp2_submit_rst_stream(session(), NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM);
    return nullptr;
  }
  auto& stream = streams_.emplace_back(std::make_unique<Http2Stream>(*this, id));
  stream->index = streams_.size() - 1;
  resting_ = false;
  return stream.get();
}

void Http2Connection::Remove(Http2Stream& stream) {
  const std::size_t index = stream.index;
  removed_.push_back(std::move(streams_[index]));
  if (index + 1 != streams_.size()) {
    streams_[index] = std::move(streams_.back());
    streams_[index]->index = index;
  }
  streams_.pop_back();
  if (!streams_.empty()) return;
  idle_since_ = LoopNow();
  ended_.cancel();
}

void Http2Connection::StartStreams() {
  for (std::size_t i = 0; i < arrived_.size(); ++i) arrived_[i]->Start();
  arrived_.clear();
}

// False: the connection is broken.
bool Http2Connection::Receive(std::string_view bytes) {
  if (bytes.size() == kRestInput) input_wanted_ = std::max(input_wanted_, kSmallInput);
  const ssize_t taken = nghttp2_session_mem_recv(
      session(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (taken == NGHTTP2_ERR_FLOODED) Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
  StartStreams();
  removed_.clear();
  return taken >= 0;
}

void Http2Connection::CountFrame() {
  if (!budget_.Take(LoopNow())) Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
}

void Http2Connection::Terminate(std::uint32_t error_code) {
  if (std::exchange(faulted_, true)) return;
  engine_.observer.OnConnectionRefused("http2_flood");
  nghttp2_session_terminate_session(session(), error_code);
}

void Http2Connection::GiveBack(const Http2Stream& stream, std::size_t count) {
  unread_ -= count;
  if (stream.closed()) {
    nghttp2_session_consume_connection(session(), count);
  } else {
    nghttp2_session_consume(session(), stream.id(), count);
  }
  SendSoon();
}

// Gathers frames into out_ for one send. False: there are none.
bool Http2Connection::Gather() {
  while (out_.size() < kBatchSize) {
    const std::uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session(), &bytes);
    if (size < 0) broken_ = true;
    if (size <= 0) break;
    out_.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  }
  return !out_.empty();
}

bool Http2Connection::IsOver() const {
  return broken_ || (nghttp2_session_want_read(session_.get()) == 0 &&
                     nghttp2_session_want_write(session_.get()) == 0);
}

void Http2Connection::Wake() {
  woken_ = true;
  transport_.Interrupt();
}

// Sends what the socket takes, up to one batch. False: more is left for SendAll.
bool Http2Connection::SendAtOnce() {
  if (!Gather()) return !broken_;
  IoVec pieces;
  pieces.Add(out_);
  const bool is_full = out_.size() >= kBatchSize;
  const bool sent = transport_.TrySend(pieces) == Transport::Sent::kAll;
  if (pieces.empty()) {
    out_.clear();
  } else {
    out_.erase(0, out_.size() - pieces.left().front().size());
  }
  return sent && !is_full;
}

void Http2Connection::SendSoon() {
  if (!reading_) return;
  reading_ = false;
  const bool sent = SendAtOnce();
  reading_ = true;
  if (!sent || IsOver()) Wake();
}

// Sends all that there is, and reads in between. False: the connection is broken.
Awaitable<bool> Http2Connection::SendAll() {
  std::uint64_t turn = 0;
  while (!out_.empty() || Gather()) {
    IoVec pieces;
    pieces.Add(out_);
    const std::size_t size = out_.size();
    const bool sent = co_await transport_.Send(pieces);
    out_.clear();
    if (!sent || broken_) co_return false;
    if (size < kBatchSize) continue;
    const std::size_t got = transport_.TryRead(InputSpace());
    if (got > 0 && !Receive({input_.get(), got})) co_return false;
    turn += size;
    if (turn < kSendTurn) continue;
    turn = 0;
    co_await asio::post(transport_.executor(), asio::use_awaitable);
  }
  co_return !broken_;
}

std::span<char> Http2Connection::InputSpace() {
  if (input_size_ != input_wanted_) {
    input_ = std::make_unique_for_overwrite<char[]>(input_wanted_);
    input_size_ = input_wanted_;
  }
  return {input_.get(), input_size_};
}

// Most connections are idle most of the time.
void Http2Connection::Rest() {
  resting_ = true;
  input_wanted_ = kRestInput;
  if (out_.capacity() > kKeptOutput) out_ = std::string();
  // Assigning {} to a vector would keep its memory.
  scratch_fields_ = std::vector<nghttp2_nv>();
  streams_ = std::vector<std::unique_ptr<Http2Stream>>();
  removed_ = std::vector<std::unique_ptr<Http2Stream>>();
  arrived_ = std::vector<Http2Stream*>();
  head_writer_ = Http2HeadWriter(engine_.options.max_header_bytes);
  spare_ = Buffers();
  transport_.Rest();
}

Awaitable<void> Http2Connection::ReadAndSend() {
  while (!cut_) {
    // Mostly the socket takes all at once, which needs no coroutine.
    if (!SendAtOnce()) {
      const bool sent = co_await SendAll();
      if (!sent) co_return;
    }
    if (IsOver()) co_return;
    removed_.clear();
    if (std::exchange(rest_due_, false) && streams_.empty()) Rest();
    const std::span<char> space = InputSpace();
    reading_ = true;
    const std::size_t got = co_await transport_.Read(space, kNever);
    reading_ = false;
    if (got == 0 && std::exchange(woken_, false)) continue;
    if (got == 0 || !Receive({space.data(), got})) co_return;
  }
}

Awaitable<void> Http2Connection::Serve() {
  // Cut() ends every wait below; the handlers must be waited for even then.
  co_await asio::this_coro::throw_if_cancelled(false);
  std::exception_ptr failure;
  try {
    co_await ReadAndSend();
  } catch (...) {
    failure = std::current_exception();
  }
  if (!failure && !cut_ && transport_.state() != Transport::State::kBroken) {
    SayGoodbye();
    co_await SendAll();
  }
  co_await EndStreams();
  if (failure) std::rethrow_exception(failure);
}

void Http2Connection::SayGoodbye() {
  if (faulted_ || std::exchange(said_goodbye_, true)) return;
  nghttp2_submit_goaway(session(), NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(session()), NGHTTP2_NO_ERROR,
                        nullptr, 0);
}

Awaitable<void> Http2Connection::EndStreams() {
  // From the end: a stream that is over removes itself.
  for (std::size_t i = streams_.size(); i-- > 0;) streams_[i]->Close();
  while (!streams_.empty()) {
    ended_.expires_at(LoopTimer::time_point::max());
    boost::system::error_code ignored;
    co_await ended_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  removed_.clear();
}

void Http2Connection::Expire(LoopTime now) {
  // Nothing is sent meanwhile: streams that end would change the list.
  const bool was_reading = std::exchange(reading_, false);
  for (const auto& stream : streams_) stream->Expire(now);
  reading_ = was_reading;
  SendSoon();
  const bool is_idle = streams_.empty();
  const bool idle_too_long = is_idle && now - idle_since_ >= engine_.options.idle_timeout.count();
  if (now >= goaway_at_) {
    goaway_at_ = kNever;
    SayGoodbye();
    SendSoon();
  }
  if (!reading_) return;
  if (now >= header_deadline_ || idle_too_long) {
    transport_.Interrupt();
  } else if (is_idle && !resting_ && now - idle_since_ >= kRestAfter) {
    rest_due_ = true;
    Wake();
  }
}

void Http2Connection::Drain() {
  if (streams_.empty()) {
    SayGoodbye();
  } else {
    nghttp2_submit_shutdown_notice(session());
    goaway_at_ = LoopNow() + kGoawayDelay;
  }
  SendSoon();
}

void Http2Connection::Cut() {
  cut_ = true;
  for (const auto& stream : streams_) stream->Cut();
}

}  // namespace koya::http
