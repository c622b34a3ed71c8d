// Limits how much data of other registries is stored. Their clients limit what they read; these are
// the last limits before the database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace koya::sql {

inline constexpr std::size_t kMostDocumentKey = 1024;
inline constexpr std::size_t kMostDocument = std::size_t{32} << 20;
inline constexpr std::size_t kMostValidator = 1024;
// Above it, times of versions that left their list are dropped.
inline constexpr std::size_t kMostReleaseTimes = std::size_t{1} << 20;
inline constexpr std::size_t kMostKeys = std::size_t{1} << 20;
inline constexpr std::size_t kMostFilename = 255;
inline constexpr std::size_t kMostList = std::size_t{64} << 10;
inline constexpr std::size_t kMostSource = 8192;
// The most releases or archives in one listing.
inline constexpr std::uint64_t kMostListed = 1000;
// Keeps sums of sizes far below the database's number limits.
inline constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50;

// `what` names it ("the keys"). Fails: kInvalid when `text` is not storable (text_column.h);
// kTooLarge when it has more than `most` bytes.
Status CheckText(std::string_view what, std::string_view text, std::size_t most);
// Fails: kTooLarge above kMostBytes; kInvalid when bytes are held and their size is unknown.
Status CheckHeldSize(std::string_view what, std::uint64_t size, bool held);
// A validator is optional: one that cannot be stored becomes "".
std::string_view KeptValidator(std::string_view text);

}  // namespace koya::sql
