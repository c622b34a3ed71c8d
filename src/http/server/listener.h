// Opens listening sockets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace koya::http {

// Several sockets on one address; the kernel distributes new connections among them.
struct Listeners {
  std::vector<UniqueFd> sockets;
  std::uint16_t port = 0;
};

// Listens on "HOST:PORT" or "[IPV6]:PORT" (port 0: a free one). Fails: kInvalid (not an address of
// that form, or not one of this machine), kUnavailable (the port is taken, or may not be taken).
Result<Listeners> Listen(std::string_view address, std::size_t count);

}  // namespace koya::http
