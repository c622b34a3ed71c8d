// What kind of archive some bytes are, read from the bytes alone.
#pragma once

#include "archive/packed_file.h"
#include "base/result.h"
#include "domain/archive_kind.h"

namespace koya {

// Only the beginning is looked at: a gzip or zip may still turn out to be damaged. Fails: kRefused
// for everything else, naming what it seems to be; kInternal.
Result<ArchiveKind> DetectArchiveKind(const PackedFile& file);

// For what may be a zip only. Fails: kRefused, naming what it seems to be; kInternal.
Status CheckIsZip(const PackedFile& file);

}  // namespace koya
