#include "blobs/s3/upload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "base/encoding.h"
#include "base/file_io.h"
#include "base/sha256.h"
#include "blobs/s3/response.h"

namespace koya::s3 {
namespace {

constexpr std::uint64_t kMostParts = 10'000;
constexpr std::uint64_t kPartStep = 1 << 20;
constexpr std::chrono::milliseconds kAbortTime{2'000};

// As it is set, or as much larger as it takes.
std::uint64_t PartBytes(std::uint64_t size, std::uint64_t set) {
  const std::uint64_t needed = (size + kMostParts - 1) / kMostParts;
  if (needed <= set) return set;
  return (needed + kPartStep - 1) / kPartStep * kPartStep;
}

Result<std::string> HashOf(int descriptor, std::uint64_t offset, std::uint64_t size) {
  Sha256Hasher hasher;
  std::array<std::byte, 64 << 10> buffer;
  while (size > 0) {
    auto into = std::span(buffer).first(std::min<std::uint64_t>(buffer.size(), size));
    auto got = ReadSome(descriptor, into, offset);
    if (!got) return Failure(ErrnoError("read", got.error()));
    if (*got == 0) return FailInternal("the file is shorter than it was");
    hasher.Update(into.first(*got));
    offset += *got;
    size -= *got;
  }
  return HexEncode(hasher.Finish());
}

std::string EscapeXml(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string CompletionOf(const std::vector<std::string>& tags) {
  std::string out = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
  for (std::size_t i = 0; i < tags.size(); ++i) {
    out += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", i + 1,
                       EscapeXml(tags[i]));
  }
  return out + "</CompleteMultipartUpload>";
}

bool MayHaveHappened(FailureClass trouble) {
  return trouble == FailureClass::kRetryable || trouble == FailureClass::kSlowStart ||
         trouble == FailureClass::kMissingUpload || trouble == FailureClass::kMissing;
}

}  // namespace

// What the threads that send parts share.
struct Upload::Parts {
  std::string upload_id;
  std::uint64_t part_bytes = 0;

  std::mutex mutex;  // guards the members below
  std::condition_variable left;
  std::uint64_t next = 0;
  std::vector<std::string> tags;
  std::optional<Error> failure;
  unsigned helping = 0;
  bool closed = false;  // no helper may join any more

  // Whether a helper may begin.
  bool Enter() {
    std::lock_guard lock(mutex);
    if (closed) return false;
    ++helping;
    return true;
  }
  void Leave() {
    // Notified under the lock: who waits may end us right after.
    std::lock_guard lock(mutex);
    --helping;
    left.notify_all();
  }
  std::optional<std::uint64_t> Take() {
    std::lock_guard lock(mutex);
    if (failure || next == tags.size()) return std::nullopt;
    return next++;
  }
  void Put(std::uint64_t index, Result<std::string> tag) {
    std::lock_guard lock(mutex);
    if (tag) {
      tags[index] = *std::move(tag);
    } else if (!failure) {
      failure = std::move(tag).error();
    }
  }
  void CloseAndWait() {
    std::unique_lock lock(mutex);
    closed = true;
    left.wait(lock, [this] { return helping == 0; });
  }
};

Retries Upload::NewRetries() const {
  return {sender_.budget(), sender_.clock(), TimeOf(what_.wait.patience), true};
}

StoreRequest Upload::AskFor(Operation operation, std::string method) const {
  return {.operation = operation,
          .method = std::move(method),
          .path = sender_.address().PathOf(what_.name),
          .stop = what_.wait.stop};
}

Status Upload::Run() {
  const bool whole = what_.body.size <= options_.whole_bytes;
  Status sent = whole ? SendWhole() : SendInParts();
  RETURN_IF_ERROR(std::move(sent));
  return Confirm(sender_, what_.name, what_.body.size, what_.wait);
}

Status Upload::SendWhole() {
  StoreRequest ask = AskFor(Operation::kPut, "PUT");
  ask.signed_fields = options_.encryption;
  ask.upload = http::FileUpload{.descriptor = what_.body.descriptor, .size = what_.body.size};
  ask.payload_hash = what_.body.digest.hex();
  Retries retries = NewRetries();
  Outcome outcome = sender_.Send(std::move(ask), retries);
  if (outcome.trouble != FailureClass::kNone) return Failure(std::move(outcome.error));
  sender_.seen().bytes_sent += what_.body.size;
  return {};
}

Status Upload::SendInParts() {
  ASSIGN_OR_RETURN(const std::string upload_id, Create());
  auto tags = SendParts(upload_id);
  Status done = tags ? Complete(upload_id, *tags) : Failure(std::move(tags).error());
  if (done || what_.wait.stop.stop_requested()) return done;
  // Parts left behind cost money until a sweep. Try only once, because a caller waits.
  StoreRequest abort = AskFor(Operation::kAbortUpload, "DELETE");
  abort.query = {{"uploadId", upload_id}};
  abort.total_timeout = kAbortTime;
  sender_.Attempt(abort);
  return done;
}

Result<std::string> Upload::Create() {
  StoreRequest ask = AskFor(Operation::kCreateUpload, "POST");
  ask.query = {{"uploads", ""}};
  ask.signed_fields = options_.encryption;
  ask.within_deadline = true;
  Retries retries = NewRetries();
  Outcome outcome = sender_.Send(std::move(ask), retries);
  if (outcome.trouble != FailureClass::kNone) return Failure(std::move(outcome.error));
  return ParseUploadId(outcome.answer.body);
}

Result<std::vector<std::string>> Upload::SendParts(const std::string& upload_id) {
  // Helpers that come late find it closed, and touch nothing else.
  auto parts = std::make_shared<Parts>();
  parts->upload_id = upload_id;
  parts->part_bytes = PartBytes(what_.body.size, options_.part_bytes);
  parts->tags.resize((what_.body.size + parts->part_bytes - 1) / parts->part_bytes);
  const std::uint64_t lanes = std::min<std::uint64_t>(options_.parallel_parts, parts->tags.size());
  for (std::uint64_t i = 1; i < lanes; ++i) {
    helpers_.Post([this, parts] {
      if (!parts->Enter()) return;
      SendWhileThereAre(*parts);
      parts->Leave();
    });
  }
  SendWhileThereAre(*parts);
  parts->CloseAndWait();
  if (parts->failure) return Failure(*std::move(parts->failure));
  return std::move(parts->tags);
}

void Upload::SendWhileThereAre(Parts& parts) {
  while (auto index = parts.Take()) {
    parts.Put(*index, SendPart(parts.upload_id, *index, parts.part_bytes));
  }
}

Result<std::string> Upload::SendPart(const std::string& upload_id, std::uint64_t index,
                                     std::uint64_t part_bytes) {
  const std::uint64_t offset = index * part_bytes;
  const std::uint64_t size = std::min(part_bytes, what_.body.size - offset);
  StoreRequest ask = AskFor(Operation::kUploadPart, "PUT");
  ask.query = {{"partNumber", std::to_string(index + 1)}, {"uploadId", upload_id}};
  ASSIGN_OR_RETURN(ask.payload_hash, HashOf(what_.body.descriptor, offset, size));
  ask.upload =
      http::FileUpload{.descriptor = what_.body.descriptor, .size = size, .offset = offset};
  Retries retries = NewRetries();
  Outcome outcome = sender_.Send(std::move(ask), retries);
  if (outcome.trouble != FailureClass::kNone) return Failure(std::move(outcome.error));
  std::string tag(outcome.answer.Get("etag").value_or(""));
  if (tag.empty()) {
    return FailUnavailable(
        "the object store acknowledged a part without a tag; does a proxy in between remove ETag?");
  }
  sender_.seen().bytes_sent += size;
  return tag;
}

// An error may stand in a 200.
Outcome Upload::CompleteOnce(const StoreRequest& ask) {
  Outcome outcome = sender_.Attempt(ask);
  if (outcome.trouble != FailureClass::kNone) return outcome;
  auto said = ParseCompletion(outcome.answer.body);
  if (!said) {
    outcome.trouble = FailureClass::kRetryable;
    outcome.error = std::move(said).error();
  } else if (!said->code.empty()) {
    // The code alone says which class it is.
    outcome.answer.status = 400;
    outcome.said = *std::move(said);
    outcome.trouble = ClassifyResponse(outcome.answer, outcome.said, false, sender_.Now());
    outcome.error = ErrorOf(outcome.trouble, {.operation = ask.operation,
                                              .address = sender_.address(),
                                              .answer = outcome.answer,
                                              .said = outcome.said,
                                              .source = {}});
  }
  return outcome;
}

Status Upload::Complete(const std::string& upload_id, const std::vector<std::string>& tags) {
  StoreRequest ask = AskFor(Operation::kCompleteUpload, "POST");
  ask.query = {{"uploadId", upload_id}};
  ask.body = CompletionOf(tags);
  ask.payload_hash = HexEncode(Sha256(ask.body));
  ask.total_timeout = options_.complete_timeout;
  ask.stall_timeout = options_.complete_timeout;
  Retries retries = NewRetries();
  while (true) {
    Outcome outcome = CompleteOnce(ask);
    if (outcome.trouble == FailureClass::kNone) return {};
    if (MayHaveHappened(outcome.trouble)) {
      // The name is unique: an object that has it is ours.
      Shown shown = HeadOnce(sender_, what_.name, what_.wait);
      if (shown.outcome.trouble == FailureClass::kNone && shown.size == what_.body.size) return {};
      const bool unknown = shown.outcome.trouble == FailureClass::kRetryable ||
                           shown.outcome.trouble == FailureClass::kSlowStart ||
                           shown.outcome.trouble == FailureClass::kCircuitOpen;
      if (outcome.trouble == FailureClass::kMissingUpload && unknown) {
        outcome = std::move(shown.outcome);
      }
    }
    if (!sender_.WaitFor(outcome, retries, what_.wait.stop)) {
      return Failure(std::move(outcome.error));
    }
  }
}

}  // namespace koya::s3
