// Names inside archives: which ones every client unpacks to the same place, inside the module.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace koya {

inline constexpr std::size_t kMaxEntryName = 1024;
inline constexpr std::size_t kMaxEntrySegment = 255;  // what Linux, macOS and Windows can store

// Checks the name an archive gives an entry and returns its path without a leading "./" (usual in
// tar) and without the trailing "/" of a folder; "" is the root folder itself. Fails: kRefused for
// empty, over-long, absolute and drive-letter names, "..", "." and empty segments, backslashes,
// control characters and bytes that are not UTF-8.
Result<std::string> ParseEntryName(std::string_view raw);

// The name as a file system compares it that ignores letter case and how a letter is composed
// (macOS; Windows the case): letters and their marks apart, folded. It may be longer or shorter.
std::string FoldCase(std::string_view name);

// Why Windows writes no file of that path: how a sentence about a part of the path goes on ("ends
// in a dot or a blank"); "" when it does.
std::string_view WindowsProblem(std::string_view name);

// True when the path's first segment is one that only macOS packers add beside the real content:
// "__MACOSX", ".DS_Store", "._vpc". Such entries say nothing about where the module lies.
bool IsMacNoise(std::string_view path);

}  // namespace koya
