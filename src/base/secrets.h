// What is done with secrets that would be a mistake to do as with other bytes: comparing them, and
// leaving them behind in memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace koya {

// Whether both are the same. How long it takes depends on their lengths only, so that nobody finds
// a secret by trying one byte after another.
bool EqualSecrets(std::span<const std::byte> a, std::span<const std::byte> b);
bool EqualSecrets(std::string_view a, std::string_view b);

// Overwrites a secret that is no longer needed, in a way that the compiler does not leave out. A
// text is empty afterwards; what it kept elsewhere before it grew is not found.
void WipeSecret(std::span<std::byte> secret);
void WipeSecret(std::string& secret);

// Wipes a text that was given, whichever way its scope is left. REQUIRES: the text outlives this.
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
