#include "auth/capability.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "base/encoding.h"
#include "base/secrets.h"
#include "base/sha256.h"
#include "domain/digest.h"

namespace koya::auth {
namespace {

// Keeps this key apart from whatever else is derived from server.secret.
constexpr std::string_view kCapabilityPurpose = "koya capability URLs, 1";
constexpr std::string_view kCapabilityFormat = "koya-url-1\n";
constexpr UnixSeconds kClockSkew = 5;
constexpr UnixSeconds kFarthestEnd =
    std::chrono::seconds(kLongestCapability + std::chrono::days(1)).count();

constexpr std::size_t kBearerSize = 1 + std::tuple_size_v<CapabilityBearer::Id>;
constexpr std::size_t kCapabilityMacSize = std::tuple_size_v<Sha256Bytes>;
constexpr std::size_t kSigSize = kBearerSize + kCapabilityMacSize;
constexpr std::size_t kSigLength = (kSigSize * 8 + 5) / 6;
constexpr std::size_t kLongestEncoded = 3 * kSigLength;  // every character of a sig as %XX

std::string_view BytesAsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Sha256Bytes CapabilityKey(std::string_view server_secret) {
  return HmacSha256(std::as_bytes(std::span(server_secret)), {kCapabilityPurpose});
}

std::array<std::byte, kBearerSize> BearerBytes(const CapabilityBearer& bearer) {
  std::array<std::byte, kBearerSize> bytes;
  bytes[0] = static_cast<std::byte>(bearer.kind);
  std::ranges::copy(bearer.id, bytes.begin() + 1);
  return bytes;
}

// All but the path is of a fixed length, and the path comes last: no two claims are the same bytes.
Sha256Bytes CapabilityMac(const Sha256Bytes& key, std::string_view path,
                          const CapabilityBearer& bearer, UnixSeconds expires) {
  std::array<std::byte, kCapabilityFormat.size() + kBearerSize + sizeof(UnixSeconds)> claim;
  auto end = std::ranges::copy(std::as_bytes(std::span(kCapabilityFormat)), claim.begin()).out;
  end = std::ranges::copy(BearerBytes(bearer), end).out;
  for (std::size_t shift = 8 * sizeof(UnixSeconds); shift > 0; ++end) {
    shift -= 8;
    *end = static_cast<std::byte>(expires >> shift);
  }
  return HmacSha256(key, {BytesAsText(claim), path});
}

Failure MalformedParameter(std::string_view name) {
  return FailForbidden(
      "the parameter \"{}\" of this URL is malformed: copy the whole URL, or "
      "request a new one (run init again)",
      name);
}

// The two parameters as sent.
struct SentCapability {
  std::optional<std::string_view> expires;
  std::optional<std::string_view> sig;
};

// Fails: kForbidden when one of them is repeated: two programs may read two different ones.
Result<SentCapability> FindCapability(std::string_view query) {
  SentCapability sent;
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    const std::string_view name = pair.substr(0, pair.find('='));
    if (name != "expires" && name != "sig") continue;
    std::optional<std::string_view>& value = name == "sig" ? sent.sig : sent.expires;
    if (value) {
      return FailForbidden(
          "the parameter \"{}\" appears in this URL more than once: do not "
          "change the URL, or request a new one (run init again)",
          name);
    }
    value = pair.substr(std::min(pair.size(), name.size() + 1));
  }
  return sent;
}

// Nullopt: a "%" without two hexadecimal digits.
std::optional<std::string> DecodedParameter(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

// One spelling only: digits, no sign, no zeros before them.
std::optional<UnixSeconds> ParseCapabilityEnd(std::string_view text) {
  const bool digits =
      !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || (text.starts_with('0') && text.size() > 1)) return std::nullopt;
  UnixSeconds value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

struct CapabilitySig {
  CapabilityBearer bearer;
  Sha256Bytes mac;
};

std::optional<CapabilitySig> ParseCapabilitySig(std::string_view text) {
  if (text.size() != kSigLength) return std::nullopt;
  const std::optional<std::string> bytes = Base64UrlDecode(text);
  if (!bytes || bytes->size() != kSigSize) return std::nullopt;
  const auto rest = std::as_bytes(std::span(*bytes)).subspan(1);
  const auto kind = static_cast<CapabilityBearer::Kind>(bytes->front());
  switch (kind) {
    case CapabilityBearer::Kind::kToken:
    case CapabilityBearer::Kind::kSession: {
      CapabilitySig sig;
      sig.bearer.kind = kind;
      std::ranges::copy(rest.first<kBearerSize - 1>(), sig.bearer.id.begin());
      std::ranges::copy(rest.last<kCapabilityMacSize>(), sig.mac.begin());
      return sig;
    }
  }
  return std::nullopt;
}

// The value that `parse` finds in a parameter as sent.
template <class T>
Result<T> ParseSentParameter(std::string_view name, std::optional<std::string_view> sent,
                             std::optional<T> (*parse)(std::string_view)) {
  if (!sent) {
    return FailForbidden(
        "this URL has no parameter \"{}\" beside the other: copy the whole "
        "URL, or request a new one (run init again)",
        name);
  }
  if (sent->size() > kLongestEncoded) return MalformedParameter(name);
  std::optional<std::string> decoded;
  if (sent->contains('%')) {
    decoded = DecodedParameter(*sent);
    if (!decoded) return MalformedParameter(name);
  }
  const std::optional<T> value = parse(decoded ? std::string_view(*decoded) : *sent);
  if (!value) return MalformedParameter(name);
  return *value;
}

Status CheckCapabilityEnd(UnixSeconds expires, UnixSeconds now) {
  if (expires < now - kClockSkew) {
    return FailForbidden("this URL expired at {}: request a new one (run init again)",
                         FormatRfc3339(expires));
  }
  if (expires > now + kFarthestEnd) {
    return FailForbidden(
        "this URL claims to be valid until {}, longer than any that a server creates: "
        "correct the servers' clocks, and request a new one (run init again)",
        FormatRfc3339(expires));
  }
  return {};
}

}  // namespace

struct CapabilitySigner::Claim {
  CapabilityBearer bearer;
  UnixSeconds expires = 0;
};

CapabilitySigner::CapabilitySigner(std::string_view server_secret, std::string_view previous)
    : key_(CapabilityKey(server_secret)) {
  if (!previous.empty()) previous_ = CapabilityKey(previous);
}

CapabilitySigner::~CapabilitySigner() {
  WipeSecret(key_);
  if (previous_) WipeSecret(*previous_);
}

std::string CapabilitySigner::Sign(std::string_view path, const CapabilityBearer& bearer,
                                   UnixSeconds expires) const {
  std::array<std::byte, kSigSize> sig;
  std::ranges::copy(BearerBytes(bearer), sig.begin());
  std::ranges::copy(CapabilityMac(key_, path, bearer, expires), sig.begin() + kBearerSize);
  return fmt::format("expires={}&sig={}", expires, Base64UrlEncode(sig));
}

Result<std::optional<CapabilitySigner::Claim>> CapabilitySigner::ReadClaim(
    std::string_view path, std::string_view query) const {
  ASSIGN_OR_RETURN(const SentCapability sent, FindCapability(query));
  if (!sent.expires && !sent.sig) return std::nullopt;
  ASSIGN_OR_RETURN(const UnixSeconds expires,
                   ParseSentParameter("expires", sent.expires, ParseCapabilityEnd));
  ASSIGN_OR_RETURN(const CapabilitySig sig,
                   ParseSentParameter("sig", sent.sig, ParseCapabilitySig));
  const auto signed_with = [&](const Key& key) {
    return EqualSecrets(CapabilityMac(key, path, sig.bearer, expires), sig.mac);
  };
  if (signed_with(key_) || (previous_ && signed_with(*previous_))) {
    return Claim{sig.bearer, expires};
  }
  return FailForbidden(
      "this URL was altered, or is of another path or server: do not change it, or request "
      "a new one (run init again)");
}

Result<std::optional<CapabilityBearer>> CapabilitySigner::Verify(std::string_view path,
                                                                 std::string_view query,
                                                                 UnixSeconds now) const {
  ASSIGN_OR_RETURN(const std::optional<Claim> claim, ReadClaim(path, query));
  if (!claim) return std::nullopt;
  RETURN_IF_ERROR(CheckCapabilityEnd(claim->expires, now));
  return claim->bearer;
}

std::optional<CapabilityBearer> CapabilitySigner::SignedFor(std::string_view path,
                                                            std::string_view query) const {
  const Result<std::optional<Claim>> claim = ReadClaim(path, query);
  if (!claim || !*claim) return std::nullopt;
  return (*claim)->bearer;
}

UnixSeconds CapabilitySigner::ExpiryFor(UnixSeconds now, std::chrono::seconds ttl) {
  const UnixSeconds step = std::clamp<UnixSeconds>(ttl.count() / 15, 1, 60);
  return (now + ttl.count() + step - 1) / step * step;
}

}  // namespace koya::auth
