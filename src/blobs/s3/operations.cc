#include "blobs/s3/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/decimal.h"

namespace koya::s3 {
namespace {

constexpr unsigned kMostPages = 100;  // of uploads to one name, and of empty pages of a list
// A store whose parts know of each other with a delay: 404 so many times, 2 s in all.
constexpr unsigned kConfirmTries = 4;
constexpr std::chrono::milliseconds kConfirmWait{285};

StoreRequest RequestFor(Operation operation, std::string method, std::string path,
                        const Wait& wait) {
  return {.operation = operation,
          .method = std::move(method),
          .path = std::move(path),
          .within_deadline = true,
          .stop = wait.stop};
}

Retries RetriesOf(RequestSender& sender, const Wait& wait) {
  return {sender.budget(), sender.clock(), TimeOf(wait.patience), false};
}

Result<http::ClientResponse> Send(RequestSender& sender, StoreRequest ask, const Wait& wait) {
  Retries retries = RetriesOf(sender, wait);
  Outcome outcome = sender.Send(std::move(ask), retries);
  if (outcome.trouble != FailureClass::kNone) return Failure(std::move(outcome.error));
  return std::move(outcome.answer);
}

StoreRequest HeadOf(RequestSender& sender, const std::string& name, const Wait& wait) {
  StoreRequest ask = RequestFor(Operation::kHead, "HEAD", sender.address().PathOf(name), wait);
  ask.first_byte_timeout = wait.first_byte_timeout;
  return ask;
}

Result<std::uint64_t> SizeIn(const http::ClientResponse& answer) {
  auto size = ParseDecimal<std::uint64_t>(answer.Get("content-length").value_or(""));
  if (size) return *size;
  return FailUnavailable(
      "the object store does not report the size of an object; does a proxy in between "
      "remove Content-Length?");
}

// A HEAD's 404 does not distinguish a missing object from a missing bucket, which must not be taken
// for a lost object.
Status CheckBucket(RequestSender& sender, const std::string& name, const Wait& wait) {
  auto listed = List(sender, name, "", 1, wait);
  if (!listed) return Failure(std::move(listed).error());
  return {};
}

Error NotAsStored(const std::string& name, std::uint64_t size, std::uint64_t shown) {
  return {ErrorKind::kUnavailable,
          fmt::format("the object store acknowledged {} bytes but reports {}: it isn't a reliable "
                      "store, or a proxy in between changes objects",
                      size, shown),
          name};
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
  return {.first = ParseDecimal<std::uint64_t>(range.substr(0, range.find('-'))),
          .total = ParseDecimal<std::uint64_t>(field.substr(std::min(slash + 1, field.size())))};
}

Failure NoSense(std::string_view how) {
  return FailUnavailable(
      "the object store's response to a read makes no sense: {}; does a proxy "
      "in between change responses?",
      how);
}

}  // namespace

std::chrono::milliseconds TimeOf(RetryTimeout patience) {
  switch (patience) {
    case RetryTimeout::kClient:
      return std::chrono::seconds(8);
    case RetryTimeout::kBackground:
      return std::chrono::seconds(60);
    case RetryTimeout::kLook:
      return std::chrono::seconds(2);
  }
  return std::chrono::seconds(8);
}

Shown HeadOnce(RequestSender& sender, const std::string& name, const Wait& wait) {
  StoreRequest ask = HeadOf(sender, name, wait);
  ask.total_timeout = TimeOf(wait.patience);
  Shown shown{.outcome = sender.Attempt(ask)};
  if (shown.outcome.trouble != FailureClass::kNone) return shown;
  auto size = SizeIn(shown.outcome.answer);
  if (size) {
    shown.size = *size;
  } else {
    shown.outcome.trouble = FailureClass::kPermanent;
    shown.outcome.error = std::move(size).error();
  }
  return shown;
}

Result<std::uint64_t> SizeOf(RequestSender& sender, const std::string& name, const Wait& wait) {
  auto answer = Send(sender, HeadOf(sender, name, wait), wait);
  if (answer) return SizeIn(*answer);
  if (answer.error().kind == ErrorKind::kNotFound) {
    RETURN_IF_ERROR(CheckBucket(sender, name, wait));
  }
  return Failure(std::move(answer).error());
}

Status Confirm(RequestSender& sender, const std::string& name, std::uint64_t size,
               const Wait& wait) {
  auto pause = kConfirmWait;
  for (unsigned tries = 1;; ++tries, pause *= 2) {
    auto answer = Send(sender, HeadOf(sender, name, wait), wait);
    if (answer) {
      ASSIGN_OR_RETURN(std::uint64_t shown, SizeIn(*answer));
      if (shown == size) return {};
      return Failure(NotAsStored(name, size, shown));
    }
    if (answer.error().kind != ErrorKind::kNotFound) return Failure(std::move(answer).error());
    if (tries == kConfirmTries) {
      return Fail(ErrorKind::kUnavailable,
                  "the object store acknowledged an object but does not have it", name);
    }
    sender.clock().Wait(pause, wait.stop);
  }
}

Status Delete(RequestSender& sender, const std::string& name, const Wait& wait) {
  auto answer = Send(
      sender, RequestFor(Operation::kDelete, "DELETE", sender.address().PathOf(name), wait), wait);
  if (answer || answer.error().kind == ErrorKind::kNotFound) return {};
  return Failure(std::move(answer).error());
}

Result<std::vector<ObjectInfo>> List(RequestSender& sender, const std::string& prefix,
                                     const std::string& after, unsigned most, const Wait& wait) {
  const Address& address = sender.address();
  StoreRequest ask = RequestFor(Operation::kList, "GET", address.BucketPath(), wait);
  ask.query = {
      {"list-type", "2"}, {"max-keys", std::to_string(most)}, {"prefix", address.KeyOf(prefix)}};
  Pairs from;
  if (!after.empty()) from = {{"start-after", address.KeyOf(after)}};
  std::vector<ObjectInfo> objects;
  // A page of the store may be empty without being the last; an empty page of ours always means the
  // end.
  for (unsigned pages = 0; pages < kMostPages; ++pages) {
    StoreRequest page_ask = ask;
    page_ask.query.insert(page_ask.query.end(), from.begin(), from.end());
    ASSIGN_OR_RETURN(http::ClientResponse answer, Send(sender, std::move(page_ask), wait));
    ASSIGN_OR_RETURN(KeyPage page, ParseListing(answer.body));
    for (const ListedKey& each : page.keys) {
      auto name = address.NameOf(each.key);
      if (name && name->starts_with(prefix)) objects.push_back({*std::move(name), each.size});
    }
    if (!objects.empty() || !page.truncated || page.next_token.empty()) return objects;
    from = {{"continuation-token", page.next_token}};
  }
  return FailUnavailable("the object store returns one empty page of a listing after another");
}

Status AbortUpload(RequestSender& sender, const std::string& name, const std::string& upload_id,
                   const Wait& wait) {
  StoreRequest ask =
      RequestFor(Operation::kAbortUpload, "DELETE", sender.address().PathOf(name), wait);
  ask.query = {{"uploadId", upload_id}};
  Retries retries = RetriesOf(sender, wait);
  Outcome outcome = sender.Send(std::move(ask), retries);
  bool gone =
      outcome.trouble == FailureClass::kMissingUpload || outcome.trouble == FailureClass::kMissing;
  if (gone || outcome.trouble == FailureClass::kNone) return {};
  return Failure(std::move(outcome.error));
}

Status AbortUploads(RequestSender& sender, const std::string& name, const Wait& wait) {
  const std::string key = sender.address().KeyOf(name);
  StoreRequest ask =
      RequestFor(Operation::kListUploads, "GET", sender.address().BucketPath(), wait);
  ask.query = {{"uploads", ""}, {"prefix", key}};
  Pairs from;
  for (unsigned pages = 0; pages < kMostPages; ++pages) {
    StoreRequest page_ask = ask;
    page_ask.query.insert(page_ask.query.end(), from.begin(), from.end());
    ASSIGN_OR_RETURN(http::ClientResponse answer, Send(sender, std::move(page_ask), wait));
    ASSIGN_OR_RETURN(UploadPage page, ParseUploads(answer.body));
    for (const ListedUpload& each : page.uploads) {
      if (each.key != key) continue;  // it only begins so
      RETURN_IF_ERROR(AbortUpload(sender, name, each.upload_id, wait));
    }
    if (!page.truncated || page.next_key.empty()) return {};
    from = {{"key-marker", page.next_key}, {"upload-id-marker", page.next_upload_id}};
  }
  return Fail(ErrorKind::kUnavailable, "the object store has too many uploads to one name", name);
}

StoreRequest Download::NextRequest() {
  StoreRequest ask{.operation = Operation::kGet,
                   .method = "GET",
                   .path = sender_.address().PathOf(what_.name),
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
    total = ParseDecimal<std::uint64_t>(head.Get("content-length").value_or(""));
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
  sender_.seen().bytes_received += bytes.size();
  return {};
}

bool Download::IsTheEnd(const http::ClientResponse& refusal) {
  ContentRange range = ParseContentRange(refusal.Get("content-range").value_or(""));
  if (range.total) return range.total == position_;
  // radosgw does not say how long the object is.
  Shown shown = HeadOnce(sender_, what_.name, {.stop = what_.stop});
  return shown.outcome.trouble == FailureClass::kNone && shown.size == position_;
}

Outcome Download::Attempt(const StoreRequest& ask) {
  Outcome outcome = sender_.Attempt(ask);
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
  Retries retries(sender_.budget(), sender_.clock(), TimeOf(RetryTimeout::kClient), false);
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
    if (breaks >= kMostBreaks || !sender_.WaitFor(outcome, retries, what_.stop)) {
      return Failure(std::move(outcome.error));
    }
  }
}

}  // namespace koya::s3
