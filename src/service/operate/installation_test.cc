#include "service/operate/installation.h"

#include <gtest/gtest.h>

#include "base/run_task.h"
#include "catalog/catalog_parts_fake.h"

namespace koya::service {
namespace {

constexpr const char* kFile = "/data/server.secret";

class InstallationTest : public ::testing::Test {
 protected:
  Result<std::string> Check(const std::string& secret, const std::string& previous = "") {
    InstallationCheck check(catalog_, secret, previous);
    return RunTask(check.Check(kFile));
  }
  Status Reseal(const std::string& secret, const std::string& previous) {
    InstallationCheck check(catalog_, secret, previous);
    return RunTask(check.Reseal());
  }

  TestCatalog catalog_;
};

TEST_F(InstallationTest, WhoeverHasTheSecretOfTheFirstMayServe) {
  const std::string id = Check("first").value();
  EXPECT_EQ(Check("first").value(), id);
  EXPECT_TRUE(Check("first", "older"));
}

TEST_F(InstallationTest, AnotherSecretIsRefusedInWordsThatSayWhatToDo) {
  ASSERT_TRUE(Check("first"));
  for (const auto& [secret, previous] : {std::pair("other", ""), std::pair("other", "older"),
                                         std::pair("firs", "first "), std::pair("First", "")}) {
    Result<std::string> refused = Check(secret, previous);
    ASSERT_FALSE(refused) << secret;
    EXPECT_EQ(refused.error().kind, ErrorKind::kRefused);
    for (const char* words : {"server.secret", kFile, "server.secret_previous", "koya admin reseal",
                              "koya admin forget-secret"}) {
      EXPECT_TRUE(refused.error().message.contains(words)) << words;
    }
  }
}

TEST_F(InstallationTest, WhileTheSecretIsReplacedBothCountUntilAllIsSealedAnew) {
  ASSERT_TRUE(Check("first"));
  EXPECT_TRUE(Check("second", "first"));
  EXPECT_TRUE(Check("first")) << "a server that was not given the new one yet starts again";
  ASSERT_TRUE(Reseal("second", "first"));
  ASSERT_TRUE(Reseal("second", "first")) << "again";
  EXPECT_TRUE(Check("second"));
  EXPECT_TRUE(Check("second", "first"));
  EXPECT_FALSE(Check("first"));
}

TEST_F(InstallationTest, TheMarkSaysNothingOfTheSecretAndIsOfOneInstallation) {
  EXPECT_NE(SecretMark("secret", "a"), SecretMark("secret", "b"));
  EXPECT_NE(SecretMark("secret", "a"), SecretMark("other", "a"));
  EXPECT_EQ(SecretMark("secret", "a").size(), 43U);
}

}  // namespace
}  // namespace koya::service
