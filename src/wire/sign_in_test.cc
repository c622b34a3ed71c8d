// Documents of coming in.
#include "wire/sign_in.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/discovery.h"

namespace koya::wire {
namespace {

constexpr const char* kSignInTime = "2026-11-21T16:41:10Z";

TEST(SignInDocumentsTest, ReadWhatTheyWrite) {
  SetupRequest setup{"koya_x", "root", "correct \"horse\""};
  EXPECT_EQ(Decode<SetupRequest>(Encode(setup)), setup);
  for (const PasswordRequest& request :
       {PasswordRequest{"new", ""}, PasswordRequest{"", "old"}, PasswordRequest{std::nullopt, "o"},
        PasswordRequest{"new", "old"}}) {
    EXPECT_EQ(Decode<PasswordRequest>(Encode(request)), request);
  }
  std::vector<Session> sessions = {
      {"s1", "ada", "password", "192.0.2.1", "Firefox", kSignInTime, kSignInTime, kSignInTime},
      {"s2", "bob", "oidc:corp", "", "", kSignInTime, kSignInTime, ""}};
  EXPECT_EQ(Decode<SessionList>(Encode(SessionList{sessions})), (SessionList{sessions}));
  EXPECT_EQ(Decode<SessionList>(Encode(SessionList{{}})), (SessionList{{}}));
  EXPECT_EQ(Decode<EndedSessions>(Encode(EndedSessions{3})), (EndedSessions{3}));
  EXPECT_EQ(Decode<EndedSessions>(Encode(EndedSessions{0})), (EndedSessions{0}));
  AccessToken token{"koya_x", "bearer", 7'776'000, "read"};
  EXPECT_EQ(Decode<AccessToken>(Encode(token)), token);
  OAuthError error{"invalid_grant", "the code has expired"};
  EXPECT_EQ(Decode<OAuthError>(Encode(error)), error);
}

TEST(SignInDocumentsTest, AreWrittenAsOthersReadThem) {
  EXPECT_EQ(Encode(PasswordRequest{std::nullopt, ""}), R"({"password":null})");
  EXPECT_EQ(Encode(PasswordRequest{"n", "o"}), R"({"password":"n","old_password":"o"})");
  EXPECT_EQ(Encode(SessionList{{{"s", "ada", "password", "", "", kSignInTime, kSignInTime, ""}}}),
            R"({"sessions":[{"id":"s","user":"ada","method":"password","address":null,)"
            R"("user_agent":null,"created_at":"2026-11-21T16:41:10Z",)"
            R"("expires_at":"2026-11-21T16:41:10Z","last_used_at":null}]})");
  EXPECT_EQ(Encode<AccessToken>({"koya_x", "bearer", 60, ""}),
            R"({"access_token":"koya_x","token_type":"bearer","expires_in":60})");
  EXPECT_EQ(Encode<OAuthError>({"invalid_grant", ""}), R"({"error":"invalid_grant"})");
}

TEST(LoginServiceTest, IsFoundInDiscovery) {
  LoginService koya{"terraform-cli", {"authz_code"}, "/oauth/authorize",
                    "/oauth/token",  10'000,         10'010};
  std::string discovery = EncodeDiscovery({{"modules.v1", "/m/"}}, EncodeLoginService(koya));
  EXPECT_EQ(discovery,
            R"({"login.v1":{"client":"terraform-cli","grant_types":["authz_code"],)"
            R"("authz":"/oauth/authorize","token":"/oauth/token","ports":[10000,10010]},)"
            R"("modules.v1":"/m/"})");
  EXPECT_EQ(DecodeLoginService(discovery), koya);
  for (const char* none : {"{}", R"({"login.v1":null})", R"({"modules.v1":"/v1/modules/"})"}) {
    Result<std::optional<LoginService>> found = DecodeLoginService(none);
    ASSERT_TRUE(found) << none;
    EXPECT_FALSE(*found) << none;
  }
}

TEST(LoginServiceTest, TakesWhatIsNotSaidAsClientsDo) {
  auto found = DecodeLoginService(R"({"login.v1":{"client":"c","authz":"/a","token":"/t"}})");
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(**found, (LoginService{"c", {"authz_code"}, "/a", "/t", 1024, 65'535}));
}

struct SignInRefusal {
  std::string_view name;
  std::function<Status(std::string_view)> decode;
  std::string body;
  std::string_view message_part;
};

template <class T>
std::function<Status(std::string_view)> SignInErrorOf(Result<T> (*decode)(std::string_view)) {
  return [decode](std::string_view body) -> Status {
    auto result = decode(body);
    if (!result) return std::unexpected(result.error());
    return {};
  };
}

std::string LoginWith(std::string_view members) {
  return R"({"login.v1":{"client":"c","authz":"/a","token":"/t",)" + std::string(members) + "}}";
}

const std::vector<SignInRefusal>& SignInRefusals() {
  static const auto kSetup = SignInErrorOf(Decode<SetupRequest>);
  static const auto kPassword = SignInErrorOf(Decode<PasswordRequest>);
  static const auto kLogin = SignInErrorOf(DecodeLoginService);
  static const std::vector<SignInRefusal> kRefusals = {
      {"empty", kSetup, "", "not valid JSON"},
      {"no token", kSetup, R"({"user":"a","password":"p"})", "\"token\" must be given"},
      {"no user", kSetup, R"({"token":"t","password":"p"})", "\"user\" must be given"},
      {"no password", kSetup, R"({"token":"t","user":"a"})", "\"password\" must be given"},
      {"number", kSetup, R"({"token":"t","user":"a","password":12345678})", "a string"},
      {"nothing said", kPassword, "{}", "\"password\" must be"},
      {"only the old one", kPassword, R"({"old_password":"o"})", "\"password\" must be"},
      {"false is not null", kPassword, R"({"password":false})", "null to remove it"},
      {"old one a number", kPassword, R"({"password":"n","old_password":1})", "a string"},
      {"twice", kPassword, R"({"password":"n","password":null})", "twice"},
      {"no sessions", SignInErrorOf(Decode<SessionList>), "{}", "\"sessions\" must be an array"},
      {"bare session", SignInErrorOf(Decode<SessionList>), R"({"sessions":[{"id":"s"}]})",
       "\"user\""},
      {"ended is text", SignInErrorOf(Decode<EndedSessions>), R"({"ended":"3"})", "a whole number"},
      {"ended is absent", SignInErrorOf(Decode<EndedSessions>), "{}", "a whole number"},
      {"ended is negative", SignInErrorOf(Decode<EndedSessions>), R"({"ended":-1})",
       "whole number"},
      {"no access token", SignInErrorOf(Decode<AccessToken>), R"({"token_type":"bearer"})",
       "\"access_token\" must be given"},
      {"no type", SignInErrorOf(Decode<AccessToken>), R"({"access_token":"t"})", "\"token_type\""},
      {"no error", SignInErrorOf(Decode<OAuthError>), R"({"error_description":"x"})", "\"error\""},
      {"login is text", kLogin, R"({"login.v1":"/login"})", "an object"},
      {"no client", kLogin, R"({"login.v1":{"authz":"/a","token":"/t"}})", "\"client\""},
      {"no authz", kLogin, R"({"login.v1":{"client":"c","token":"/t"}})", "\"authz\""},
      {"no token URL", kLogin, R"({"login.v1":{"client":"c","authz":"/a"}})", "\"token\""},
      {"one port", kLogin, LoginWith(R"("ports":[10000])"), "two ports"},
      {"ports swapped", kLogin, LoginWith(R"("ports":[10010,10000])"), "two ports"},
      {"port too low", kLogin, LoginWith(R"("ports":[80,90])"), "two ports"},
      {"port too high", kLogin, LoginWith(R"("ports":[10000,70000])"), "two ports"},
      {"ports as text", kLogin, LoginWith(R"("ports":["10000","10010"])"), "two ports"},
      {"grants as text", kLogin, LoginWith(R"("grant_types":"authz_code")"), "array of strings"},
  };
  return kRefusals;
}

TEST(SignInDocumentsTest, RefuseWhatTheyAreNot) {
  for (const SignInRefusal& refusal : SignInRefusals()) {
    Status status = refusal.decode(refusal.body);
    ASSERT_FALSE(status) << refusal.name;
    EXPECT_EQ(status.error().kind, ErrorKind::kInvalid) << refusal.name;
    EXPECT_NE(status.error().message.find(refusal.message_part), std::string::npos)
        << refusal.name << ": " << status.error().message;
  }
}

}  // namespace
}  // namespace koya::wire
