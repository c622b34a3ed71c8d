// Http2Stream: how responses are sent.
#include <nghttp2/nghttp2.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include "base/offload.h"
#include "http/server/http2_connection.h"
#include "http/server/http2_stream.h"

namespace koya::http {
namespace {

constexpr std::uint64_t kFileWindow = 2u << 20;  // of a file, between two looks at the disk
constexpr LoopTime kFileWindowAge = 1000;
constexpr std::size_t kLargeAnswer = 16 * 1024;

std::string_view TextOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

ssize_t ReadBody(nghttp2_session*, std::int32_t, std::uint8_t*, std::size_t most,
                 std::uint32_t* flags, nghttp2_data_source* source, void*) {
  return static_cast<Http2Stream*>(source->ptr)->OfferBytes(most, *flags);
}

}  // namespace

// Whether all of it is in memory.
bool Http2Stream::IsAtHand(const Response& response) {
  if (const auto* file = std::get_if<FileBody>(&response.body)) return file->memory != nullptr;
  return !std::holds_alternative<std::unique_ptr<ByteSource>>(response.body);
}

// Plans response_ and writes its head.
AnswerPlan Http2Stream::Plan() {
  answer_head_.clear();
  AnswerPlan plan = exchange_.Plan(*response_, true, answer_head_);
  if (plan.body == AnswerPlan::Body::kUnsatisfiable) {
    response_ = exchange_.RefusalOfRange(std::get<FileBody>(response_->body).size);
    return Plan();
  }
  if (plan.body == AnswerPlan::Body::kBytes) outgoing_ = {.piece = plan.bytes, .is_last = true};
  return plan;
}

// Hands the head to nghttp2, which asks for the body as the client has room for it.
void Http2Stream::Submit(const AnswerPlan& plan) {
  if (closed_) return;
  started_answer_ = true;
  std::vector<nghttp2_nv>& fields = connection_.scratch_fields();
  ReadAnswerFields(answer_head_, fields);
  nghttp2_data_provider provider{};
  provider.source.ptr = this;
  provider.read_callback = ReadBody;
  const bool has_body = plan.body != AnswerPlan::Body::kNone &&
                        (plan.length > 0 || plan.body == AnswerPlan::Body::kChunks);
  nghttp2_session* session = connection_.session();
  nghttp2_submit_response(session, id_, fields.data(), fields.size(),
                          has_body ? &provider : nullptr);
  if (has_body && (plan.length > kLargeAnswer || plan.length == 0)) {
    // Large bodies take turns; without this, one would have to end before the next begins.
    nghttp2_extpri priority{NGHTTP2_EXTPRI_DEFAULT_URGENCY, 1};
    nghttp2_session_change_extpri_stream_priority(session, id_, &priority, 1);
  }
  send_deadline_ = LoopNow() + engine_.options.send_stall_timeout.count();
  connection_.SendSoon();
}

void Http2Stream::SubmitContinue() {
  if (closed_) return;
  std::string name = ":status";
  std::string value = "100";
  nghttp2_nv field{reinterpret_cast<std::uint8_t*>(name.data()),
                   reinterpret_cast<std::uint8_t*>(value.data()), name.size(), value.size(),
                   NGHTTP2_NV_FLAG_NONE};
  nghttp2_submit_headers(connection_.session(), NGHTTP2_FLAG_NONE, id_, nullptr, &field, 1,
                         nullptr);
  connection_.SendSoon();
}

// Offers bytes to a response whose head has been submitted.
void Http2Stream::Resume(Outgoing outgoing) {
  outgoing_ = outgoing;
  if (closed_) return;
  deferred_ = false;
  send_deadline_ = LoopNow() + engine_.options.send_stall_timeout.count();
  nghttp2_session_resume_data(connection_.session(), id_);
  connection_.SendSoon();
}

void Http2Stream::Reset(std::uint32_t error_code) {
  if (closed_) return;
  nghttp2_submit_rst_stream(connection_.session(), NGHTTP2_FLAG_NONE, id_, error_code);
  connection_.SendSoon();
}

ssize_t Http2Stream::OfferBytes(std::size_t most, std::uint32_t& flags) {
  if (outgoing_.piece.empty() && outgoing_.file.length > 0 &&
      LoopNow() - outgoing_.seen_at > kFileWindowAge) {
    // A slow client: by now the file may have to be read from the disk again.
    outgoing_ = {};
    Wake();
  }
  if (outgoing_.is_empty() && !outgoing_.is_last) {
    deferred_ = true;
    return NGHTTP2_ERR_DEFERRED;
  }
  const std::uint64_t at_hand =
      outgoing_.piece.empty() ? outgoing_.file.length : outgoing_.piece.size();
  const std::size_t count = std::min<std::uint64_t>(most, at_hand);
  if (count == at_hand && outgoing_.is_last) flags |= NGHTTP2_DATA_FLAG_EOF;
  flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  return static_cast<ssize_t>(count);
}

bool Http2Stream::AppendBytes(std::string& out, std::size_t count) {
  send_deadline_ = LoopNow() + engine_.options.send_stall_timeout.count();
  if (!outgoing_.piece.empty()) {
    out.append(outgoing_.piece.substr(0, count));
    outgoing_.piece.remove_prefix(count);
  } else if (count > 0) {
    FileSlice& file = outgoing_.file;
    bool complete = false;
    const std::size_t before = out.size();
    out.resize_and_overwrite(before + count, [&](char* data, std::size_t) {
      ssize_t got = 0;
      do {
        got = pread(file.descriptor, data + before, count, static_cast<off_t>(file.offset));
      } while (got < 0 && errno == EINTR);
      complete = got == static_cast<ssize_t>(count);
      return complete ? before + count : before;
    });
    if (!complete) return false;
    file.offset += count;
    file.length -= count;
  }
  exchange_.counts().sent += count;
  if (outgoing_.is_empty() && !outgoing_.is_last) Wake();
  return true;
}

void Http2Stream::SendRefusal(Response refusal) {
  response_ = std::move(refusal);
  Submit(Plan());
}

Awaitable<void> Http2Stream::SendAnswer() {
  if (std::holds_alternative<std::unique_ptr<ByteSource>>(response_->body)) {
    co_await SendStream();
    co_return;
  }
  AnswerPlan plan = Plan();
  if (plan.body == AnswerPlan::Body::kFile && plan.length > 0) {
    co_await SendFile(plan);
  } else {
    Submit(plan);
  }
}

Awaitable<bool> Http2Stream::WaitUntilSent() {
  while (!outgoing_.is_empty() && !closed_) co_await Wait();
  co_return !closed_;
}

Awaitable<void> Http2Stream::ReadFromDisk(FileSlice window) {
  const ServerOptions& options = engine_.options;
  if (options.disk == nullptr || options.is_in_memory(window)) co_return;
  std::function<void()> read = [window] { ReadIntoMemory(window); };
  co_await options.disk->Run(std::move(read));
}

// How far the file may be sent by now; 0: it never will be, and the log says why or, before the
// head has left, the refusal has been sent.
Awaitable<std::uint64_t> Http2Stream::WaitForFile(const FileBody& file, FileSlice rest) {
  if (!file.growth) co_return rest.offset + rest.length;
  Result<std::uint64_t> end = co_await WaitToSend(file, rest);
  if (end) co_return std::min(*end, rest.offset + rest.length);
  if (started_answer_) {
    exchange_.set_detail(end.error().message);
    Reset(NGHTTP2_INTERNAL_ERROR);
  } else {
    SendRefusal(exchange_.RefusalOfSource(end.error()));
  }
  co_return 0;
}

Awaitable<void> Http2Stream::SendFile(AnswerPlan plan) {
  const FileBody file = std::get<FileBody>(response_->body);
  FileSlice rest{file.descriptor, plan.offset, plan.length};
  std::uint64_t end = co_await WaitForFile(file, rest);
  while (end > 0 && !closed_) {
    FileSlice window = rest;
    window.length = std::min({end - rest.offset, rest.length, kFileWindow});
    co_await ReadFromDisk(window);
    const std::uint64_t before = exchange_.counts().sent;
    Outgoing outgoing{.file = window, .seen_at = LoopNow()};
    outgoing.is_last = window.length == rest.length;
    if (started_answer_) {
      Resume(outgoing);
    } else {
      outgoing_ = outgoing;
      Submit(plan);
    }
    const bool open = co_await WaitUntilSent();
    const std::uint64_t sent = exchange_.counts().sent - before;
    rest.offset += sent;
    rest.length -= sent;
    if (!open || rest.length == 0) co_return;
    if (rest.offset == end) end = co_await WaitForFile(file, rest);
  }
}

Awaitable<void> Http2Stream::SendStream() {
  auto source = std::move(std::get<std::unique_ptr<ByteSource>>(response_->body));
  response_->body.emplace<std::unique_ptr<ByteSource>>();
  if (exchange_.head.method == Method::kHead) {
    Submit(Plan());
    co_return;
  }
  auto first = co_await source->Read();
  if (!first) {
    SendRefusal(exchange_.RefusalOfSource(first.error()));
    co_return;
  }
  AnswerPlan plan = Plan();
  std::optional<std::uint64_t> left;
  if (plan.body == AnswerPlan::Body::kSized) left = plan.length;
  const std::size_t size = first->size();
  const bool differs = left && (size == 0 ? *left > 0 : size > *left);
  if (!differs) outgoing_ = {.piece = TextOf(*first), .is_last = size == 0};
  Submit(plan);
  if (differs) co_return Reset(NGHTTP2_INTERNAL_ERROR);
  if (left) *left -= size;
  if (size > 0) co_await SendPieces(*source, left);
}

// Sends the pieces behind the first. `left`: of a body whose length was announced.
Awaitable<void> Http2Stream::SendPieces(ByteSource& source, std::optional<std::uint64_t> left) {
  while (true) {
    const bool open = co_await WaitUntilSent();
    if (!open) co_return;
    auto next = co_await source.Read();
    const bool ended = next && next->empty();
    if (!next) exchange_.set_detail(next.error().message);
    const bool differs = next && left && (ended ? *left > 0 : next->size() > *left);
    if (!next || differs) co_return Reset(NGHTTP2_INTERNAL_ERROR);
    if (left) *left -= next->size();
    Resume({.piece = TextOf(*next), .is_last = ended});
    if (ended) co_return;
  }
}

}  // namespace koya::http
