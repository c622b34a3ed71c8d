// Http2Stream: how responses are sent.
#include <fmt/format.h>
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

unsigned StatusOfFailedSource(ErrorKind kind) {
  if (kind == ErrorKind::kTimeout || kind == ErrorKind::kUpstreamTimeout) return 504;
  if (kind == ErrorKind::kBadUpstream) return 502;
  if (kind == ErrorKind::kStorageFull) return 507;
  return kind == ErrorKind::kUnavailable ? 503 : 500;
}

std::string_view TextOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

ssize_t ReadBody(nghttp2_session*, std::int32_t, std::uint8_t*, std::size_t most,
                 std::uint32_t* flags, nghttp2_data_source* source, void*) {
  return static_cast<Http2Stream*>(source->ptr)->OfferBytes(most, *flags);
}

}  // namespace

Response Http2Stream::ErrorResponse(unsigned status, std::string_view message) {
  Response response = engine_.error_answer(
      {.status = status, .message = message, .request = request_, .target = head_.target});
  response.status = status;
  response.fields.emplace_back("Cache-Control", "no-store");
  response.log_detail = message;
  return response;
}

Response Http2Stream::FaultResponse(const Fault& fault) {
  Response response = ErrorResponse(fault.status, fault.message);
  response.limit = fault.limit;
  return response;
}

Response Http2Stream::InternalError(std::string_view what) {
  engine_.observer.OnInternalError(request_.request_id, what);
  Response response = ErrorResponse(
      500, "an internal error occurred; the server's log has the details under this request's ID");
  response.log_detail = what;
  return response;
}

Response Http2Stream::RefusalOfSource(const Error& error) {
  Response refusal = ErrorResponse(StatusOfFailedSource(error.kind), error.message);
  refusal.log_detail += ": " + error.detail;
  if (error.kind == ErrorKind::kUnavailable) {
    refusal.fields.emplace_back("Retry-After", std::to_string(std::max(error.retry_after, 1U)));
  }
  return refusal;
}

// Whether all of it is in memory.
bool Http2Stream::IsAtHand(const Response& response) {
  if (const auto* file = std::get_if<FileBody>(&response.body)) return file->memory != nullptr;
  return !std::holds_alternative<std::unique_ptr<ByteSource>>(response.body);
}

// Plans response_ and writes its head.
AnswerPlan Http2Stream::Plan() {
  detail_ = response_->log_detail;
  limit_ = response_->limit;
  answer_head_.clear();
  AnswerContext context{head_, loop_.AnswerFields(request_.secure), request_.request_id, true};
  AnswerPlan plan = PlanAnswer(context, *response_, answer_head_);
  if (plan.body == AnswerPlan::Body::kUnsatisfiable) {
    const std::uint64_t size = std::get<FileBody>(response_->body).size;
    response_ = ErrorResponse(416, "the range is outside of the file");
    response_->fields.emplace_back("Content-Range", fmt::format("bytes */{}", size));
    return Plan();
  }
  if (plan.body == AnswerPlan::Body::kBytes) outgoing_ = {.piece = plan.bytes, .is_last = true};
  status_ = plan.status;
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
  sent_ += count;
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

// How far the file may be sent by now, as Connection::WaitToSend; 0: it never will be, and detail_
// says why or, before the head has left, the refusal has been sent.
Awaitable<std::uint64_t> Http2Stream::WaitForFile(const FileBody& file, FileSlice rest) {
  const std::uint64_t last = rest.offset + rest.length - 1;
  if (!file.growth) co_return last + 1;
  const bool parts_wait = file.growth->parts_wait();
  const bool only_last = parts_wait && rest.length == 1;
  const std::uint64_t known = only_last ? file.size - 1 : rest.offset;
  Result<std::uint64_t> end = co_await file.growth->WaitBeyond(known);
  if (!end) {
    if (started_answer_) {
      detail_ = end.error().message;
      Reset(NGHTTP2_INTERNAL_ERROR);
    } else {
      SendRefusal(RefusalOfSource(end.error()));
    }
    co_return 0;
  }
  const bool holds_last = parts_wait && !only_last && *end != file.size;
  co_return std::min(*end, holds_last ? last : last + 1);
}

Awaitable<void> Http2Stream::SendFile(AnswerPlan plan) {
  const FileBody file = std::get<FileBody>(response_->body);
  FileSlice rest{file.descriptor, plan.offset, plan.length};
  std::uint64_t end = co_await WaitForFile(file, rest);
  while (end > 0 && !closed_) {
    FileSlice window = rest;
    window.length = std::min({end - rest.offset, rest.length, kFileWindow});
    co_await ReadFromDisk(window);
    const std::uint64_t before = sent_;
    Outgoing outgoing{.file = window, .seen_at = LoopNow()};
    outgoing.is_last = window.length == rest.length;
    if (started_answer_) {
      Resume(outgoing);
    } else {
      outgoing_ = outgoing;
      Submit(plan);
    }
    const bool open = co_await WaitUntilSent();
    rest.offset += sent_ - before;
    rest.length -= sent_ - before;
    if (!open || rest.length == 0) co_return;
    if (rest.offset == end) end = co_await WaitForFile(file, rest);
  }
}

Awaitable<void> Http2Stream::SendStream() {
  auto source = std::move(std::get<std::unique_ptr<ByteSource>>(response_->body));
  response_->body.emplace<std::unique_ptr<ByteSource>>();
  if (head_.method == Method::kHead) {
    Submit(Plan());
    co_return;
  }
  auto first = co_await source->Read();
  if (!first) {
    SendRefusal(RefusalOfSource(first.error()));
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
    if (!next) detail_ = next.error().message;
    const bool differs = next && left && (ended ? *left > 0 : next->size() > *left);
    if (!next || differs) co_return Reset(NGHTTP2_INTERNAL_ERROR);
    if (left) *left -= next->size();
    Resume({.piece = TextOf(*next), .is_last = ended});
    if (ended) co_return;
  }
}

}  // namespace koya::http
