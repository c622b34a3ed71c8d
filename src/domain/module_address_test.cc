#include "domain/module_address.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace koya {
namespace {

TEST(ModuleAddressTest, AcceptsWhatClientsAccept) {
  for (const std::string& text :
       {std::string("acme/vpc/aws"), std::string("A/b/c"), std::string("Acme_Corp/my-mod_2/aws2"),
        std::string("0/1/2"),
        std::string(64, 'n') + "/" + std::string(64, 'm') + "/" + std::string(64, 's')}) {
    auto address = ModuleAddress::Parse(text);
    ASSERT_TRUE(address) << text << ": " << address.error().message;
    EXPECT_EQ(address->ToString(), text);
  }
}

TEST(ModuleAddressTest, KeyFoldsLetterCase) {
  EXPECT_EQ(ModuleAddress::Parse("Acme/VPC/aws")->Key(), "acme/vpc/aws");
}

struct Refusal {
  std::string text;
  std::string_view message_part;
};

TEST(ModuleAddressTest, RefusesTheRestAndNamesThePart) {
  const std::vector<Refusal> kRefusals = {
      {"", "NAMESPACE/NAME/SYSTEM"},
      {"acme", "NAMESPACE/NAME/SYSTEM"},
      {"acme/vpc", "NAMESPACE/NAME/SYSTEM"},
      {"acme/vpc/aws/1.0.0", "NAMESPACE/NAME/SYSTEM"},
      {"/vpc/aws", "namespace is empty"},
      {"acme//aws", "name is empty"},
      {"acme/vpc/", "system is empty"},
      {"-acme/vpc/aws", "begin and end"},
      {"acme_/vpc/aws", "begin and end"},
      {"acme/vpc-/aws", "begin and end"},
      {"ac.me/vpc/aws", "letters, digits"},
      {"ac me/vpc/aws", "letters, digits"},
      {"acmé/vpc/aws", "letters, digits"},
      {"../vpc/aws", "letters, digits"},
      {"acme/vpc/AWS", "lower-case"},
      {"acme/vpc/a-b", "lower-case"},
      {"acme/vpc/a_b", "lower-case"},
      {std::string(65, 'n') + "/vpc/aws", "at most 64"},
      {"acme/" + std::string(65, 'n') + "/aws", "at most 64"},
      {"acme/vpc/" + std::string(65, 's'), "at most 64"},
  };
  for (const Refusal& refusal : kRefusals) {
    auto address = ModuleAddress::Parse(refusal.text);
    ASSERT_FALSE(address) << refusal.text;
    EXPECT_EQ(address.error().kind, ErrorKind::kInvalid);
    EXPECT_NE(address.error().message.find(refusal.message_part), std::string::npos)
        << refusal.text << ": " << address.error().message;
  }
}

TEST(ReservedReasonTest, RefusesTheWordsOfTheApi) {
  for (std::string_view text :
       {"search/x/aws", "Search/x/aws", "builtin/x/aws", "acme/versions/aws", "acme/download/aws",
        "acme/search/aws", "acme/vpc/versions", "acme/vpc/download"}) {
    EXPECT_NE(ReservedReason(*ModuleAddress::Parse(text)), "") << text;
  }
  EXPECT_EQ(ReservedReason(*ModuleAddress::Parse("acme/vpc/aws")), "");
}

}  // namespace
}  // namespace koya
