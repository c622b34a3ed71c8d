// Static assets of the pages: style sheet, icon and the like. An asset's path changes with its
// bytes, so that it may be cached forever: "Cache-Control: public, max-age=31536000, immutable".
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

// All assets. Built at the first call; thread-safe.
std::span<const Asset> Assets();

// The path of the asset assets/`name` ("koya.css"). Throws std::logic_error if there is none: a bug
// in a template.
const std::string& AssetPath(std::string_view name);

}  // namespace koya::web
