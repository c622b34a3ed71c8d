// Reads, writes and creates temporary files by descriptor. Calls interrupted by a signal are
// resumed; failures are errno values, since only the caller can word a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <optional>
#include <span>

#include "base/file.h"

namespace koya {

// Writes all of `bytes`, at the descriptor's own offset or at `offset`. Returns 0, or an errno.
int WriteAll(int descriptor, std::span<const std::byte> bytes,
             std::optional<std::uint64_t> offset = std::nullopt);

// Reads up to `into.size()` bytes, at the descriptor's own offset or at `offset`; 0 at the end.
std::expected<std::size_t, int> ReadSome(int descriptor, std::span<std::byte> into,
                                         std::optional<std::uint64_t> offset = std::nullopt);

// An unnamed file in `folder` for reading and writing. It is removed when closed, also when the
// process crashes.
std::expected<UniqueFd, int> MakeTemporaryFile(const std::filesystem::path& folder);

}  // namespace koya
