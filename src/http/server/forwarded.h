// Who a request comes from when proxies stand in between.
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

// `direct` is the connection itself. Only if its address is trusted are X-Forwarded-For (the
// rightmost address that is not trusted itself: what stands left of it anybody may have written)
// and X-Forwarded-Proto believed. The result's view leads into `direct` or `fields`.
Origin ResolveOrigin(Origin direct, std::span<const Field> fields,
                     const std::vector<AddressRange>& trusted);

}  // namespace koya::http
