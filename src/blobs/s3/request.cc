#include "blobs/s3/request.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <span>

#include "base/encoding.h"
#include "base/secrets.h"
#include "base/sha256.h"
#include "base/text.h"
#include "blobs/s3/object_client.h"
#include "http/url.h"

namespace koya::s3 {
namespace {

constexpr std::string_view kScheme = "s3://";
constexpr std::string_view kDefaultRegion = "us-east-1";
constexpr std::size_t kMaxPrefix = 512;  // of the 1024 bytes that a key may have

bool IsLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// Removes credentials from a URL, so that messages do not repeat them.
std::string WithoutKeys(std::string_view url) {
  std::size_t at = url.rfind('@');
  if (at == url.npos) return Printable(url);
  std::size_t scheme = url.find("://");
  return fmt::format("{}…{}", scheme < at ? url.substr(0, scheme + 3) : "",
                     Printable(url.substr(at)));
}

Failure BadUrl(std::string_view url, std::string_view why) {
  return FailInvalid("blobs.url = \"{}\": {}; write s3://BUCKET or s3://BUCKET/PREFIX",
                     WithoutKeys(url), why);
}

Failure BadEndpoint(std::string_view endpoint, std::string_view why) {
  return FailInvalid(
      "blobs.s3.endpoint = \"{}\": {}; write https://HOST or "
      "http://HOST:PORT, with nothing behind it",
      WithoutKeys(endpoint), why);
}

// Why it cannot be a bucket's name; "": it can. The rules are AWS's ("General purpose bucket naming
// rules"), which the other stores have taken over.
std::string_view BucketProblem(std::string_view bucket) {
  if (bucket.size() < 3 || bucket.size() > 63) return "a bucket's name has 3 to 63 characters";
  if (!std::ranges::all_of(bucket,
                           [](char c) { return IsLowerOrDigit(c) || c == '-' || c == '.'; })) {
    return "a bucket's name has lower-case letters, digits, hyphens and dots only";
  }
  if (!IsLowerOrDigit(bucket.front()) || !IsLowerOrDigit(bucket.back())) {
    return "a bucket's name begins and ends with a letter or a digit";
  }
  if (bucket.contains("..")) return "a bucket's name has no two dots in a row";
  bool numeric =
      std::ranges::all_of(bucket, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  if (numeric && std::ranges::count(bucket, '.') == 3)
    return "a bucket's name is not an IP address";
  return {};
}

// Letters that mean themselves in every URL, in XML, and in every tool.
bool IsPrefixLetter(char c) { return IsUnreserved(c) && c != '~'; }

std::string_view PrefixProblem(std::string_view prefix) {
  if (prefix.size() > kMaxPrefix) return "the prefix is longer than 512 bytes";
  while (!prefix.empty()) {
    std::string_view segment = prefix.substr(0, prefix.find('/'));
    if (segment.empty() || segment == "." || segment == "..") {
      return "the prefix has an empty, \".\" or \"..\" part";
    }
    if (!std::ranges::all_of(segment, IsPrefixLetter)) {
      return "the prefix has characters other than letters, digits, -, _, . and /";
    }
    if (segment.size() + 1 == prefix.size()) return "the prefix has an empty part at its end";
    prefix.remove_prefix(std::min(prefix.size(), segment.size() + 1));
  }
  return {};
}

Result<std::string> ParseRegion(std::string_view region) {
  if (region.empty()) return std::string(kDefaultRegion);
  auto fits = [](char c) { return IsUnreserved(c) && c != '~' && c != '.'; };
  if (region.size() > 64 || !std::ranges::all_of(region, fits)) {
    return FailInvalid(
        "blobs.s3.region = \"{}\" is not a region: write one such as "
        "eu-central-1, or auto if the store has none",
        Printable(region));
  }
  return std::string(region);
}

std::string AwsHost(std::string_view region) {
  return fmt::format("s3.{}.amazonaws.com{}", region, region.starts_with("cn-") ? ".cn" : "");
}

Result<http::Url> ParseEndpoint(const std::string& endpoint) {
  auto url = http::ParseUrl(endpoint);
  if (!url) return BadEndpoint(endpoint, "this is not a URL");
  if (url->scheme != "https" && url->scheme != "http") {
    return BadEndpoint(endpoint, "it begins neither with https:// nor with http://");
  }
  if (url->has_user_info) {
    return BadEndpoint(endpoint, "keys belong in blobs.s3.access_key_file, not in the URL");
  }
  if (url->path != "/" || !url->query.empty() || !url->fragment.empty()) {
    return BadEndpoint(endpoint, "a bucket or a path belongs in blobs.url, not in the URL");
  }
  return url;
}

}  // namespace

std::string EncodeKey(std::string_view key) {
  std::string out;
  while (true) {
    std::size_t slash = key.find('/');
    out += PercentEncode(key.substr(0, slash));
    if (slash == key.npos) return out;
    out += '/';
    key.remove_prefix(slash + 1);
  }
}

Result<Address> Address::Parse(const AddressText& text) {
  if (!text.url.starts_with(kScheme)) return BadUrl(text.url, "it does not begin with s3://");
  std::string_view rest = std::string_view(text.url).substr(kScheme.size());
  Address address;
  address.bucket_ = rest.substr(0, rest.find('/'));
  if (auto problem = BucketProblem(address.bucket_); !problem.empty()) {
    return BadUrl(text.url, problem);
  }
  rest.remove_prefix(std::min(rest.size(), address.bucket_.size() + 1));
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (auto problem = PrefixProblem(rest); !problem.empty()) return BadUrl(text.url, problem);
  address.prefix_ = rest;
  ASSIGN_OR_RETURN(address.region_, ParseRegion(text.region));
  std::string authority = AwsHost(address.region_);
  address.scheme_ = "https";
  // A wildcard certificate is good for one label, so that a name with dots stands in the path.
  address.path_style_ = text.path_style.value_or(address.bucket_.contains('.'));
  if (!text.endpoint.empty()) {
    ASSIGN_OR_RETURN(http::Url endpoint, ParseEndpoint(text.endpoint));
    authority = endpoint.Authority();
    address.scheme_ = endpoint.scheme;
    address.path_style_ = text.path_style.value_or(true);
  }
  address.host_ = address.path_style_ ? authority : address.bucket_ + "." + authority;
  return address;
}

std::string Address::ToString() const {
  return fmt::format("s3://{}{}{}", bucket_, prefix_.empty() ? "" : "/", prefix_);
}

std::string Address::KeyOf(std::string_view name) const {
  return prefix_.empty() ? std::string(name) : fmt::format("{}/{}", prefix_, name);
}

std::optional<std::string> Address::NameOf(std::string_view key) const {
  if (prefix_.empty()) return std::string(key);
  if (!key.starts_with(prefix_) || !key.substr(prefix_.size()).starts_with('/')) {
    return std::nullopt;
  }
  return std::string(key.substr(prefix_.size() + 1));
}

std::string Address::BucketPath() const { return path_style_ ? "/" + bucket_ : "/"; }

std::string Address::PathOf(std::string_view name) const {
  return fmt::format("{}/{}", path_style_ ? "/" + bucket_ : "", EncodeKey(KeyOf(name)));
}

namespace {

constexpr std::uint64_t kMaxAnswer = 4 << 20;  // of XML
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

http::ClientRequest EncodeRequest(const StoreRequest& ask, const Address& address,
                                  const SigningKey& key) {
  http::ClientRequest request{.method = ask.method};
  const std::string query = CanonicalQuery(ask.query);
  request.url =
      fmt::format("{}{}{}{}", address.Origin(), ask.path, query.empty() ? "" : "?", query);
  request.fields = SignedFields(key, Signed{.method = ask.method,
                                            .host = address.host(),
                                            .path = ask.path,
                                            .query = ask.query,
                                            .fields = ask.signed_fields,
                                            .payload_hash = ask.payload_hash});
  request.fields.insert(request.fields.end(), ask.other_fields.begin(), ask.other_fields.end());
  request.body = ask.body;
  request.upload = ask.upload;
  request.plain = true;
  request.new_connection = ask.new_connection;
  request.piece_bytes = kObjectPiece;
  request.max_body = ask.sink ? UINT64_MAX : kMaxAnswer;
  request.total_timeout = ask.total_timeout;
  request.stall_timeout = ask.stall_timeout;
  request.first_byte_timeout = ask.first_byte_timeout;
  request.stop = ask.stop;
  return request;
}

}  // namespace koya::s3
