// Connection: how answers are sent.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "http/server/connection.h"

namespace koya::http {
namespace {

// Bodies up to this size are copied behind their head, so that pipelined answers share one send
// (and over TLS one record); larger ones are gathered from where they lie.
constexpr std::size_t kCopied = 16 * 1024 - 512;

bool IsGrowing(const Response& response) {
  const auto* file = std::get_if<FileBody>(&response.body);
  return file != nullptr && file->growth != nullptr;
}

std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

// Whether all of it is at hand and goes into out_.
bool Connection::IsSmall(const Response& response) {
  if (const auto* document = std::get_if<std::shared_ptr<const Document>>(&response.body)) {
    return (*document)->body.size() <= kCopied;
  }
  if (const auto* file = std::get_if<FileBody>(&response.body)) {
    return file->memory != nullptr && file->size <= kCopied;
  }
  if (const auto* text = std::get_if<std::string>(&response.body)) return text->size() <= kCopied;
  return std::holds_alternative<std::monostate>(response.body);
}

AnswerPlan Connection::Plan(const Response& response) {
  AnswerPlan plan = exchange_.Plan(response, keep_alive_, out_);
  if (plan.body == AnswerPlan::Body::kUntilClose) keep_alive_ = false;
  return plan;
}

// Appends the whole answer to those that wait to be sent, if it is small and at hand; else plans
// it, unless it is a stream.
bool Connection::AppendWhole(const Response& response, AnswerPlan& plan) {
  if (std::holds_alternative<std::unique_ptr<ByteSource>>(response.body)) return false;
  if (IsGrowing(response)) return false;
  plan = Plan(response);
  bool at_hand = plan.body == AnswerPlan::Body::kNone || plan.body == AnswerPlan::Body::kBytes;
  if (!at_hand || plan.bytes.size() > kCopied) return false;
  out_.append(plan.bytes);
  exchange_.counts().sent += plan.bytes.size();
  return true;
}

Awaitable<bool> Connection::SendAnswer(Response& response, AnswerPlan plan) {
  if (std::holds_alternative<std::unique_ptr<ByteSource>>(response.body)) {
    co_return co_await SendStream(response);
  }
  if (IsGrowing(response)) co_return co_await SendGrowing(response);
  co_return co_await SendPlanned(response, plan);
}

Awaitable<bool> Connection::SendPlanned(Response& response, AnswerPlan plan) {
  if (plan.body == AnswerPlan::Body::kUnsatisfiable) {
    Response refusal = exchange_.RefusalOfRange(std::get<FileBody>(response.body).size);
    plan = Plan(refusal);
    co_return co_await SendBytes(plan);
  }
  FileSlice slice{plan.descriptor, plan.offset, plan.length, true};
  if (plan.body == AnswerPlan::Body::kFile) {
    slice.descriptor = std::get<FileBody>(response.body).descriptor;
    slice.in_memory = false;
    co_return co_await SendFile(slice);
  }
  if (slice.descriptor >= 0 && !transport_.secure()) co_return co_await SendFile(slice);
  co_return co_await SendBytes(plan);
}

Awaitable<bool> Connection::SendBytes(AnswerPlan plan) {
  IoVec pieces;
  pieces.Add(out_);
  pieces.Add(plan.bytes);
  bool sent = co_await transport_.Send(pieces);
  out_.clear();
  exchange_.counts().sent += plan.bytes.size();
  co_return sent;
}

// Sends what has gathered as far as the socket takes it at once. False: `rest` is left to send,
// from out_.
bool Connection::TryFlush(IoVec& rest) {
  rest.Add(out_);
  if (transport_.TrySend(rest) != Transport::Sent::kAll) return false;
  out_.clear();
  return true;
}

Awaitable<bool> Connection::FlushRest(IoVec rest) {
  bool sent = co_await transport_.Send(rest);
  out_.clear();
  co_return sent;
}

Awaitable<bool> Connection::Flush() {
  IoVec rest;
  if (TryFlush(rest)) co_return true;
  co_return co_await FlushRest(rest);
}

Awaitable<bool> Connection::SendFile(FileSlice slice) {
  bool sent = co_await transport_.SendFile(out_, slice, exchange_.counts().sent);
  out_.clear();
  co_return sent;
}

// Whether there will be bytes at all is known before the head leaves: a file that is never to be
// whole is answered for.
Awaitable<bool> Connection::SendGrowing(Response& response) {
  std::size_t before = out_.size();
  AnswerPlan plan = Plan(response);
  if (plan.body != AnswerPlan::Body::kFile || plan.length == 0) {
    co_return co_await SendPlanned(response, plan);
  }
  FileBody file = std::get<FileBody>(response.body);
  FileSlice slice{file.descriptor, plan.offset, plan.length};
  auto end = co_await WaitToSend(file, slice);
  if (!end) {
    out_.resize(before);
    Response refusal = exchange_.RefusalOfSource(end.error());
    plan = Plan(refusal);
    co_return co_await SendBytes(plan);
  }
  co_return co_await SendAsItGrows(file, slice, *end);
}

// `end`: how far the file may be sent by now.
Awaitable<bool> Connection::SendAsItGrows(const FileBody& file, FileSlice slice,
                                          std::uint64_t end) {
  while (true) {
    std::uint64_t ready = std::min(end - slice.offset, slice.length);
    FileSlice part{slice.descriptor, slice.offset, ready};
    bool sent = co_await transport_.SendFile(out_, part, exchange_.counts().sent);
    out_.clear();
    if (!sent) co_return false;
    slice.offset += ready;
    slice.length -= ready;
    if (slice.length == 0) co_return true;
    auto next = co_await WaitToSend(file, slice);
    if (!next) {
      exchange_.set_detail(next.error().message);
      co_return false;
    }
    end = *next;
  }
}

// The head leaves with the first bytes of the body, so that a source which fails at once can still
// be answered for.
Awaitable<bool> Connection::SendStream(Response& response) {
  auto source = std::move(std::get<std::unique_ptr<ByteSource>>(response.body));
  response.body.emplace<std::unique_ptr<ByteSource>>();
  if (exchange_.head.method == Method::kHead) {
    Plan(response);
    co_return true;
  }
  auto first = co_await source->Read();
  if (!first) {
    Response refusal = exchange_.RefusalOfSource(first.error());
    AnswerPlan plan = Plan(refusal);
    co_return co_await SendBytes(plan);
  }
  AnswerPlan plan = Plan(response);
  co_return co_await SendPieces(*source, plan, *first);
}

Awaitable<bool> Connection::SendPieces(ByteSource& source, AnswerPlan plan,
                                       std::span<const std::byte> piece) {
  bool chunked = plan.body == AnswerPlan::Body::kChunks;
  bool sized = plan.body == AnswerPlan::Body::kSized;
  std::uint64_t left = sized ? plan.length : UINT64_MAX;
  while (!piece.empty()) {
    if (piece.size() > left) co_return false;  // more than was announced
    left -= piece.size();
    if (chunked) fmt::format_to(std::back_inserter(out_), "{:x}\r\n", piece.size());
    IoVec pieces;
    pieces.Add(out_);
    pieces.Add(AsText(piece));
    if (chunked) pieces.Add("\r\n");
    bool sent = co_await transport_.Send(pieces);
    out_.clear();
    if (!sent) co_return false;
    exchange_.counts().sent += piece.size();
    auto next = co_await source.Read();
    if (!next) {
      exchange_.set_detail(next.error().message);
      co_return false;
    }
    piece = *next;
  }
  if (chunked) out_.append("0\r\n\r\n");
  co_return !sized || left == 0;
}

}  // namespace koya::http
