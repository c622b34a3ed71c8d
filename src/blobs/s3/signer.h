// Signs requests with AWS Signature Version 4, which every S3-compatible store supports: proves the
// caller, the request and its time with a key that is not sent.
//
// Source: "Authenticating Requests (AWS Signature Version 4)" in the Amazon S3 API Reference; its
// worked examples are in the test. Pure functions: any thread.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/sha256.h"

namespace koya::s3 {

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

}  // namespace koya::s3
