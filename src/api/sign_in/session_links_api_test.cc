// Capability URLs of a user who is signed in with a browser.
#include <gtest/gtest.h>

#include <algorithm>

#include "api/common/browser_fake.h"
#include "api/common/module_archive_fake.h"
#include "auth/capability.h"
#include "auth/token.h"

namespace koya::api {
namespace {

constexpr std::string_view kUsersPassword = "correct horse battery";

class SessionLinksTest : public ::testing::Test {
 protected:
  SessionLinksTest() {
    api_.AddUser("ada", std::string(kUsersPassword), true);
    api_.AddUser("eve", std::string(kUsersPassword));
    api_.token = api_.Token(Scope::kAdmin);
    api_.Publish("acme/vpc/aws", "1.0.0", ModuleArchive());
    Question hide{.method = http::Method::kPut, .path = "/api/v1/namespaces/acme"};
    hide.body = R"({"visibility":"private"})";
    EXPECT_EQ(api_.Ask(hide).status, 200U);
    std::string location =
        api_.Get("/v1/modules/acme/vpc/aws/1.0.0/download").Get("X-Terraform-Get");
    path_ = location.substr(location.find("/download/"));
    path_.resize(std::min(path_.find('?'), path_.size()));
    api_.token.clear();
  }

  // The archive, by a URL that was made for the session of this browser.
  Reply Fetch(const FakeBrowser& browser) {
    auth::CapabilitySigner signer("a secret of the tests");
    auto bearer = auth::CapabilityBearer::Of(auth::CapabilityBearer::Kind::kSession,
                                             auth::TokenSecret(browser.cookies.at("__Host-koya")));
    Question question{.path = path_};
    question.query = signer.Sign(path_, bearer, api_.clock.Now() + 900);
    return api_.Ask(question);
  }

  ApiFixture api_;
  std::string path_;
};

TEST_F(SessionLinksTest, OpenWhatTheUserMayReadUntilTheySignOut) {
  FakeBrowser ada(api_);
  ada.SignIn("ada", kUsersPassword);
  Reply archive = Fetch(ada);
  EXPECT_EQ(archive.status, 200U) << path_ << archive.body;
  EXPECT_TRUE(archive.Get("Cache-Control").starts_with("private"));
  ada.Open("/");
  EXPECT_EQ(Fetch(ada).status, 200U) << "known by then";
  FakeBrowser copy = ada;
  ada.Submit("/-/sign-out", {});
  EXPECT_EQ(Fetch(copy).status, 403U);
}

TEST_F(SessionLinksTest, OpenNothingForWhoeverMayNotReadIt) {
  FakeBrowser eve(api_);
  eve.SignIn("eve", kUsersPassword);
  EXPECT_EQ(Fetch(eve).status, 403U);
  eve.cookies["__Host-koya"] = "no session";
  EXPECT_EQ(Fetch(eve).status, 403U);
}

}  // namespace
}  // namespace koya::api
