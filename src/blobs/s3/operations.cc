#include "blobs/s3/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

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

Retries RetriesOf(RequestSender& exchanger, const Wait& wait) {
  return {exchanger.budget(), exchanger.clock(), TimeOf(wait.patience), false};
}

Result<http::ClientResponse> Send(RequestSender& exchanger, StoreRequest ask, const Wait& wait) {
  Retries retries = RetriesOf(exchanger, wait);
  Outcome outcome = exchanger.Send(std::move(ask), retries);
  if (outcome.trouble != FailureClass::kNone) return Failure(std::move(outcome.error));
  return std::move(outcome.answer);
}

StoreRequest HeadOf(RequestSender& exchanger, const std::string& name, const Wait& wait) {
  StoreRequest ask = RequestFor(Operation::kHead, "HEAD", exchanger.address().PathOf(name), wait);
  ask.first_byte_timeout = wait.first_byte_timeout;
  return ask;
}

Result<std::uint64_t> SizeIn(const http::ClientResponse& answer) {
  std::string_view field = answer.Get("content-length").value_or("");
  std::uint64_t size = 0;
  auto [end, failed] = std::from_chars(field.data(), field.data() + field.size(), size);
  if (field.empty() || failed != std::errc() || end != field.data() + field.size()) {
    return FailUnavailable(
        "the object store does not report the size of an object; does a proxy in between "
        "remove Content-Length?");
  }
  return size;
}

// A HEAD's 404 does not distinguish a missing object from a missing bucket, which must not be taken
// for a lost object.
Status CheckBucket(RequestSender& exchanger, const std::string& name, const Wait& wait) {
  auto listed = List(exchanger, name, "", 1, wait);
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

Shown HeadOnce(RequestSender& exchanger, const std::string& name, const Wait& wait) {
  StoreRequest ask = HeadOf(exchanger, name, wait);
  ask.total_timeout = TimeOf(wait.patience);
  Shown shown{.outcome = exchanger.Attempt(ask)};
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

Result<std::uint64_t> SizeOf(RequestSender& exchanger, const std::string& name, const Wait& wait) {
  auto answer = Send(exchanger, HeadOf(exchanger, name, wait), wait);
  if (answer) return SizeIn(*answer);
  if (answer.error().kind == ErrorKind::kNotFound) {
    RETURN_IF_ERROR(CheckBucket(exchanger, name, wait));
  }
  return Failure(std::move(answer).error());
}

Status Confirm(RequestSender& exchanger, const std::string& name, std::uint64_t size,
               const Wait& wait) {
  auto pause = kConfirmWait;
  for (unsigned tries = 1;; ++tries, pause *= 2) {
    auto answer = Send(exchanger, HeadOf(exchanger, name, wait), wait);
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
    exchanger.clock().Wait(pause, wait.stop);
  }
}

Status Delete(RequestSender& exchanger, const std::string& name, const Wait& wait) {
  auto answer =
      Send(exchanger,
           RequestFor(Operation::kDelete, "DELETE", exchanger.address().PathOf(name), wait), wait);
  if (answer || answer.error().kind == ErrorKind::kNotFound) return {};
  return Failure(std::move(answer).error());
}

Result<std::vector<ObjectInfo>> List(RequestSender& exchanger, const std::string& prefix,
                                     const std::string& after, unsigned most, const Wait& wait) {
  const Address& address = exchanger.address();
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
    ASSIGN_OR_RETURN(http::ClientResponse answer, Send(exchanger, std::move(page_ask), wait));
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

Status AbortUpload(RequestSender& exchanger, const std::string& name, const std::string& upload_id,
                   const Wait& wait) {
  StoreRequest ask =
      RequestFor(Operation::kAbortUpload, "DELETE", exchanger.address().PathOf(name), wait);
  ask.query = {{"uploadId", upload_id}};
  Retries retries = RetriesOf(exchanger, wait);
  Outcome outcome = exchanger.Send(std::move(ask), retries);
  bool gone =
      outcome.trouble == FailureClass::kMissingUpload || outcome.trouble == FailureClass::kMissing;
  if (gone || outcome.trouble == FailureClass::kNone) return {};
  return Failure(std::move(outcome.error));
}

Status AbortUploads(RequestSender& exchanger, const std::string& name, const Wait& wait) {
  const std::string key = exchanger.address().KeyOf(name);
  StoreRequest ask =
      RequestFor(Operation::kListUploads, "GET", exchanger.address().BucketPath(), wait);
  ask.query = {{"uploads", ""}, {"prefix", key}};
  Pairs from;
  for (unsigned pages = 0; pages < kMostPages; ++pages) {
    StoreRequest page_ask = ask;
    page_ask.query.insert(page_ask.query.end(), from.begin(), from.end());
    ASSIGN_OR_RETURN(http::ClientResponse answer, Send(exchanger, std::move(page_ask), wait));
    ASSIGN_OR_RETURN(UploadPage page, ParseUploads(answer.body));
    for (const ListedUpload& each : page.uploads) {
      if (each.key != key) continue;  // it only begins so
      RETURN_IF_ERROR(AbortUpload(exchanger, name, each.upload_id, wait));
    }
    if (!page.truncated || page.next_key.empty()) return {};
    from = {{"key-marker", page.next_key}, {"upload-id-marker", page.next_upload_id}};
  }
  return Fail(ErrorKind::kUnavailable, "the object store has too many uploads to one name", name);
}

}  // namespace koya::s3
