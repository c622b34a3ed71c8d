#include "archive/zip_fields.h"

#include <algorithm>

namespace koya {
namespace {

constexpr std::uint16_t kZip64ExtraId = 1;

// The content of the zip64 extra field, or nothing.
std::span<const std::byte> FindZip64(std::span<const std::byte> extra) {
  while (extra.size() >= 4) {
    auto id = ZipField<std::uint16_t>(extra, 0);
    auto size = ZipField<std::uint16_t>(extra, 2);
    extra = extra.subspan(4);
    if (size > extra.size()) return {};
    if (id == kZip64ExtraId) return extra.first(size);
    extra = extra.subspan(size);
  }
  return {};
}

}  // namespace

bool ApplyZip64(std::span<const std::byte> extra, std::span<std::uint64_t* const> values) {
  std::span<const std::byte> field = FindZip64(extra);
  for (std::uint64_t* value : values) {
    if (*value != kZipSee64) continue;
    if (field.size() < sizeof(std::uint64_t)) return false;
    *value = ZipField<std::uint64_t>(field, 0);
    field = field.subspan(sizeof(std::uint64_t));
  }
  return true;
}

}  // namespace koya
