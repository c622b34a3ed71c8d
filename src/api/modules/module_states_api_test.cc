// Versions of modules that are deprecated, as those who publish and those who ask see it.
#include <gtest/gtest.h>

#include <string>

#include "api/common/api_fixture_fake.h"
#include "api/common/module_archive_fake.h"
#include "domain/page.h"
#include "wire/modules.h"

namespace koya::api {
namespace {

class ModuleStatesApiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    api.token = api.Token(Scope::kAdmin);
    ASSERT_EQ(api.Publish("acme/vpc/aws", "1.0.0", ModuleArchive("a")).status, 201U);
  }
  Reply Deprecate(std::string body, std::string version = "1.0.0") {
    return api.Ask({.method = http::Method::kPut,
                    .path = "/api/v1/modules/acme/vpc/aws/" + version + "/deprecation",
                    .body = std::move(body)});
  }
  std::string Page() {
    Reply reply = api.Get("/modules/acme/vpc/aws/1.0.0");
    EXPECT_EQ(reply.status, 200U);
    return reply.body;
  }

  ApiFixture api;
};

TEST_F(ModuleStatesApiTest, AMessageIsShownAndTakenBack) {
  EXPECT_EQ(Page().find("move to acme/network"), std::string::npos);
  ASSERT_EQ(Deprecate(R"({"message":"old; move to acme/network"})").status, 204U);
  EXPECT_NE(Page().find("move to acme/network"), std::string::npos);
  EXPECT_EQ(api.Get("/v1/modules/acme/vpc/aws/1.0.0/download").status, 204U);
  ASSERT_EQ(Deprecate(R"({"message":""})").status, 204U);
  EXPECT_EQ(Page().find("move to acme/network"), std::string::npos);
}

// Documents for programs contain what the pages show.
TEST_F(ModuleStatesApiTest, DocumentsTellTheMessageOfTheVersion) {
  ASSERT_EQ(api.Publish("acme/vpc/aws", "1.1.0", ModuleArchive("b")).status, 201U);
  auto warning = [this](const std::string& path) {
    Result<wire::ModuleDetails> details = wire::DecodeModuleDetails(api.Get(path).body);
    EXPECT_TRUE(details) << path;
    return details ? details->deprecation : std::string();
  };
  const std::string old = "/v1/modules/acme/vpc/aws/1.0.0";
  EXPECT_EQ(warning(old), "");
  EXPECT_FALSE(api.Get(old).body.contains("warning"));
  ASSERT_EQ(Deprecate(R"({"message":"use \"1.1.0\""})").status, 204U);
  EXPECT_EQ(warning(old), "use \"1.1.0\"");
  EXPECT_EQ(warning("/modules/acme/vpc/aws/1.0.0.json"), "use \"1.1.0\"");
  EXPECT_EQ(warning("/v1/modules/acme/vpc/aws/1.1.0"), "");
  EXPECT_EQ(warning("/v1/modules/acme/vpc/aws"), "");
  ASSERT_EQ(Deprecate(R"({"message":""})").status, 204U);
  EXPECT_EQ(warning(old), "");
}

TEST_F(ModuleStatesApiTest, RefusesWhatIsNoMessageAndWhatIsNotThere) {
  for (const std::string& body :
       {std::string("{}"), std::string("x"), std::string(R"({"message":"a\nb"})"),
        R"({"message":")" + std::string(1001, 'x') + R"("})"}) {
    EXPECT_EQ(Deprecate(body).status, 400U) << body.substr(0, 40);
  }
  EXPECT_EQ(Deprecate(R"({"message":"x"})", "9.0.0").status, 404U);
  EXPECT_EQ(Deprecate(R"({"message":"x"})", "x").status, 400U);
  api.token = api.Token(Scope::kRead);
  EXPECT_EQ(Deprecate(R"({"message":"x"})").status, 403U);
  api.token = api.Token(Scope::kPublish, {"other"});
  EXPECT_EQ(Deprecate(R"({"message":"x"})").status, 403U);
  api.token = "";
  EXPECT_EQ(Deprecate(R"({"message":"x"})").status, 401U);
}

}  // namespace
}  // namespace koya::api
