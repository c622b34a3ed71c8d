#include "blobs/s3/signer.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <span>

#include "base/hex.h"
#include "base/percent_encoding.h"
#include "base/secrets.h"
#include "base/sha256.h"

namespace koya::s3 {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
// The longest that the signature of a URL may be good.
constexpr std::chrono::seconds kLongestPresigned = std::chrono::days(7);

std::string DayOf(UnixSeconds now) { return SigningTime(now).substr(0, 8); }

std::string ScopeOf(const SigningKey& key) {
  return fmt::format("{}/{}/s3/aws4_request", DayOf(key.now), key.region);
}

// Names and canonical lines of the signed fields, sorted by name.
struct SignedLines {
  std::string names;
  std::string lines;
};

SignedLines LinesOf(const Signed& request) {
  Pairs fields = request.fields;
  fields.emplace_back("host", request.host);
  std::ranges::sort(fields);
  SignedLines out;
  for (const auto& [name, value] : fields) {
    out.names += (out.names.empty() ? "" : ";") + name;
    out.lines += fmt::format("{}:{}\n", name, value);
  }
  return out;
}

std::string Signature(const SigningKey& key, const Signed& request, const SignedLines& lines) {
  const std::string canonical =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}", request.method, request.path,
                  CanonicalQuery(request.query), lines.lines, lines.names, request.payload_hash);
  const std::string to_sign = fmt::format("{}\n{}\n{}\n{}", kAlgorithm, SigningTime(key.now),
                                          ScopeOf(key), HexEncode(Sha256(canonical)));
  std::string secret = "AWS4" + key.credentials.secret_key;
  WipeAtEnd wipe(secret);
  Sha256Bytes derived = HmacSha256(std::as_bytes(std::span(secret)), {DayOf(key.now)});
  derived = HmacSha256(derived, {key.region});
  derived = HmacSha256(derived, {"s3"});
  derived = HmacSha256(derived, {"aws4_request"});
  return HexEncode(HmacSha256(derived, {to_sign}));
}

}  // namespace

std::string SigningTime(UnixSeconds now) {
  const auto time = static_cast<std::time_t>(now);
  return fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(time));
}

std::string CanonicalQuery(const Pairs& query) {
  Pairs encoded;
  for (const auto& [name, value] : query) {
    encoded.emplace_back(PercentEncode(name), PercentEncode(value));
  }
  std::ranges::sort(encoded);
  std::string out;
  for (const auto& [name, value] : encoded) {
    out += fmt::format("{}{}={}", out.empty() ? "" : "&", name, value);
  }
  return out;
}

std::string Authorization(const SigningKey& key, const Signed& request) {
  const SignedLines lines = LinesOf(request);
  return fmt::format("{} Credential={}/{},SignedHeaders={},Signature={}", kAlgorithm,
                     key.credentials.access_key, ScopeOf(key), lines.names,
                     Signature(key, request, lines));
}

Pairs SignedFields(const SigningKey& key, Signed request) {
  request.fields.emplace_back("x-amz-content-sha256", request.payload_hash);
  request.fields.emplace_back("x-amz-date", SigningTime(key.now));
  if (!key.credentials.session_token.empty()) {
    request.fields.emplace_back("x-amz-security-token", key.credentials.session_token);
  }
  std::string authorization = Authorization(key, request);
  request.fields.emplace_back("Authorization", std::move(authorization));
  return std::move(request.fields);
}

std::string PresignedQuery(const SigningKey& key, std::string_view host, std::string_view path,
                           std::chrono::seconds ttl) {
  ttl = std::min(ttl, kLongestPresigned);
  if (key.credentials.expires != 0) {
    ttl = std::min(ttl, std::chrono::seconds(key.credentials.expires - key.now));
  }
  ttl = std::max(ttl, std::chrono::seconds(1));
  Signed request{.method = "GET",
                 .host = std::string(host),
                 .path = std::string(path),
                 .payload_hash = std::string(kUnsignedPayload)};
  request.query = {{"X-Amz-Algorithm", std::string(kAlgorithm)},
                   {"X-Amz-Credential", key.credentials.access_key + "/" + ScopeOf(key)},
                   {"X-Amz-Date", SigningTime(key.now)},
                   {"X-Amz-Expires", std::to_string(ttl.count())},
                   {"X-Amz-SignedHeaders", "host"}};
  if (!key.credentials.session_token.empty()) {
    request.query.emplace_back("X-Amz-Security-Token", key.credentials.session_token);
  }
  const std::string signature = Signature(key, request, LinesOf(request));
  return fmt::format("{}&X-Amz-Signature={}", CanonicalQuery(request.query), signature);
}

}  // namespace koya::s3
