#include "service/common/new_namespace.h"

#include <gtest/gtest.h>

#include "base/run_task.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/key_catalog.h"
#include "catalog/module_catalog.h"
#include "domain/module_record.h"

namespace koya::service {
namespace {

class NewNamespaceTest : public ::testing::Test {
 protected:
  Status Check(const std::string& ns) { return RunTask(CheckNamespace(catalog_, ns)); }

  TestCatalog catalog_;
};

TEST_F(NewNamespaceTest, MayHaveAnyNameButThoseOfAddresses) {
  for (const char* ns : {"acme", "api2", "größe"}) EXPECT_TRUE(Check(ns)) << ns;
  for (const char* ns : {"api", "Mirror", "-", "v1"}) {
    Status refused = Check(ns);
    ASSERT_FALSE(refused) << ns;
    EXPECT_EQ(refused.error().kind, ErrorKind::kInvalid);
    EXPECT_TRUE(refused.error().message.contains("is reserved")) << refused.error().message;
  }
}

TEST_F(NewNamespaceTest, OneThatIsThereGoesOn) {
  ModuleVersionRecord module{.address = *ModuleAddress::Parse("Api/vpc/aws"),
                             .version = *Version::Parse("1.0.0"),
                             .digest = Digest::Of("a"),
                             .upload_digest = Digest::Of("a")};
  ASSERT_TRUE(RunTask(catalog_.modules().AddVersion(Actor::Server(), module)));
  EXPECT_TRUE(Check("api"));
  EXPECT_TRUE(Check("API"));
  ASSERT_TRUE(RunTask(catalog_.keys().AddKey(Actor::Server(), SampleKey("oauth"))));
  EXPECT_TRUE(Check("oauth"));
  EXPECT_FALSE(Check("login")) << "of another nothing is there";
}

}  // namespace
}  // namespace koya::service
