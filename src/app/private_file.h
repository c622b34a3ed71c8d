// Writes small files that hold secrets or that other programs read while the server runs.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace koya {

// Replaces the content of `path` with `text` atomically: a reader sees the old file or the new one,
// and after a power cut one of the two exists. `mode` holds from the first byte on. Fails:
// kStorageFull, kInternal; then the old file is unchanged.
Status WriteFileAtomically(const std::filesystem::path& path, std::string_view text, mode_t mode);

// As WriteFileAtomically, but keeps an existing file: of several concurrent writers one wins, and
// all read the file of that one.
Status WriteFileOnce(const std::filesystem::path& path, std::string_view text, mode_t mode);

// The contents of a file of at most 1 MiB; "" if there is none. Fails: kInternal.
Result<std::string> ReadSmallFile(const std::filesystem::path& path);

}  // namespace koya
