#include "domain/digest.h"

#include <algorithm>
#include <cstring>

#include "base/encoding.h"
#include "base/text.h"

namespace koya {

Result<Digest> Digest::Parse(std::string_view text) {
  constexpr std::string_view kPrefix = "sha256:";
  std::string_view digits = text.starts_with(kPrefix) ? text.substr(kPrefix.size()) : text;
  auto decoded = HexDecode(digits);
  if (!decoded || decoded->size() != Sha256Bytes{}.size()) {
    return FailInvalid(
        "\"{}\" is not a SHA-256 digest: write sha256: and 64 lower-case "
        "hexadecimal digits",
        Printable(text));
  }
  Sha256Bytes bytes{};
  std::ranges::copy(*decoded, bytes.begin());
  return Digest(bytes);
}

std::string Digest::hex() const { return HexEncode(bytes_); }

}  // namespace koya

std::size_t std::hash<koya::Digest>::operator()(const koya::Digest& digest) const noexcept {
  std::size_t value = 0;  // the digest is uniform: its first bytes are a hash
  std::memcpy(&value, digest.bytes().data(), sizeof value);
  return value;
}
