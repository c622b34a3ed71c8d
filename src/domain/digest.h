// A SHA-256 digest, written "sha256:<64 lower-case hex>".
#pragma once

#include <compare>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/sha256.h"

namespace koya {

class Digest {
 public:
  explicit Digest(const Sha256Bytes& bytes) : bytes_(bytes) {}

  // Parses "sha256:<hex>" or the bare 64 hex digits. Fails: kInvalid.
  static Result<Digest> Parse(std::string_view text);
  static Digest Of(std::string_view content) { return Digest(Sha256(content)); }

  const Sha256Bytes& bytes() const { return bytes_; }
  std::string hex() const;
  std::string ToString() const { return "sha256:" + hex(); }

  friend bool operator==(const Digest&, const Digest&) = default;
  friend auto operator<=>(const Digest&, const Digest&) = default;

 private:
  Sha256Bytes bytes_;
};

}  // namespace koya

template <>
struct std::hash<koya::Digest> {
  std::size_t operator()(const koya::Digest& digest) const noexcept;
};
