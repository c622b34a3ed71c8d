#include "http/server/forwarded.h"

#include <ranges>

#include "http/server/characters.h"

namespace koya::http {
namespace {

// Takes the last element off a comma-separated list.
std::string_view LastElement(std::string_view& list) {
  std::size_t comma = list.rfind(',');
  bool only = comma == std::string_view::npos;
  std::string_view element = TrimSpace(only ? list : list.substr(comma + 1));
  list = only ? std::string_view() : list.substr(0, comma);
  return element;
}

// Walks one field from the right. Returns false once the walk is over.
bool WalkBack(std::string_view list, std::string_view& remote,
              const std::vector<AddressRange>& trusted) {
  while (!list.empty()) {
    std::string_view hop = LastElement(list);
    if (!Address::Parse(hop)) return false;  // what stands here is no address: believe no further
    remote = hop;
    if (!AnyContains(trusted, hop)) return false;
  }
  return true;
}

}  // namespace

Origin ResolveOrigin(Origin direct, std::span<const Field> fields,
                     const std::vector<AddressRange>& trusted) {
  if (trusted.empty() || !AnyContains(trusted, direct.remote)) return direct;
  Origin origin = direct;
  bool walking = true;
  bool proto_seen = false;
  for (const Field& field : fields | std::views::reverse) {
    if (walking && IsIgnoringCase(field.name, "x-forwarded-for")) {
      walking = WalkBack(field.value, origin.remote, trusted);
    }
    if (!proto_seen && IsIgnoringCase(field.name, "x-forwarded-proto")) {
      std::string_view list = field.value;
      origin.secure = IsIgnoringCase(LastElement(list), "https");
      proto_seen = true;
    }
  }
  return origin;
}

}  // namespace koya::http
