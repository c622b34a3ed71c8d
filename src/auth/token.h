// API tokens: "koya_", 43 characters of base64url (256 random bits), and a checksum of six
// characters over all before them, so that scanners for leaked secrets are never wrong and typing
// errors are detected. Tokens of earlier versions have no checksum. Stored as a hash only.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "domain/digest.h"

namespace koya::auth {

// A token that has just been created: the only moment at which its text exists outside the client.
struct MintedToken {
  std::string text;
  Digest secret;  // the stored form
};
MintedToken MintToken();

// 128 random bits as 22 characters of base64url: an unguessable name. It does not begin with "-",
// so that it can be a command-line argument, which would otherwise look like a flag.
std::string RandomId();

// 256 random bits as 43 characters of base64url: a bearer secret, such as a cookie or a code. Its
// TokenSecret() is stored.
std::string RandomSecret();
// Whether `text` has the form of one; if not, no look-up is needed.
bool LooksLikeASecret(std::string_view text);
// True for anything that begins as a token does.
bool LooksLikeAToken(std::string_view text);

// Eight random lower-case letters and digits: the suffix of a new unique name.
std::string RandomNameEnd();

// The stored form of a presented token.
Digest TokenSecret(std::string_view text);

// Hashes the texts of presented tokens and cookies, so that one process recognises a text that it
// looked up before. A hasher is a SipHash-2-4 of 128 bits under a key of its own, which it draws at
// random; it costs a sixth of TokenSecret(). Equal hashes count as equal texts: the key and the
// hashes never leave the process, so a sender cannot compute a text that collides, and a guess hits
// one of n cached texts with a probability of n / 2^128. Any thread. The key is wiped on
// destruction.
class TokenTextHasher {
 public:
  using Hash = std::array<std::byte, 16>;

  TokenTextHasher();
  ~TokenTextHasher();
  TokenTextHasher(const TokenTextHasher&) = delete;
  TokenTextHasher& operator=(const TokenTextHasher&) = delete;

  Hash HashOf(std::string_view text) const;

 private:
  std::array<std::byte, 16> key_{};
};

// The text at the token's place in an Authorization field, if it is no longer than a token; ""
// otherwise.
std::string_view BearerText(std::string_view authorization);

// The token in an Authorization field: "Bearer koya_…", the scheme in any letter case. Fails:
// kUnauthenticated, saying what to send, or that the token was not copied correctly.
Result<std::string_view> ParseBearer(std::string_view authorization);

// ---- Basic credentials (RFC 7617), the only form in which clients send what a `.netrc` holds
// (ADR 86). Pure functions.

// Memory for a decoded Basic field, left uninitialised: it is made for each request. Longer
// credentials count as none.
struct BasicBuffer {
  std::array<char, 512> bytes;
};

// Whether an Authorization field has the scheme Basic, in any letter case.
bool IsBasic(std::string_view authorization);

// The Bearer field of the token in a Basic field, so that both forms are checked alike: of a
// password that begins with "koya_", whatever the user name. A view into `buffer`; never allocates.
// nullopt: the field is malformed, or its password is another.
std::optional<std::string_view> BearerOfBasic(std::string_view authorization, BasicBuffer& buffer);

}  // namespace koya::auth
