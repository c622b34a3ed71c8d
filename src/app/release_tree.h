// A release tree: the folder that `make dist` packs, with the program, its loader and all of its
// libraries. A program that runs from one uses nothing of the machine's own libraries.
#pragma once

#include <filesystem>

namespace koya {

// The tree that this process runs from; empty for a program that uses the machine's libraries.
// Thread-safe.
const std::filesystem::path& ReleaseTree();

// In a release tree: looks names up in files and DNS only and takes OpenSSL's modules from the
// tree, since the machine's are made for other libraries; names the process "koya", as it is
// started as the loader. Must be called first in main.
void EnterReleaseTree();

}  // namespace koya
