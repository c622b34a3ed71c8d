// Style sheet, icon, and whatever else pages load. An asset's address changes with its bytes, so
// that it may be kept for ever: "Cache-Control: public, max-age=31536000, immutable".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace koya::web {

struct Asset {
  std::string path;             // "/-/assets/koya.0123456789abcdef.css"
  std::string_view media_type;  // "text/css; charset=utf-8"
  std::string_view bytes;
};

// All of them. Made at the first call; thread-safe.
std::span<const Asset> Assets();

// The path of the asset that lies in assets/ as `name` ("koya.css"). Throws std::logic_error if
// there is none: a template is wrong.
const std::string& AssetPath(std::string_view name);

}  // namespace koya::web
