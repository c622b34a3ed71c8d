// Reads little-endian fields of zip headers, and the zip64 extra field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace koya {

inline constexpr std::uint32_t kZipLocalSignature = 0x04034B50;
inline constexpr std::uint32_t kZipCentralSignature = 0x02014B50;
inline constexpr std::uint32_t kZipDescriptorSignature = 0x08074B50;
inline constexpr std::uint32_t kZipEndSignature = 0x06054B50;
inline constexpr std::uint32_t kZip64EndSignature = 0x06064B50;
inline constexpr std::uint32_t kZip64LocatorSignature = 0x07064B50;
inline constexpr std::size_t kZipLocalBytes = 30;
inline constexpr std::size_t kZipCentralBytes = 46;
inline constexpr std::size_t kZipEndBytes = 22;
inline constexpr std::size_t kZip64EndBytes = 56;
inline constexpr std::size_t kZip64LocatorBytes = 20;
// The content of a 16- or 32-bit field when its value is in the zip64 record.
inline constexpr std::uint16_t kZipSee64Short = 0xFFFF;
inline constexpr std::uint32_t kZipSee64 = 0xFFFFFFFF;

// REQUIRES: the field lies inside `bytes`.
template <class Number>
Number ZipField(std::span<const std::byte> bytes, std::size_t offset) {
  Number value = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    value = static_cast<Number>(value | static_cast<Number>(bytes[offset + i]) << (8 * i));
  }
  return value;
}

// Replaces each value that says "see zip64" with the next number of the extra field. False when a
// needed number is missing.
bool ApplyZip64(std::span<const std::byte> extra, std::span<std::uint64_t* const> values);

}  // namespace koya
