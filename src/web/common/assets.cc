#include "web/common/assets.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "web/common/embedded.h"
#include "web/common/page_paths.h"

namespace koya::web {
namespace {

std::string_view MediaTypeOf(std::string_view name) {
  struct Row {
    std::string_view ending;
    std::string_view media_type;
  };
  constexpr Row kRows[] = {
      {".css", "text/css; charset=utf-8"},
      {".svg", "image/svg+xml"},
      {".js", "text/javascript; charset=utf-8"},
      {".png", "image/png"},
      {".woff2", "font/woff2"},
  };
  const Row* row = std::ranges::find_if(
      kRows, [name](const Row& candidate) { return name.ends_with(candidate.ending); });
  if (row == std::end(kRows)) {
    throw std::logic_error(fmt::format("assets/{}: no media type is known for it", name));
  }
  return row->media_type;
}

// "koya.css" → "/-/assets/koya.HASH.css"
std::string HashedPath(const EmbeddedFile& file) {
  std::size_t dot = file.name.rfind('.');
  return fmt::format("{}{}.{}{}", kAssetsAddress, file.name.substr(0, dot), file.hash,
                     file.name.substr(dot));
}

std::vector<Asset> MakeAssets() {
  std::vector<Asset> assets;
  for (const EmbeddedFile& file : EmbeddedAssets()) {
    std::string_view media_type = MediaTypeOf(file.name);
    assets.push_back({HashedPath(file), media_type, file.bytes});
  }
  return assets;
}

}  // namespace

std::span<const Asset> Assets() {
  static const std::vector<Asset> assets = MakeAssets();
  return assets;
}

const std::string& AssetPath(std::string_view name) {
  auto file = std::ranges::find(EmbeddedAssets(), name, &EmbeddedFile::name);
  if (file == EmbeddedAssets().end()) {
    throw std::logic_error(fmt::format("there is no asset \"{}\" in src/web/assets", name));
  }
  return Assets()[static_cast<std::size_t>(file - EmbeddedAssets().begin())].path;
}

}  // namespace koya::web
