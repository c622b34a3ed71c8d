// API tokens: "koya_", 43 characters of base64url (256 random bits), and six of a checksum of all
// before them, so that a scanner for leaked secrets is never wrong and a slip of the keyboard is
// told as one. Tokens of earlier versions have no checksum. Stored as a hash only.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "domain/digest.h"

namespace koya::auth {

// A token that has just been made: the only moment at which its text exists outside the client.
struct MintedToken {
  std::string text;
  Digest secret;  // what is stored
};
MintedToken MintToken();

// 128 random bits as 22 characters of base64url: a name that cannot be guessed. It begins with no
// "-", so that it can be typed after a command, which would take it for a flag.
std::string RandomId();

// 256 random bits as 43 characters of base64url: what opens something for whoever has it, such as a
// cookie or a code. Its TokenSecret() is what is stored.
std::string RandomSecret();
// Whether it may be one; where not, nobody needs to be asked.
bool LooksLikeASecret(std::string_view text);

// Eight random lower-case letters and digits: the end of a name that is to be new.
std::string RandomNameEnd();

// The stored form of a presented token.
Digest TokenSecret(std::string_view text);

// What stands where an Authorization field has its token, and is no longer than one; "" otherwise.
std::string_view BearerText(std::string_view authorization);

// The token in an Authorization field: "Bearer koya_…", the scheme in any letter case.
// Fails: kUnauthenticated, saying what to send, or that the token was not copied as it was given.
Result<std::string_view> ParseBearer(std::string_view authorization);

}  // namespace koya::auth
