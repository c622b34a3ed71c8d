#include "domain/provider_address.h"

#include <gtest/gtest.h>

namespace koya {
namespace {

TEST(ProviderAddressTest, First) {
  EXPECT_EQ(ProviderAddress::Parse("Acme/Demo")->ToString(), "acme/demo");
}

}  // namespace
}  // namespace koya
