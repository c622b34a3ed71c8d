// The blobs that packages and modules of other registries hold: the table held_blob, which has a
// row while a package or module is marked as held.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "catalog/sql/session.h"
#include "domain/digest.h"

namespace koya::sql {

// A use is noted so often.
inline constexpr UnixSeconds kTouchHeldEvery = 3600;

// Notes that the blob is held, within the caller's write transaction and before its package or
// module is marked: releasing takes the same two steps in the same order. Throws as SOCI does.
void HoldBlob(Session& session, const Digest& digest, std::uint64_t size, UnixSeconds used_at);

}  // namespace koya::sql
