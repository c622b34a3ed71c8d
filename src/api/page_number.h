// Which part of a list a page shows: ?page=2.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "http/server/message.h"
#include "web/view_parts.h"

namespace koya::api {

// From 1. Fails: kInvalid.
Result<std::uint64_t> ReadPageNumber(const http::Request& request);

// The part of a list of `total` items that such a number means, of which a full one has `size`.
// What lies behind the end is the last part.
web::ListPart PartOf(std::uint64_t total, std::uint64_t number, std::uint64_t size);

}  // namespace koya::api
