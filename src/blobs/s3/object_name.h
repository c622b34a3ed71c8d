// The names of a blob's objects, below the store's prefix: "sha256/ab/<62 hex digits>/<random>".
// Whoever has an object and its name can check it with sha256sum. Never used twice, so nothing that
// is late, an upload or a removal, touches what others read.
#pragma once

#include <string>

#include "base/result.h"
#include "domain/digest.h"

namespace koya {

// What the names of all objects of this digest begin with: "sha256/ab/<62 hex digits>/".
std::string ObjectPrefixOf(const Digest& digest);

// Another one each time, by 128 random bits. Fails: kInternal: the system has none.
Result<std::string> FreshObjectName(const Digest& digest);

}  // namespace koya
