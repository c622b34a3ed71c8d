#include "api/common/server_timing.h"

#include <fmt/format.h>

namespace koya::api {

std::string ServerTimingText(std::string_view part, std::chrono::nanoseconds took) {
  return fmt::format("{};dur={:.1f}", part,
                     std::chrono::duration<double, std::milli>(took).count());
}

}  // namespace koya::api
