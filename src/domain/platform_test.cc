#include "domain/platform.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace koya {
namespace {

TEST(PlatformTest, AcceptsWhatGoKnowsAndKnew) {
  for (std::string_view text :
       {"linux_amd64",   "linux_386",       "linux_arm",     "linux_arm64",   "linux_s390x",
        "linux_ppc64le", "linux_riscv64",   "linux_loong64", "linux_mips",    "linux_mips64le",
        "darwin_amd64",  "darwin_arm64",    "darwin_386",    "windows_386",   "windows_amd64",
        "windows_arm",   "windows_arm64",   "freebsd_386",   "freebsd_arm",   "openbsd_amd64",
        "netbsd_arm64",  "dragonfly_amd64", "solaris_amd64", "illumos_amd64", "plan9_386",
        "aix_ppc64",     "android_arm64",   "ios_arm64",     "js_wasm",       "wasip1_wasm",
        "nacl_amd64p32", "zos_s390x",       "hurd_386",      "linux_sparc64", "linux_armbe"}) {
    auto platform = Platform::Parse(text);
    ASSERT_TRUE(platform) << text << ": " << platform.error().message;
    EXPECT_EQ(platform->ToString(), text);
    EXPECT_EQ(*Platform::FromParts(platform->os(), platform->arch()), *platform);
  }
}

TEST(PlatformTest, OrdersBySystemThenArchitecture) {
  std::vector<Platform> sorted;
  for (std::string_view text : {"darwin_amd64", "darwin_arm64", "linux_386", "linux_amd64"}) {
    sorted.push_back(*Platform::Parse(text));
  }
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    EXPECT_LT(sorted[i - 1], sorted[i]);
    EXPECT_NE(sorted[i - 1], sorted[i]);
  }
}

struct RefusedPlatform {
  std::string text;
  std::string_view message_part;
};

TEST(PlatformTest, RefusesTheRestAndSuggests) {
  const std::vector<RefusedPlatform> kRows = {
      {"", "write OS_ARCH"},
      {"linux", "write OS_ARCH"},
      {"linux-amd64", "write OS_ARCH"},
      {"_", "\"\" is no operating system"},
      {"linux_", "\"\" is no architecture"},
      {"_amd64", "\"\" is no operating system"},
      {"linx_amd64", "did you mean \"linux\"?"},
      {"Linux_amd64", "did you mean \"linux\"?"},
      {"macos_arm64", "did you mean \"darwin\"?"},
      {"macOS_arm64", "did you mean \"darwin\"?"},
      {"win_amd64", "did you mean \"windows\"?"},
      {"linux_x86_64", "\"x86_64\" is no architecture that Go knows; did you mean \"amd64\"?"},
      {"linux_aarch64", "did you mean \"arm64\"?"},
      {"linux_i386", "did you mean \"386\"?"},
      {"linux_armv7", "did you mean \"arm\"?"},
      {"linux_AMD64", "did you mean \"amd64\"?"},
      {"linux_amd64_v1", "did you mean \"amd64\"?"},
      {"linux_amd64 ", "did you mean \"amd64\"?"},
      {"darwin_all", "once for each, as darwin_amd64 and as darwin_arm64"},
      {"darwin_universal", "once for each"},
      {"templeos_amd64", "write for example \"linux\""},
      {"linux_quantum", "write for example \"amd64\""},
      {"linux_\n", "\"\\x0a\""},
      {"linux_" + std::string(100'000, 'a'), "write for example"},
  };
  for (const RefusedPlatform& row : kRows) {
    auto platform = Platform::Parse(row.text);
    ASSERT_FALSE(platform) << row.text;
    EXPECT_EQ(platform.error().kind, ErrorKind::kInvalid);
    EXPECT_NE(platform.error().message.find(row.message_part), std::string::npos)
        << row.text.substr(0, 80) << ": " << platform.error().message;
    EXPECT_LT(platform.error().message.size(), 300U);
  }
}

}  // namespace
}  // namespace koya
