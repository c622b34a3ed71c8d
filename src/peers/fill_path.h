// The path and the fields of the route for fills, shared by both sides.
#pragma once

#include <string>
#include <string_view>

#include "domain/digest.h"

namespace koya::peers {

inline constexpr std::string_view kFillPattern = "/internal/fills/sha256/{digest}";
inline constexpr std::string_view kTimeField = "Koya-Peer-Time";
inline constexpr std::string_view kMacField = "Koya-Peer-Mac";

inline std::string FillPath(const Digest& digest) {
  return "/internal/fills/sha256/" + digest.hex();
}

}  // namespace koya::peers
