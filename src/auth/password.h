// Passwords of the people whom this server knows by itself: argon2id (RFC 9106; libargon2), kept in
// the text form that every implementation reads: "$argon2id$v=19$m=32768,t=3,p=1$SALT$HASH".
//
// To hash and to verify costs 32 MiB of memory and some 60 ms of a core, on purpose: never on an
// event loop, and on so few threads at once that their memory is there. Passwords are compared byte
// for byte, and stand in no message. Who got one wipes it when it is done (WipeSecret).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace koya::auth {

inline constexpr unsigned kShortestPassword = 12;  // characters

// More of both than OWASP asks for (19 MiB, 2 passes), and the passes that RFC 9106 §4 gives to
// those who cannot spend much memory. Its 64 MiB would take three times as long, in caches that the
// threads which answer requests use too.
struct PasswordCost {
  unsigned memory_kib = 32 * 1024;
  unsigned passes = 3;
  friend bool operator==(const PasswordCost&, const PasswordCost&) = default;
};

// Whether `text` may become the password of the user `name`: 12 characters of UTF-8 or more, up to
// 1,024 bytes, none of them a control character, and not the name in whatever letter case. No rules
// about digits and signs: they make passwords worse (NIST SP 800-63B §5.1.1.2). Fails: kInvalid.
Status CheckNewPassword(std::string_view text, std::string_view name);

// What is kept of a password, another text each time. Blocks. Fails: kUnavailable (no memory).
Result<std::string> HashPassword(std::string_view text, PasswordCost cost = {});

// Whether `text` is the password that `hash` was made of. Nullopt: there is no such user, or they
// have no password; nothing is right then, and it takes the same time and gives the same words as a
// wrong password at `cost`, so that neither says who exists. Blocks. Fails: kUnauthenticated
// (it is not), kUnavailable (no memory), kCorrupt (`hash` is none, or asks for more than 256 MiB or
// 16 passes).
Status VerifyPassword(const std::optional<std::string>& hash, std::string_view text,
                      PasswordCost cost = {});

// Whether `hash` was made at another cost, or is none: make a new one when the password is next at
// hand, which is after a sign-in.
bool NeedsRehash(std::string_view hash, PasswordCost cost = {});

}  // namespace koya::auth
