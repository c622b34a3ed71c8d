#include "cli/api/api_client.h"

#include <gtest/gtest.h>

#include "wire/provider_publishing.h"
#include "wire/sign_in.h"

namespace koya::cli {
namespace {

TEST(EndpointTest, ValuesTakeThePlacesOfThePatternsNames) {
  const auto line = At(wire::kRemoveKey, "acme", "0x/é");
  EXPECT_EQ(line.method, "DELETE");
  EXPECT_EQ(line.path, "/api/v1/namespaces/acme/keys/0x%2F%C3%A9");
  const ProviderAddress address = ProviderAddress::Parse("acme/demo").value();
  const Version version = Version::Parse("1.0.0+linux").value();
  EXPECT_EQ(At(wire::kShowDraft, address, version, "d1").path,
            "/api/v1/providers/acme/demo/1.0.0%2Blinux/drafts/d1");
}

TEST(EndpointTest, WithAnyLeavesOutAnEmptyParameter) {
  EXPECT_EQ(At(wire::kListSessions).WithAny("user", "").path, "/api/v1/sessions");
  EXPECT_EQ(At(wire::kListSessions).With("user", "").WithAny("after", "a&b").path,
            "/api/v1/sessions?user=&after=a%26b");
}

TEST(EndpointTest, AnotherNumberOfPartsIsRefused) {
  EXPECT_EQ(FillPattern("/a/{x}/b/{y}", {"1", "2"}).value(), "/a/1/b/2");
  EXPECT_FALSE(FillPattern("/a/{x}/b/{y}", {"1"}));
  EXPECT_FALSE(FillPattern("/a/{x}/b/{y}", {"1", "2", "3"}));
  EXPECT_FALSE(FillPattern("/a", {"1"}));
}

}  // namespace
}  // namespace koya::cli
