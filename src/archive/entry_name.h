// Rules for names in archives: which names every client unpacks to the same place, inside the
// module.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace koya {

inline constexpr std::size_t kMaxEntryName = 1024;
inline constexpr std::size_t kMaxEntrySegment = 255;  // limit of Linux, macOS, Windows

// Checks an entry's name and returns its path without a leading "./" (usual in tar) and without the
// trailing "/" of a folder; "" is the root folder itself. Fails: kRefused for empty, over-long,
// absolute and drive-letter names, "..", "." and empty segments, backslashes, control characters
// and bytes that are not UTF-8.
Result<std::string> ParseEntryName(std::string_view raw);

// The name as compared by a file system that ignores letter case and the composition of letters
// (macOS; Windows ignores case only): decomposed and folded. It may be longer or shorter.
std::string FoldCase(std::string_view name);

// Why Windows cannot write a file of that path, as the predicate of a sentence about a part of the
// path ("ends in a dot or a blank"); "" when it can.
std::string_view WindowsProblem(std::string_view name);

// True when the path's first segment is one that only macOS packers add beside the real content:
// "__MACOSX", ".DS_Store", "._vpc". Such entries do not count when the module is located.
bool IsMacNoise(std::string_view path);

}  // namespace koya
