// Operations on secrets that need more care than other bytes: comparing them, and wiping them from
// memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace koya {

// Whether both are the same. The time depends on their lengths only, so that a secret cannot be
// guessed byte by byte.
bool EqualSecrets(std::span<const std::byte> a, std::span<const std::byte> b);
bool EqualSecrets(std::string_view a, std::string_view b);

// Overwrites a secret that is no longer needed; the compiler cannot optimize this away. A string is
// empty afterwards; copies left behind by reallocation are not found.
void WipeSecret(std::span<std::byte> secret);
void WipeSecret(std::string& secret);

// Wipes the given string when the scope ends, in whichever way. REQUIRES: the string outlives this.
class WipeAtEnd {
 public:
  explicit WipeAtEnd(std::string& secret) : secret_(secret) {}
  ~WipeAtEnd() { WipeSecret(secret_); }
  WipeAtEnd(const WipeAtEnd&) = delete;
  WipeAtEnd& operator=(const WipeAtEnd&) = delete;

 private:
  std::string& secret_;
};

}  // namespace koya
