// Hashes passwords of this server's own users: argon2id (RFC 9106; libargon2), stored in the text
// form that every implementation reads: "$argon2id$v=19$m=32768,t=3,p=1$SALT$HASH".
//
// Hashing and verifying cost 32 MiB of memory and some 60 ms of a core, on purpose: never do it on
// an event loop, and only on so few threads at once that their memory is available. Passwords are
// compared byte for byte, and appear in no message. Callers wipe a password when they are done
// (WipeSecret).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace koya::auth {

inline constexpr unsigned kShortestPassword = 12;  // characters

// More of both than OWASP recommends (19 MiB, 2 passes), and as many passes as RFC 9106 §4
// recommends where memory is short. Its 64 MiB would take three times as long, in caches that the
// threads for requests use too.
struct PasswordCost {
  unsigned memory_kib = 32 * 1024;
  unsigned passes = 3;
  friend bool operator==(const PasswordCost&, const PasswordCost&) = default;
};

// Checks that `text` may become the password of the user `name`: at least 12 characters of UTF-8,
// at most 1,024 bytes, no control characters, and not the name in any letter case. No rules about
// digits and signs: they make passwords worse (NIST SP 800-63B §5.1.1.2). Fails: kInvalid.
Status CheckNewPassword(std::string_view text, std::string_view name);

// The stored form of a password, different each time. Blocks. Fails: kUnavailable (no memory).
Result<std::string> HashPassword(std::string_view text, PasswordCost cost = {});

// Checks that `text` is the password of which `hash` was made. Nullopt: there is no such user, or
// they have no password; the check fails then, with the same time and message as for a wrong
// password at `cost`, so that neither reveals which users exist. Blocks. Fails: kUnauthenticated
// (wrong password), kUnavailable (no memory), kCorrupt (`hash` is malformed, or demands more than
// 256 MiB or 16 passes).
Status VerifyPassword(const std::optional<std::string>& hash, std::string_view text,
                      PasswordCost cost = {});

// Whether `hash` was made at another cost, or is malformed: make a new one when the password is
// next available, which is after a sign-in.
bool NeedsRehash(std::string_view hash, PasswordCost cost = {});

}  // namespace koya::auth
