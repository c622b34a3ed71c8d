// Reads and writes the SHA256SUMS document of a provider release.
//
// Clients parse it in two ways that differ (wire facts §3.4): a blank line crashes one, "*" before
// a name or upper-case digits are unknown to the other. Only lines that both read alike are
// accepted: exactly 64 lower-case hex digits, two spaces, and a name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/digest.h"

namespace koya::signing {

struct SumsLine {
  Digest digest;
  std::string name;
  friend bool operator==(const SumsLine&, const SumsLine&) = default;
};

struct SumsReading {
  std::vector<SumsLine> lines;        // the valid ones, in order
  std::vector<std::string> problems;  // sentences with line numbers; empty: none
};

inline constexpr std::size_t kMaxSums = 1 << 20;  // bytes

// Finds every problem (reports at most twenty, then the number of further ones): blank lines, CRLF,
// "*", wrong spacing, digits that are not lower-case hex, no line feed at the end, a byte-order
// mark, duplicate names, names with "/", "\", white space or control characters, names of more than
// 255 bytes, an empty document, more than kMaxSums bytes.
SumsReading ReadSums(std::string_view text);

// The document for these lines, sorted by name.
std::string WriteSums(std::span<const SumsLine> lines);

}  // namespace koya::signing
