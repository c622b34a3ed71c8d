#include "domain/platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"

namespace koya {
namespace {

// Every name that Go has had (its known lists, not only what today's compiler builds): old
// providers are for platforms that are gone.
constexpr auto kSystems = std::to_array<std::string_view>(
    {"aix", "android", "darwin", "dragonfly", "freebsd", "hurd", "illumos", "ios", "js", "linux",
     "nacl", "netbsd", "openbsd", "plan9", "solaris", "wasip1", "windows", "zos"});
constexpr auto kArchitectures = std::to_array<std::string_view>(
    {"386",     "amd64",  "amd64p32", "arm",       "arm64",       "arm64be", "armbe",   "loong64",
     "mips",    "mips64", "mips64le", "mips64p32", "mips64p32le", "mipsle",  "ppc",     "ppc64",
     "ppc64le", "riscv",  "riscv64",  "s390",      "s390x",       "sparc",   "sparc64", "wasm"});

// What other tools call them: too far from Go's name for a guess by spelling.
struct OtherName {
  std::string_view other;
  std::string_view name;
};
constexpr auto kOtherNames = std::to_array<OtherName>({{"aarch64", "arm64"},
                                                       {"amd64_v1", "amd64"},
                                                       {"armhf", "arm"},
                                                       {"armv6", "arm"},
                                                       {"armv7", "arm"},
                                                       {"i386", "386"},
                                                       {"i686", "386"},
                                                       {"mac", "darwin"},
                                                       {"macos", "darwin"},
                                                       {"osx", "darwin"},
                                                       {"sunos", "solaris"},
                                                       {"win", "windows"},
                                                       {"win32", "windows"},
                                                       {"win64", "windows"},
                                                       {"x64", "amd64"},
                                                       {"x86", "386"},
                                                       {"x86-64", "amd64"},
                                                       {"x86_64", "amd64"}});

static_assert(std::ranges::is_sorted(kSystems) && std::ranges::is_sorted(kArchitectures));

std::string_view Suggestion(std::string_view word, std::span<const std::string_view> names) {
  constexpr std::size_t kLongest = 24;  // longer words are no typing mistakes
  if (word.size() > kLongest) return {};
  std::string lower = AsciiLower(word);
  const auto* other = std::ranges::find(kOtherNames, lower, &OtherName::other);
  if (other != kOtherNames.end() && std::ranges::binary_search(names, other->name)) {
    return other->name;
  }
  return NearestWord(lower, names);
}

Status CheckName(std::string_view what, std::string_view word,
                 std::span<const std::string_view> names, std::string_view example) {
  if (std::ranges::binary_search(names, word)) return {};
  if (word == "all" || word == "universal") {
    return FailInvalid(
        "\"{}\" is no {} that clients ask for: publish the same zip once for "
        "each, as darwin_amd64 and as darwin_arm64",
        word, what);
  }
  std::string_view nearest = Suggestion(word, names);
  return FailInvalid("\"{}\" is no {} that Go knows; {}", Printable(word, 40), what,
                     nearest.empty() ? fmt::format("write for example \"{}\"", example)
                                     : fmt::format("did you mean \"{}\"?", nearest));
}

}  // namespace

Result<Platform> Platform::Parse(std::string_view text) {
  std::size_t cut = text.find('_');
  if (cut == std::string_view::npos) {
    return FailInvalid(
        "\"{}\" is not a platform: write OS_ARCH by Go's names, for example "
        "linux_amd64",
        Printable(text, 80));
  }
  return FromParts(text.substr(0, cut), text.substr(cut + 1));
}

Result<Platform> Platform::FromParts(std::string_view os, std::string_view arch) {
  RETURN_IF_ERROR(CheckName("operating system", os, kSystems, "linux"));
  RETURN_IF_ERROR(CheckName("architecture", arch, kArchitectures, "amd64"));
  return Platform(std::string(os), std::string(arch));
}

}  // namespace koya
