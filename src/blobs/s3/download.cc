#include "blobs/s3/download.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "blobs/s3/operations.h"

namespace koya::s3 {
namespace {

std::optional<std::uint64_t> NumberIn(std::string_view text) {
  std::uint64_t number = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool whole = !text.empty() && failed == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

// "bytes 5-9/10", and of a 416 "bytes */10".
struct ContentRange {
  std::optional<std::uint64_t> first;
  std::optional<std::uint64_t> total;
};

ContentRange ParseContentRange(std::string_view field) {
  if (!field.starts_with("bytes ")) return {};
  field.remove_prefix(6);
  std::size_t slash = std::min(field.find('/'), field.size());
  std::string_view range = field.substr(0, slash);
  return {.first = NumberIn(range.substr(0, range.find('-'))),
          .total = NumberIn(field.substr(std::min(slash + 1, field.size())))};
}

Failure NoSense(std::string_view how) {
  return FailUnavailable(
      "the object store's response to a read makes no sense: {}; does a proxy "
      "in between change responses?",
      how);
}

}  // namespace

StoreRequest Download::NextRequest() {
  StoreRequest ask{.operation = Operation::kGet,
                   .method = "GET",
                   .path = exchanger_.address().PathOf(what_.name),
                   .first_byte_timeout = what_.first_byte_timeout,
                   .stop = what_.stop};
  if (position_ > 0) ask.other_fields = {{"Range", fmt::format("bytes={}-", position_)}};
  ask.on_head = [this](const http::ClientResponse& head) { return TakeHead(head); };
  ask.sink = [this](std::span<const std::byte> bytes) { return TakeBytes(bytes); };
  return ask;
}

Status Download::TakeHead(const http::ClientResponse& head) {
  std::optional<std::uint64_t> total;
  skip_ = 0;
  if (head.status == 206) {
    ContentRange range = ParseContentRange(head.Get("content-range").value_or(""));
    if (range.first != position_) return NoSense("it begins at another position than requested");
    total = range.total;
  } else {
    // All of it, whatever was asked for.
    skip_ = position_;
    total = NumberIn(head.Get("content-length").value_or(""));
  }
  if (!total) return NoSense("it does not state its length");
  const bool expected = !what_.rest.size || what_.rest.size == total;
  asks_again_ = !expected && !std::exchange(doubted_, true);
  if (asks_again_) return NoSense("the object has another size than was stored");
  if (total_ && total_ != total) return NoSense("the object has another size than before");
  total_ = total;
  return {};
}

Status Download::TakeBytes(std::span<const std::byte> bytes) {
  auto skipped = std::min<std::uint64_t>(skip_, bytes.size());
  skip_ -= skipped;
  bytes = bytes.subspan(skipped);
  if (bytes.empty()) return {};
  if (bytes.size() > *total_ - position_) return NoSense("it is longer than it states");
  RETURN_IF_ERROR(what_.sink(bytes));
  position_ += bytes.size();
  exchanger_.seen().bytes_received += bytes.size();
  return {};
}

bool Download::IsTheEnd(const http::ClientResponse& refusal) {
  ContentRange range = ParseContentRange(refusal.Get("content-range").value_or(""));
  if (range.total) return range.total == position_;
  // radosgw does not say how long the object is.
  Shown shown = HeadOnce(exchanger_, what_.name, {.stop = what_.stop});
  return shown.outcome.trouble == FailureClass::kNone && shown.size == position_;
}

Outcome Download::Attempt(const StoreRequest& ask) {
  Outcome outcome = exchanger_.Attempt(ask);
  if (std::exchange(asks_again_, false)) outcome.trouble = FailureClass::kRetryable;
  if (outcome.trouble == FailureClass::kNone && position_ != total_) {
    outcome.trouble = FailureClass::kRetryable;
    outcome.error = {ErrorKind::kUnavailable, "the object store ended an object too early", {}};
  }
  // The requested range begins at the object's end, so nothing is left to read.
  if (outcome.answer.status == 416 && IsTheEnd(outcome.answer))
    outcome.trouble = FailureClass::kNone;
  return outcome;
}

Status Download::Run() {
  Retries retries(exchanger_.budget(), exchanger_.clock(), TimeOf(RetryTimeout::kClient), false);
  bool slow_start = false;
  for (unsigned breaks = 0;; ++breaks) {
    StoreRequest ask = NextRequest();
    ask.new_connection = slow_start;
    if (slow_start) ask.first_byte_timeout = std::chrono::milliseconds(0);
    const std::uint64_t before = position_;
    Outcome outcome = Attempt(ask);
    if (outcome.trouble == FailureClass::kNone) return {};
    slow_start = outcome.trouble == FailureClass::kSlowStart;
    if (position_ > before) retries.Progressed();
    if (breaks >= kMostBreaks || !exchanger_.WaitFor(outcome, retries, what_.stop)) {
      return Failure(std::move(outcome.error));
    }
  }
}

}  // namespace koya::s3
