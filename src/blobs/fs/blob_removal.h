// Taking a blob's file away, against commits of the same bytes: by this process or by another one
// on the same folder.
//
// A remover looks at the file's age, moves the file into tmp/ under a name that says whose it is,
// looks again, and only then removes it; if it was renewed in between, it is linked back. A commit
// that finds the bytes renews their age first, then looks whether they still have their name. So
// whichever comes first is seen by the other, and no lock is needed. A remover that dies in between
// leaves a file that BringBack puts where it was. Everything blocks. Threads: any.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "blobs/fs/blob_layout.h"

namespace koya {

// Where a removal or a commit may be overtaken by another process; tests do so there.
enum class FsStep {
  kFoundOld,    // the remover saw an old file
  kMovedAway,   // … and moved it into tmp/
  kFoundWhole,  // the commit saw the bytes that it brings
};
using FsWatch = std::function<void(FsStep)>;

// Begins the age of an open blob anew. Returns whether it is still what `path` names.
bool Renew(const UniqueFd& blob, const std::string& path, const FsWatch& watch);

// Returns whether the digest's file was there, older than `age`, and is gone. A file from the
// future was written while a clock was ahead: its age begins now. Fails: kStorageFull, kInternal.
Result<bool> RemoveIfOld(const BlobLayout& layout, const Digest& digest, std::chrono::seconds age,
                         const FsWatch& watch);

// Puts back what removers that died left in tmp/. Those that are at work lose what they had in
// hand, and remove it another time.
void BringBack(const BlobLayout& layout);

}  // namespace koya
