#include "cli/text/this_platform.h"

#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace koya::cli {
namespace {

using Name = std::pair<std::string_view, std::string_view>;

// What the kernel says, and what Go says.
constexpr std::array<Name, 11> kMachines{{{"x86_64", "amd64"},
                                          {"amd64", "amd64"},
                                          {"aarch64", "arm64"},
                                          {"arm64", "arm64"},
                                          {"armv7l", "arm"},
                                          {"armv6l", "arm"},
                                          {"i686", "386"},
                                          {"i386", "386"},
                                          {"ppc64le", "ppc64le"},
                                          {"riscv64", "riscv64"},
                                          {"s390x", "s390x"}}};

}  // namespace

Result<Platform> ThisPlatform() {
  utsname names{};
  const auto* machine = kMachines.end();
  if (::uname(&names) == 0) {
    machine = std::ranges::find(kMachines, std::string_view(names.machine), &Name::first);
  }
  if (machine == kMachines.end()) {
    return FailInvalid("the platform of this machine ({}) is unknown: use --platform OS_ARCH",
                       Printable(names.machine));
  }
  return Platform::FromParts(AsciiLower(names.sysname), machine->second);
}

}  // namespace koya::cli
