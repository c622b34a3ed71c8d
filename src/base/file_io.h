// Reading, writing and temporary files by descriptor, the same everywhere: what a signal interrupts
// goes on, and failures are errno values, as only the caller knows what to say of them.
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

// Reads up to `into.size()` bytes, from the descriptor's own offset or from `offset`; 0 at the end.
std::expected<std::size_t, int> ReadSome(int descriptor, std::span<std::byte> into,
                                         std::optional<std::uint64_t> offset = std::nullopt);

// A file in `folder` without a name, for reading and writing: it is gone when it is closed,
// whatever happens to this process.
std::expected<UniqueFd, int> MakeTemporaryFile(const std::filesystem::path& folder);

}  // namespace koya
