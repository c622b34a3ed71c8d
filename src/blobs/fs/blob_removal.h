// Removes a blob's file safely against concurrent commits of the same bytes, by this process or
// another one on the same folder.
//
// A remover checks the file's age, moves the file into tmp/ under a name that contains its digest,
// checks again, and only then removes it; a file that was renewed in between is linked back. A
// commit that finds the bytes renews their age first, then checks that they still have their name.
// So each side sees the other, whichever comes first, and no lock is needed. A remover that dies in
// between leaves a file that RestoreFiles restores. Everything blocks. Threads: any.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "blobs/fs/blob_layout.h"

namespace koya {

// Points at which another process may overtake a removal or a commit; test hooks.
enum class FsStep {
  kFoundOld,    // the remover saw an old file
  kMovedAway,   // … and moved it into tmp/
  kFoundWhole,  // the commit saw the bytes that it brings
};
using FsWatch = std::function<void(FsStep)>;

// Restarts the age of an open blob. Returns whether `path` still names it.
bool Renew(const UniqueFd& blob, const std::string& path, const FsWatch& watch);

// Whether RemoveIfOld would remove the digest's file. A file whose state cannot be read is not old.
bool IsOld(const BlobLayout& layout, const Digest& digest, std::chrono::seconds age);

// Removes the digest's file if it is older than `age`; returns whether it was removed. A file from
// the future was written while a clock was ahead: its age starts now. Fails: kStorageFull,
// kInternal.
Result<bool> RemoveIfOld(const BlobLayout& layout, const Digest& digest, std::chrono::seconds age,
                         const FsWatch& watch);

// Restores files that dead removers left in tmp/. A remover that is running loses its file, and
// removes it another time.
void RestoreFiles(const BlobLayout& layout);

}  // namespace koya
