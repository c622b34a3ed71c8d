#include "blobs/s3/s3_client.h"

#include <fmt/format.h>

#include <stop_token>
#include <utility>

#include "base/offload.h"
#include "base/text.h"
#include "blobs/s3/operations.h"
#include "blobs/s3/upload.h"

namespace koya {
namespace {

constexpr std::size_t kSmallThreads = 8;
constexpr std::size_t kByteThreads = 16;
constexpr unsigned kPageOfKeys = 1000;
// Below it AWS refuses parts that are not the last one.
constexpr std::uint64_t kLeastPart = 5 << 20;
constexpr std::uint64_t kLargestPart = 5ULL << 30;
constexpr unsigned kMostParallelParts = 16;

Failure BadSetting(std::string_view name, std::string_view value, std::string_view fix) {
  return FailInvalid("{} = \"{}\": {}", name, Printable(value), fix);
}

Status CheckOptions(const S3Options& options) {
  if (!options.sse.empty() && options.sse != "AES256" && options.sse != "aws:kms") {
    return BadSetting("blobs.s3.sse", options.sse, "write AES256, aws:kms, or nothing");
  }
  if (!options.sse_kms_key.empty() && options.sse != "aws:kms") {
    return BadSetting("blobs.s3.sse_kms_key", options.sse_kms_key,
                      "a key is only used with blobs.s3.sse = \"aws:kms\"");
  }
  if (options.part_bytes < kLeastPart || options.part_bytes > kLargestPart) {
    return BadSetting("blobs.s3.part_bytes", std::to_string(options.part_bytes),
                      "stores accept parts of 5MiB to 5GiB");
  }
  if (options.parallel_parts == 0 || options.parallel_parts > kMostParallelParts) {
    return BadSetting("blobs.s3.parallel_parts", std::to_string(options.parallel_parts),
                      "write a number from 1 to 16");
  }
  return {};
}

http::ClientOptions ClientOptionsOf(const S3Options& options) {
  http::ClientOptions client;
  client.user_agent = options.user_agent;
  client.ca_file = options.ca_file;
  client.trust_hint = "to trust it, set blobs.s3.ca_file to its root certificate";
  client.connect_timeout = options.connect_timeout;
  client.stall_timeout = options.stall_timeout;
  return client;
}

s3::UploadOptions UploadOptionsOf(const S3Options& options) {
  s3::UploadOptions upload{.whole_bytes = options.whole_bytes,
                           .part_bytes = options.part_bytes,
                           .parallel_parts = options.parallel_parts,
                           .complete_timeout = options.complete_timeout};
  if (!options.sse.empty()) {
    upload.encryption.emplace_back("x-amz-server-side-encryption", options.sse);
  }
  if (!options.sse_kms_key.empty()) {
    upload.encryption.emplace_back("x-amz-server-side-encryption-aws-kms-key-id",
                                   options.sse_kms_key);
  }
  return upload;
}

// Requested when either of two is.
class EitherStop {
 public:
  EitherStop(const std::stop_token& one, const std::stop_token& other)
      : one_(one, Request{&source_}), other_(other, Request{&source_}) {}
  std::stop_token token() const { return source_.get_token(); }

 private:
  struct Request {
    std::stop_source* source;
    void operator()() const { source->request_stop(); }
  };
  std::stop_source source_;
  std::stop_callback<Request> one_;
  std::stop_callback<Request> other_;
};

// For those who know nothing of the store: what the operator needs goes to the log.
Error ForClients(Error error) {
  std::string_view message;
  switch (error.kind) {
    case ErrorKind::kNotFound:
      return error;
    case ErrorKind::kStorageFull:
      message = "the server's object store is full; its operator must free space";
      break;
    case ErrorKind::kUnavailable:
    case ErrorKind::kTimeout:
    case ErrorKind::kInvalid:
      error.kind = ErrorKind::kUnavailable;
      if (error.retry_after == 0) error.retry_after = 1;
      message = "the server's object store does not respond as expected; try again in a moment";
      break;
    default:
      return error;
  }
  std::string said = std::exchange(error.message, std::string(message));
  return std::move(error).During(said);
}

template <class T>
Result<T> ForClients(Result<T> result) {
  if (result) return result;
  return Failure(ForClients(std::move(result).error()));
}

}  // namespace

struct S3Client::Impl {
  Impl(S3Options given, s3::Address address, s3::Address public_address,
       std::unique_ptr<s3::CredentialSource> source, std::unique_ptr<ExchangeClock> with_clock)
      : options(std::move(given)),
        upload(UploadOptionsOf(options)),
        public_at(std::move(public_address)),
        clock(std::move(with_clock)),
        sender(std::move(address), ClientOptionsOf(options), std::move(source), *clock, seen) {}

  const S3Options options;
  const s3::UploadOptions upload;
  const s3::Address public_at;
  std::unique_ptr<ExchangeClock> clock;
  s3::StoreMetrics seen;
  s3::RequestSender sender;
  std::stop_source stopping;
  mutable std::mutex mutex;  // of what follows
  std::optional<Error> write_trouble;
  // Last: their end waits for what uses the rest.
  WorkerPool small{kSmallThreads};
  WorkerPool bytes{kByteThreads};

  s3::Wait WaitFor(RetryTimeout patience) const {
    return {.patience = patience,
            .first_byte_timeout = options.first_byte_timeout,
            .stop = stopping.get_token()};
  }

  Status Read(const std::string& name, const ObjectRest& rest, const ObjectSink& sink,
              const std::stop_token& stop);
  Status CheckStore(const std::string& marker, RetryTimeout patience);
  void NoteWrite(const Status& written);
};

void S3Client::Impl::NoteWrite(const Status& written) {
  const bool refused = !written && (written.error().kind == ErrorKind::kInvalid ||
                                    written.error().kind == ErrorKind::kStorageFull);
  std::lock_guard lock(mutex);
  if (written) write_trouble.reset();
  if (refused) write_trouble = written.error();
}

Status S3Client::Impl::Read(const std::string& name, const ObjectRest& rest, const ObjectSink& sink,
                            const std::stop_token& stop) {
  EitherStop either(stop, stopping.get_token());
  // What the sink failed with is its caller's own.
  std::optional<Error> sink_failure;
  ObjectSink watched = [&](std::span<const std::byte> piece) -> Status {
    Status taken = sink(piece);
    if (!taken) sink_failure = taken.error();
    return taken;
  };
  s3::Download download(sender, {.name = name,
                                 .rest = rest,
                                 .sink = std::move(watched),
                                 .first_byte_timeout = options.first_byte_timeout,
                                 .stop = either.token()});
  Status read = download.Run();
  if (sink_failure) return Failure(*std::move(sink_failure));
  return ForClients(std::move(read));
}

Status S3Client::Impl::CheckStore(const std::string& marker, RetryTimeout patience) {
  const s3::Wait wait = WaitFor(patience);
  if (patience == RetryTimeout::kLook) {
    auto size = s3::SizeOf(sender, marker, wait);
    if (size || size.error().kind == ErrorKind::kNotFound) return {};
    if (size.error().kind != ErrorKind::kInvalid) return Failure(std::move(size).error());
  }
  auto listed = s3::List(sender, "", "", 1, wait);
  if (!listed) return Failure(std::move(listed).error());
  auto size = s3::SizeOf(sender, marker, wait);
  if (size || size.error().kind == ErrorKind::kNotFound) return {};
  return Failure(std::move(size).error());
}

Result<std::unique_ptr<S3Client>> S3Client::Make(S3Options options) {
  return Make(std::move(options), {});
}

Result<std::unique_ptr<S3Client>> S3Client::Make(S3Options options, S3TestHooks surroundings) {
  RETURN_IF_ERROR(CheckOptions(options));
  ASSIGN_OR_RETURN(s3::Address address, s3::Address::Parse(options.address));
  s3::Address public_address = address;
  if (!options.public_endpoint.empty()) {
    s3::AddressText text = options.address;
    text.endpoint = options.public_endpoint;
    auto parsed = s3::Address::Parse(text);
    if (!parsed) {
      return BadSetting("blobs.s3.public_endpoint", options.public_endpoint,
                        "write https://HOST or http://HOST:PORT, as clients reach the store");
    }
    public_address = *std::move(parsed);
  }
  s3::CredentialOptions& credentials = surroundings.credentials;
  credentials.access_key_file = options.access_key_file;
  credentials.region = address.region();
  credentials.ca_file = options.ca_file;
  if (!credentials.environment) credentials.environment = s3::ProcessEnvironment;
  ASSIGN_OR_RETURN(auto source, s3::MakeCredentialSource(credentials));
  auto clock = std::move(surroundings.clock);
  if (clock == nullptr) clock = std::make_unique<SystemExchangeClock>();
  auto impl =
      std::make_unique<Impl>(std::move(options), std::move(address), std::move(public_address),
                             std::move(source), std::move(clock));
  return std::unique_ptr<S3Client>(new S3Client(std::move(impl)));
}

S3Client::S3Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
S3Client::~S3Client() { Stop(); }

void S3Client::Stop() { impl_->stopping.request_stop(); }
const s3::StoreMetrics& S3Client::observations() const { return impl_->seen; }
double S3Client::retry_budget() const { return impl_->sender.budget().left(); }
std::optional<Error> S3Client::write_trouble() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->write_trouble;
}
std::string S3Client::where() const { return impl_->sender.address().ToString(); }

Task<void> S3Client::Put(std::string name, ObjectBody body) {
  CO_RETURN_IF_ERROR(ForClients(impl_->sender.MayEnter()));
  s3::Upload upload(
      impl_->sender, impl_->bytes, impl_->upload,
      {.name = std::move(name), .body = body, .wait = impl_->WaitFor(RetryTimeout::kClient)});
  auto run = [&upload] { return upload.Run(); };
  Status put = co_await Offload(impl_->bytes, std::move(run));
  impl_->NoteWrite(put);
  co_return ForClients(std::move(put));
}

Task<void> S3Client::Get(std::string name, ObjectRest rest, ObjectSink sink, std::stop_token stop) {
  CO_RETURN_IF_ERROR(ForClients(impl_->sender.MayEnter()));
  auto run = [&] { return impl_->Read(name, rest, sink, stop); };
  co_return co_await Offload(impl_->bytes, std::move(run));
}

Task<std::uint64_t> S3Client::SizeOf(std::string name, RetryTimeout patience) {
  if (patience == RetryTimeout::kClient) {
    CO_RETURN_IF_ERROR(ForClients(impl_->sender.MayEnter()));
  }
  auto run = [&] { return s3::SizeOf(impl_->sender, name, impl_->WaitFor(patience)); };
  co_return ForClients(co_await Offload(impl_->small, std::move(run)));
}

Task<void> S3Client::Delete(std::string name) {
  auto run = [&] {
    return s3::Delete(impl_->sender, name, impl_->WaitFor(RetryTimeout::kBackground));
  };
  co_return ForClients(co_await Offload(impl_->small, std::move(run)));
}

Task<void> S3Client::AbortUploads(std::string name) {
  auto run = [&] {
    return s3::AbortUploads(impl_->sender, name, impl_->WaitFor(RetryTimeout::kBackground));
  };
  co_return ForClients(co_await Offload(impl_->small, std::move(run)));
}

Task<std::vector<ObjectInfo>> S3Client::List(std::string prefix, std::string after) {
  // With the catalog down, clients wait for this.
  CO_RETURN_IF_ERROR(ForClients(impl_->sender.MayEnter()));
  auto run = [&] {
    return s3::List(impl_->sender, prefix, after, kPageOfKeys,
                    impl_->WaitFor(RetryTimeout::kClient));
  };
  co_return ForClients(co_await Offload(impl_->small, std::move(run)));
}

Task<std::string> S3Client::PresignGet(std::string name, std::chrono::seconds ttl) {
  // Credentials may have to be fetched.
  auto get = [&] { return impl_->sender.Key(impl_->stopping.get_token()); };
  auto got = co_await Offload(impl_->small, std::move(get));
  if (!got) co_return Failure(ForClients(std::move(got).error()));
  const s3::Address& at = impl_->public_at;
  const std::string path = at.PathOf(name);
  co_return fmt::format("{}{}?{}", at.Origin(), path,
                        s3::PresignedQuery(*got, at.host(), path, ttl));
}

Task<void> S3Client::Check(std::string marker, RetryTimeout patience) {
  auto run = [&] { return impl_->CheckStore(marker, patience); };
  co_return co_await Offload(impl_->small, std::move(run));
}

}  // namespace koya
