// Wraps fuzzer input in formats that readers parse.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace koya::fuzz {

inline void PutNumber(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

// A gzip of stored blocks, written by hand: zlib would spend most of the fuzzer's time.
inline std::string GzipStored(std::string_view bytes) {
  constexpr std::size_t kMaxBlock = 0xFFFF;
  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  for (std::string_view left = bytes;;) {
    std::string_view block = left.substr(0, kMaxBlock);
    left.remove_prefix(block.size());
    out += left.empty() ? '\1' : '\0';
    PutNumber(out, block.size(), 2);
    PutNumber(out, ~block.size(), 2);
    out += block;
    if (left.empty()) break;
  }
  PutNumber(out, crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()), 4);
  PutNumber(out, bytes.size(), 4);
  return out;
}

// Makes every header's checksum right, or mutations would end there. Walks in steps of a block:
// content that happens to be changed is content all the same.
inline std::string WithTarChecksums(std::string_view tar) {
  std::string out(tar);
  for (std::size_t at = 0; at + 512 <= out.size(); at += 512) {
    bool header = std::string_view(out).substr(at + 257, 5) == "ustar";
    if (!header) continue;
    out.replace(at + 148, 8, "        ");
    unsigned sum = 0;
    for (std::size_t i = at; i < at + 512; ++i) sum += static_cast<unsigned char>(out[i]);
    for (std::size_t digit = 6; digit-- > 0; sum /= 8) {
      out[at + 148 + digit] = static_cast<char>('0' + sum % 8);
    }
  }
  return out;
}

}  // namespace koya::fuzz
