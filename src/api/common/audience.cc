#include "api/common/audience.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"

namespace koya::api {

bool IsForPrograms(std::string_view target) {
  constexpr std::array<std::string_view, 8> kPrefixes{"/api/",         "/v1/",        "/v2/",
                                                      "/mirror/",      "/origin/",    "/download/",
                                                      "/.well-known/", "/oauth/token"};
  return std::ranges::any_of(kPrefixes, [target](auto each) { return target.starts_with(each); });
}

bool WantsPages(const http::Request& request, std::string_view target) {
  return !IsForPrograms(target) && AsciiLower(request.Get("Accept")).contains("text/html");
}

}  // namespace koya::api
