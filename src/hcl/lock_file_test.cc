#include "hcl/lock_file.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace koya::hcl {
namespace {

TEST(LockFileTest, ReadsWhatClientsWrite) {
  auto locked = ParseLockFile(R"(# This file is maintained automatically by "tofu init".
# Manual edits may be lost in future updates.

provider "registry.opentofu.org/hashicorp/random" {
  version     = "3.6.0"
  constraints = "~> 3.5, != 3.5.1"
  hashes = [
    "h1:AAAA=",
    "zh:00ff",
  ]
}

provider "127.0.0.1:8443/acme/demo" {
  version = "1.0.0-rc.1"
}
)");
  ASSERT_TRUE(locked) << locked.error().message;
  ASSERT_EQ(locked->size(), 2U);
  const LockedProvider& random = locked->front();
  EXPECT_EQ(random.source.ToString(), "registry.opentofu.org/hashicorp/random");
  EXPECT_EQ(random.version.ToString(), "3.6.0");
  EXPECT_EQ(random.constraints, "~> 3.5, != 3.5.1");
  EXPECT_EQ(random.hashes, (std::vector<std::string>{"h1:AAAA=", "zh:00ff"}));
  EXPECT_EQ(random.line, 4U);
  EXPECT_EQ(locked->back().source.ToString(), "127.0.0.1:8443/acme/demo");
  EXPECT_TRUE(locked->back().hashes.empty());
  EXPECT_TRUE(ParseLockFile("")->empty());
  EXPECT_TRUE(ParseLockFile("provider \"a.test/b/c\" {\n  version = \"1.0.0\"\n  hashes = []\n}"));
}

TEST(LockFileTest, SkipsBlocksOfOtherKinds) {
  auto locked = ParseLockFile(R"(module "vpc" {
  source  = "koya.test/acme/vpc/aws"
  version = "1.0.0"
  hashes  = ["h1:AAAA="]
}
provider "a.test/b/c" {
  version = "1.0.0"
}
settings {
  nested "x" {
    list = [1, { a = null }]
  }
}
module "vpc" {
}
)");
  ASSERT_TRUE(locked) << locked.error().message;
  ASSERT_EQ(locked->size(), 1U);
  EXPECT_EQ(locked->front().line, 6U);
  EXPECT_TRUE(ParseLockFile("module \"a\" {\n}")->empty());
}

TEST(LockFileTest, RefusesEverythingElse) {
  struct Case {
    std::string text;
    std::string_view words;
  };
  auto provider = [](std::string_view body) {
    return "provider \"a.test/b/c\" {\n" + std::string(body) + "\n}\n";
  };
  const std::vector<Case> kCases = {
      {"version = \"1\"", "line 1: a lock file holds"},
      {"module \"a\" {\n}\nx = 1", "line 3: a lock file holds"},
      {"module \"a\" {", "no end"},
      {"module \"a\" {\n}\nprovider \"a.test/b/c\" {\n}", "line 3: a.test/b/c has no version"},
      {"provider {\n}", "line 1"},
      {"provider \"a.test/b/c\" \"d\" {\n}", "line 1"},
      {"provider \"b/c\" {\n  version = \"1.0.0\"\n}", "HOST/NAMESPACE/TYPE"},
      {"provider \"a.test/b/c/d\" {\n  version = \"1.0.0\"\n}", "HOST/NAMESPACE/TYPE"},
      {"provider \"a..test/b/c\" {\n  version = \"1.0.0\"\n}", "line 1"},
      {"provider \"a.test/-/c\" {\n  version = \"1.0.0\"\n}", "line 1"},
      {"provider \"terraform.io/builtin/terraform\" {\n  version = \"1.0.0\"\n}", "never locked"},
      {provider(""), "has no version"},
      {provider("version = 1"), "has no version"},
      {provider("version = \"v1.0.0\""), "line 2: version \"v1.0.0\""},
      {provider("version = \"1.0\""), "line 2"},
      {provider("version = \"1.0.0\"\nversion = \"1.0.0\""),
       "line 3: \"version\" stands here twice"},
      {provider("version = \"1.0.0\"\nhash = []"), "line 3: a provider's lock has no attribute"},
      {provider("version = \"1.0.0\"\nx {\n}"), "line 3: a provider's lock has no blocks"},
      {provider("version = \"1.0.0\"\nconstraints = []"), "line 3: \"constraints\""},
      {provider("version = \"1.0.0\"\nhashes = \"h1:x\""), "line 3: \"hashes\" is not a list"},
      {provider("version = \"1.0.0\"\nhashes = [\"x\"]"), "a hash is"},
      {provider("version = \"1.0.0\"\nhashes = [\":x\"]"), "a hash is"},
      {provider("version = \"1.0.0\"\nhashes = [\"h1:\"]"), "a hash is"},
      {provider("version = \"1.0.0\"\nhashes = [1]"), "a hash is"},
      {provider("version = \"1.0.0\"") + provider("version = \"1.0.0\""),
       "line 4: a.test/b/c is locked twice"},
      {"provider \"a.test/b/c\" {", "no end"},
      {"<<<<<<< HEAD\n" + provider("version = \"1.0.0\""), "line 1: this is a conflict mark"},
      {provider("version = \"1.0.0\"") + ">>>>>>> main", "line 4: this is a conflict mark"},
      {"=======\n", "line 1"},
  };
  for (const Case& each : kCases) {
    auto locked = ParseLockFile(each.text);
    ASSERT_FALSE(locked) << each.text;
    EXPECT_EQ(locked.error().kind, ErrorKind::kInvalid);
    EXPECT_NE(locked.error().message.find(each.words), std::string::npos) << locked.error().message;
  }
}

}  // namespace
}  // namespace koya::hcl
