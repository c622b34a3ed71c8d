// Small files that hold secrets or that other programs read while the server runs.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace koya {

// Makes `path` hold `text`, all at once: a reader sees the old file or the new one, and after a
// power cut there is one of them. `mode` holds from the first byte on. Fails: kStorageFull,
// kInternal; the old file is untouched then.
Status WriteFileAtomically(const std::filesystem::path& path, std::string_view text, mode_t mode);

// The same, unless there is a file already, which stays: of several that do it at once, one wins,
// and all read what it wrote.
Status WriteFileOnce(const std::filesystem::path& path, std::string_view text, mode_t mode);

// The contents of a file of at most 1 MiB; "" when there is none. Fails: kInternal.
Result<std::string> ReadSmallFile(const std::filesystem::path& path);

}  // namespace koya
