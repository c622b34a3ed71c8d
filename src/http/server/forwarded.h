// Finds the origin of a request behind proxies.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "http/address_range.h"
#include "http/server/message.h"

namespace koya::http {

struct Origin {
  std::string_view remote;
  bool secure = false;
};

// `direct` is the connection itself. X-Forwarded-For and X-Forwarded-Proto are used only if its
// address is trusted. Of X-Forwarded-For the rightmost address that is not trusted counts: any
// client can forge the addresses left of it. The result's view points into `direct` or `fields`.
Origin ResolveOrigin(Origin direct, std::span<const Field> fields,
                     const std::vector<AddressRange>& trusted);

}  // namespace koya::http
