// Requests to an object store: the address of the store (Address), the request (Operation,
// StoreRequest), and its signature.
//
// Requests are signed with AWS Signature Version 4, which every S3-compatible store supports: it
// proves the caller, the request and its time with a key that is not sent. Source: "Authenticating
// Requests (AWS Signature Version 4)" in the Amazon S3 API Reference; its worked examples are in
// the test. Pure functions and immutable values: any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "http/client/client.h"

namespace koya::s3 {

// Location of our part of an object store: endpoint, bucket, prefix, and their form in URLs. Object
// names are relative to the prefix, so that no code outside this folder knows it.

// The address as configured.
struct AddressText {
  std::string url;       // blobs.url: "s3://BUCKET" or "s3://BUCKET/PREFIX"
  std::string endpoint;  // blobs.s3.endpoint: "https://HOST" or "http://HOST:PORT"; "": AWS
  std::string region;    // blobs.s3.region; "": us-east-1
  // blobs.s3.path_style: whether the bucket stands in the path; otherwise in the host name. Absent:
  // in the path with an endpoint, in the host name on AWS.
  std::optional<bool> path_style;
};

// Immutable; any thread.
class Address {
 public:
  // Fails: kInvalid, naming the setting and the fix.
  static Result<Address> Parse(const AddressText& text);

  const std::string& bucket() const { return bucket_; }
  const std::string& prefix() const { return prefix_; }
  const std::string& region() const { return region_; }
  // "s3://BUCKET/PREFIX": the store's name in messages.
  std::string ToString() const;
  // The value signed as `host`: without the scheme's default port.
  const std::string& host() const { return host_; }
  // "https://HOST".
  std::string Origin() const { return scheme_ + "://" + host_; }

  // The key of the object `name`, and the inverse: nullopt when the key is not below the prefix.
  std::string KeyOf(std::string_view name) const;
  std::optional<std::string> NameOf(std::string_view key) const;
  // Paths of the object `name` and of the bucket, percent-encoded once, as they are sent and
  // signed.
  std::string PathOf(std::string_view name) const;
  std::string BucketPath() const;

 private:
  Address() = default;
  std::string bucket_;
  std::string prefix_;  // without slashes at its ends; may be empty
  std::string region_;
  std::string scheme_;
  std::string host_;
  bool path_style_ = false;
};

// A key with its segments percent-encoded and its slashes as they are.
std::string EncodeKey(std::string_view key);

// The label `operation` of every metric.
enum class Operation {
  kPut,
  kCreateUpload,
  kUploadPart,
  kCompleteUpload,
  kAbortUpload,
  kListUploads,
  kGet,
  kHead,
  kList,
  kDelete,
};
inline constexpr std::size_t kOperations = 10;

constexpr std::string_view NameOf(Operation operation) {
  switch (operation) {
    case Operation::kPut:
      return "put";
    case Operation::kCreateUpload:
      return "create_upload";
    case Operation::kUploadPart:
      return "upload_part";
    case Operation::kCompleteUpload:
      return "complete_upload";
    case Operation::kAbortUpload:
      return "abort_upload";
    case Operation::kListUploads:
      return "list_uploads";
    case Operation::kGet:
      return "get";
    case Operation::kHead:
      return "head";
    case Operation::kList:
      return "list";
    case Operation::kDelete:
      return "delete";
  }
  return "";
}

struct Credentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token;  // "": none
  UnixSeconds expires = 0;    // 0: never

  friend bool operator==(const Credentials&, const Credentials&) = default;
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

// The signed part of a request. The path is already encoded once; names and values of the query are
// not. Field names are lower-case: only `host` and those that begin with "x-amz-", because others
// are changed in transit.
struct Signed {
  std::string method;
  std::string host;
  std::string path;
  Pairs query;
  Pairs fields;  // besides host
  std::string payload_hash;
};

struct SigningKey {
  Credentials credentials;
  std::string region;
  UnixSeconds now = 0;
};

// Payload hashes of an empty body, and of a body that is not hashed (presigned requests).
inline constexpr std::string_view kEmptyPayload =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
inline constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";

// "20130524T000000Z".
std::string SigningTime(UnixSeconds now);

// Encodes, then sorts; a name without a value keeps its "=". The same text is sent.
std::string CanonicalQuery(const Pairs& query);

// The value of the field Authorization.
std::string Authorization(const SigningKey& key, const Signed& request);

// The fields to send: Authorization, x-amz-date, x-amz-content-sha256, x-amz-security-token if
// there is a session, and those of `request`.
Pairs SignedFields(const SigningKey& key, Signed request);

// The query of a GET of `path` that needs no credentials for `ttl`, or until these expire.
std::string PresignedQuery(const SigningKey& key, std::string_view host, std::string_view path,
                           std::chrono::seconds ttl);

// A request to the store.
struct StoreRequest {
  Operation operation = Operation::kHead;
  std::string method;
  std::string path;  // of Address
  Pairs query = {};
  Pairs signed_fields = {};  // x-amz-* only
  Pairs other_fields = {};   // Range
  std::string body = {};
  std::optional<http::FileUpload> upload = {};
  std::string payload_hash = std::string(kEmptyPayload);
  // For a 2xx response; a failure of these ends the operation.
  std::function<Status(const http::ClientResponse& head)> on_head = {};
  std::function<Status(std::span<const std::byte>)> sink = {};
  std::chrono::milliseconds first_byte_timeout{0};  // 0: the stall timeout
  std::chrono::milliseconds stall_timeout{0};       // 0: the client's
  std::chrono::milliseconds total_timeout{0};       // 0: none
  bool within_deadline = false;                     // the total timeout is Retries::Left()
  bool new_connection = false;
  std::stop_token stop = {};
};

// The signed HTTP request for one attempt of `ask`. The callbacks stay with the caller.
http::ClientRequest EncodeRequest(const StoreRequest& ask, const Address& address,
                                  const SigningKey& key);

}  // namespace koya::s3
