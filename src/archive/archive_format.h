// Detects the format of an archive from its bytes alone.
#pragma once

#include "archive/packed_file.h"
#include "base/result.h"
#include "domain/archive_kind.h"

namespace koya {

// Looks at the beginning only: a gzip or zip may still turn out to be damaged. Fails: kRefused for
// everything else, naming the apparent format; kInternal.
Result<ArchiveKind> DetectArchiveKind(const PackedFile& file);

// For files that must be zips. Fails: kRefused, naming the apparent format; kInternal.
Status CheckIsZip(const PackedFile& file);

}  // namespace koya
