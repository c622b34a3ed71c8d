// Names of a blob's objects, below the store's prefix: "sha256/ab/<62 hex digits>/<random>". An
// object can be verified from its name with sha256sum. Names are never reused, so a late upload or
// removal cannot affect an object that others read.
#pragma once

#include <string>

#include "base/result.h"
#include "domain/digest.h"

namespace koya {

// Common prefix of the names of all objects of this digest: "sha256/ab/<62 hex digits>/".
std::string ObjectPrefixOf(const Digest& digest);

// A new name on each call, from 128 random bits. Fails: kInternal: the system has no random bits.
Result<std::string> FreshObjectName(const Digest& digest);

}  // namespace koya
