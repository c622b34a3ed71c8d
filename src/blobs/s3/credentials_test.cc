// When credentials are fetched, and from where.
#include "blobs/s3/credentials.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/manual_clock_fake.h"
#include "base/temp_folder_fake.h"
#include "blobs/s3/retry.h"
#include "http/scripted_server_fake.h"

namespace koya::s3 {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using http::ScriptedServer;

constexpr UnixSeconds kFakeNow = 1'750'000'000;  // of FakeExchangeClock

// Returns the configured credentials, and counts calls.
class ToldSource final : public CredentialSource {
 public:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    Result<Credentials> next = Credentials{.access_key = "k", .secret_key = "s"};
    int fetched = 0;
    bool is_new = false;
    bool hold = false;
    bool holding = false;
  };
  explicit ToldSource(State& state) : state_(state) {}
  Result<Credentials> Fetch(std::stop_token) override {
    std::unique_lock lock(state_.mutex);
    ++state_.fetched;
    state_.is_new = false;
    state_.holding = true;
    state_.changed.notify_all();
    state_.changed.wait(lock, [this] { return !state_.hold; });
    return state_.next;
  }
  bool HasChanged() override {
    std::lock_guard lock(state_.mutex);
    return state_.is_new;
  }
  std::string name() const override { return "told"; }

 private:
  State& state_;
};

struct Kept {
  ToldSource::State told;
  FakeExchangeClock clock;
  CredentialKeeper keeper{std::make_unique<ToldSource>(told), clock};

  std::string Key() {
    auto got = keeper.Get({});
    return got ? got->access_key : got.error().message;
  }
  void Tell(std::string key, UnixSeconds expires) {
    std::lock_guard lock(told.mutex);
    told.next = Credentials{.access_key = std::move(key), .secret_key = "s", .expires = expires};
  }
};

TEST(S3CredentialKeeperTest, WhatNeverEndsIsFetchedOnce) {
  Kept kept;
  EXPECT_EQ(kept.Key(), "k");
  EXPECT_EQ(kept.Key(), "k");
  EXPECT_EQ(kept.told.fetched, 1);
}

TEST(S3CredentialKeeperTest, WhatEndsSoonIsFetchedEarlyAndUsedToItsEnd) {
  Kept kept;
  kept.Tell("old", kFakeNow + CredentialKeeper::kEarly + 1);
  EXPECT_EQ(kept.Key(), "old");
  EXPECT_EQ(kept.Key(), "old");
  EXPECT_EQ(kept.told.fetched, 1);
  Kept late;
  late.Tell("old", kFakeNow + CredentialKeeper::kEarly);
  EXPECT_EQ(late.Key(), "old");
  late.Tell("new", kFakeNow + 3600);
  EXPECT_EQ(late.Key(), "new");
  Kept failing;
  failing.Tell("old", kFakeNow + 1);
  EXPECT_EQ(failing.Key(), "old");
  failing.told.next = FailUnavailable("not now");
  EXPECT_EQ(failing.Key(), "old");
  EXPECT_EQ(failing.told.fetched, 2);
  // The next one does not ask again at once.
  EXPECT_EQ(failing.Key(), "old");
  EXPECT_EQ(failing.told.fetched, 2);
  Kept over;
  over.Tell("old", kFakeNow);
  EXPECT_EQ(over.Key(), "old");
  over.told.next = FailUnavailable("not now");
  EXPECT_EQ(over.Key(), "not now");
}

TEST(S3CredentialKeeperTest, WhatWasRefusedIsFetchedAnewUnlessSomebodyElseHas) {
  Kept kept;
  auto first = kept.keeper.Get({});
  ASSERT_TRUE(first);
  kept.Tell("new", 0);
  kept.keeper.Expire(*first);
  EXPECT_EQ(kept.Key(), "new");
  kept.keeper.Expire(*first);
  EXPECT_EQ(kept.Key(), "new");
  EXPECT_EQ(kept.told.fetched, 2);
}

TEST(S3CredentialKeeperTest, WhatHasChangedIsFetched) {
  Kept kept;
  EXPECT_EQ(kept.Key(), "k");
  kept.Tell("new", 0);
  kept.told.is_new = true;
  EXPECT_EQ(kept.Key(), "new");
  // A file that is being written is no reason to stop.
  kept.told.is_new = true;
  kept.told.next = FailInvalid("half a file");
  EXPECT_EQ(kept.Key(), "new");
}

TEST(S3CredentialKeeperTest, OneFetchesWhileTheOthersGoOn) {
  Kept kept;
  kept.Tell("old", kFakeNow + 100);
  EXPECT_EQ(kept.Key(), "old");
  kept.Tell("new", kFakeNow + 3600);
  kept.told.hold = true;
  kept.told.holding = false;
  std::jthread refresher([&] { EXPECT_EQ(kept.Key(), "new"); });
  {
    std::unique_lock lock(kept.told.mutex);
    kept.told.changed.wait(lock, [&] { return kept.told.holding; });
  }
  EXPECT_EQ(kept.Key(), "old");
  std::lock_guard lock(kept.told.mutex);
  EXPECT_EQ(kept.told.fetched, 2);
  kept.told.hold = false;
  kept.told.changed.notify_all();
}

class S3CredentialSourceTest : public testing::Test {
 protected:
  CredentialOptions Options() {
    CredentialOptions options{.region = "eu-central-1"};
    options.environment = [this](const char* name) -> std::optional<std::string> {
      auto found = environment_.find(name);
      if (found == environment_.end()) return std::nullopt;
      return found->second;
    };
    // Nobody listens there.
    options.metadata_service = "http://127.0.0.1:1";
    options.metadata_timeout = std::chrono::seconds(5);
    return options;
  }
  static Result<Credentials> Fetch(const CredentialOptions& options) {
    ASSIGN_OR_RETURN(auto source, MakeCredentialSource(options));
    return source->Fetch({});
  }
  static std::string WordsOf(const CredentialOptions& options) {
    auto fetched = Fetch(options);
    return fetched ? "" : fetched.error().message + "|" + fetched.error().detail;
  }
  std::string File(const std::string& name, const std::string& content) {
    std::string path = (folder_.path() / name).string();
    std::ofstream(path) << content;
    return path;
  }

  std::map<std::string, std::string> environment_;
  TempFolder folder_;
};

constexpr const char* kAgentDocument =
    R"({"Code":"Success","AccessKeyId":"AKID","SecretAccessKey":"hush","Token":"tok",)"
    R"("Expiration":"2026-11-21T16:41:10Z","RoleArn":"x"})";
constexpr UnixSeconds kAgentEnd = 1'795'279'270;

TEST_F(S3CredentialSourceTest, TheFileComesFirstAndIsReadAgain) {
  environment_ = {{"AWS_ACCESS_KEY_ID", "other"}, {"AWS_SECRET_ACCESS_KEY", "other"}};
  CredentialOptions options = Options();
  options.access_key_file = File("keys", " one \r\n two\n\n");
  auto source = MakeCredentialSource(options);
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->name(), "blobs.s3.access_key_file");
  auto fetched = (*source)->Fetch({});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(*fetched, (Credentials{.access_key = "one", .secret_key = "two"}));
  EXPECT_FALSE((*source)->HasChanged());
  // As a secret is replaced: another file under the name.
  std::string next = File("next", "three\nfour");
  std::filesystem::rename(next, options.access_key_file);
  EXPECT_TRUE((*source)->HasChanged());
  fetched = (*source)->Fetch({});
  ASSERT_TRUE(fetched);
  EXPECT_EQ(fetched->access_key, "three");
}

TEST_F(S3CredentialSourceTest, AFileThatIsNoneIsSaidSoWithoutItsContent) {
  const std::string contents[] = {"",
                                  "hush",
                                  "hush\n",
                                  "\nhush\n",
                                  "hush\nhush\nhush\n",
                                  "a b\nhush\n",
                                  std::string(70'000, 'h') + "\nhush"};
  for (const std::string& content : contents) {
    CredentialOptions options = Options();
    options.access_key_file = File("keys", content);
    std::string words = WordsOf(options);
    EXPECT_TRUE(words.contains("blobs.s3.access_key_file")) << words;
    EXPECT_FALSE(words.contains("hush")) << words;
  }
  CredentialOptions options = Options();
  options.access_key_file = (folder_.path() / "absent").string();
  EXPECT_TRUE(WordsOf(options).contains("No such file")) << WordsOf(options);
}

TEST_F(S3CredentialSourceTest, TheEnvironmentComesSecond) {
  environment_ = {{"AWS_ACCESS_KEY_ID", "key"},
                  {"AWS_SECRET_ACCESS_KEY", "hush"},
                  {"AWS_SESSION_TOKEN", "token"},
                  {"AWS_WEB_IDENTITY_TOKEN_FILE", "/none"}};
  auto fetched = Fetch(Options());
  ASSERT_TRUE(fetched);
  EXPECT_EQ(*fetched,
            (Credentials{.access_key = "key", .secret_key = "hush", .session_token = "token"}));
  environment_.erase("AWS_SECRET_ACCESS_KEY");
  EXPECT_TRUE(WordsOf(Options()).contains("AWS_SECRET_ACCESS_KEY is not"));
  environment_["AWS_SECRET_ACCESS_KEY"] = "hush\n";
  EXPECT_TRUE(WordsOf(Options()).contains("line breaks"));
  EXPECT_FALSE(WordsOf(Options()).contains("hush"));
}

TEST_F(S3CredentialSourceTest, AWebIdentityIsExchanged) {
  ScriptedServer service([](const ScriptedRequest&) {
    return ScriptedAnswer{
        .body =
            "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>"
            "<AccessKeyId>AKID</AccessKeyId><SecretAccessKey>hush</SecretAccessKey>"
            "<SessionToken>a+b/c=</SessionToken>"
            "<Expiration>2026-11-21T16:41:10.250Z</Expiration></Credentials>"
            "</AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>"};
  });
  environment_ = {{"AWS_WEB_IDENTITY_TOKEN_FILE", File("token", "jwt.one\n")},
                  {"AWS_ROLE_ARN", "arn:aws:iam::1:role/koya"}};
  CredentialOptions options = Options();
  options.token_service = service.url();
  auto source = MakeCredentialSource(options);
  ASSERT_TRUE(source);
  auto fetched = (*source)->Fetch({});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(*fetched, (Credentials{.access_key = "AKID",
                                   .secret_key = "hush",
                                   .session_token = "a+b/c=",
                                   .expires = kAgentEnd}));
  File("token", "jwt.two");
  ASSERT_TRUE((*source)->Fetch({}));
  auto requests = service.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].body,
            "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3A"
            "role%2Fkoya&RoleSessionName=koya&WebIdentityToken=jwt.one");
  EXPECT_TRUE(requests[1].body.ends_with("=jwt.two"));
  EXPECT_EQ(requests[0].fields.at("content-type"), "application/x-www-form-urlencoded");
}

TEST_F(S3CredentialSourceTest, ARefusedWebIdentityNamesTheVariables) {
  unsigned status = 403;
  std::string code = "AccessDenied";
  ScriptedServer service([&](const ScriptedRequest&) {
    return ScriptedAnswer{
        .status = status,
        .body = "<ErrorResponse><Error><Code>" + code + "</Code></Error></ErrorResponse>"};
  });
  environment_ = {{"AWS_WEB_IDENTITY_TOKEN_FILE", File("token", "hush")}};
  CredentialOptions options = Options();
  options.token_service = service.url();
  EXPECT_TRUE(WordsOf(options).contains("AWS_ROLE_ARN is not"));
  environment_["AWS_ROLE_ARN"] = "arn";
  EXPECT_TRUE(WordsOf(options).contains("AWS_WEB_IDENTITY_TOKEN_FILE"));
  EXPECT_FALSE(WordsOf(options).contains("hush"));
  EXPECT_EQ(Fetch(options).error().kind, ErrorKind::kInvalid);
  status = 503;
  EXPECT_EQ(Fetch(options).error().kind, ErrorKind::kUnavailable);
  status = 400;
  code = "IDPCommunicationError";
  EXPECT_EQ(Fetch(options).error().kind, ErrorKind::kUnavailable);
  status = 200;
  EXPECT_EQ(Fetch(options).error().kind, ErrorKind::kUnavailable);
  environment_["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/nowhere";
  EXPECT_TRUE(WordsOf(options).contains("/nowhere"));
}

TEST_F(S3CredentialSourceTest, AContainersAgentIsAsked) {
  unsigned status = 200;
  ScriptedServer agent(
      [&](const ScriptedRequest&) { return ScriptedAnswer::Json(status, kAgentDocument); });
  environment_ = {{"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/credentials/1"},
                  {"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:1/other"}};
  CredentialOptions options = Options();
  options.container_agent = agent.url();
  auto fetched = Fetch(options);
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(*fetched, (Credentials{.access_key = "AKID",
                                   .secret_key = "hush",
                                   .session_token = "tok",
                                   .expires = kAgentEnd}));
  EXPECT_EQ(agent.requests().back().target, "/v2/credentials/1");
  EXPECT_FALSE(agent.requests().back().fields.contains("authorization"));
  environment_ = {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", agent.url() + "/v1/credentials"},
                  {"AWS_CONTAINER_AUTHORIZATION_TOKEN", "first"}};
  ASSERT_TRUE(Fetch(options));
  EXPECT_EQ(agent.requests().back().fields.at("authorization"), "first");
  environment_["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = File("token", "second\n");
  ASSERT_TRUE(Fetch(options));
  EXPECT_EQ(agent.requests().back().fields.at("authorization"), "second");
  status = 403;
  EXPECT_EQ(Fetch(options).error().kind, ErrorKind::kInvalid);
  EXPECT_FALSE(WordsOf(options).contains("second"));
  status = 500;
  EXPECT_EQ(Fetch(options).error().kind, ErrorKind::kUnavailable);
}

TEST_F(S3CredentialSourceTest, AContainersTokenIsNotSentToStrangers) {
  environment_["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "hush";
  for (const char* url : {"http://example.org/x", "http://169.254.169.254/x", "nonsense",
                          "http://u:p@127.0.0.1/x", "http://10.0.0.1/x"}) {
    environment_["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = url;
    auto fetched = Fetch(Options());
    ASSERT_FALSE(fetched) << url;
    EXPECT_EQ(fetched.error().kind, ErrorKind::kInvalid);
    EXPECT_FALSE(WordsOf(Options()).contains("hush"));
  }
  for (const char* url : {"http://169.254.170.23/v1/credentials", "https://agent.test/x",
                          "http://[fd00:ec2::23]/v1/credentials", "http://localhost/x"}) {
    environment_["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = url;
    EXPECT_TRUE(MakeCredentialSource(Options())) << url;
  }
  environment_["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://127.0.0.1:1/x";
  environment_["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "hush\r\nX: y";
  EXPECT_TRUE(WordsOf(Options()).contains("line break"));
}

TEST_F(S3CredentialSourceTest, AMachineIsAskedInThreeSteps) {
  ScriptedServer machine([](const ScriptedRequest& request) {
    if (request.method == "PUT") return ScriptedAnswer{.body = "session"};
    if (request.target.ends_with("/koya-role")) return ScriptedAnswer::Json(200, kAgentDocument);
    return ScriptedAnswer{.body = "koya-role\n"};
  });
  CredentialOptions options = Options();
  options.metadata_service = machine.url();
  auto fetched = Fetch(options);
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->secret_key, "hush");
  EXPECT_EQ(fetched->expires, kAgentEnd);
  auto requests = machine.requests();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(requests[0].target, "/latest/api/token");
  EXPECT_EQ(requests[0].fields.at("x-aws-ec2-metadata-token-ttl-seconds"), "21600");
  EXPECT_EQ(requests[1].target, "/latest/meta-data/iam/security-credentials/");
  EXPECT_EQ(requests[2].target, "/latest/meta-data/iam/security-credentials/koya-role");
  for (int i : {1, 2}) {
    EXPECT_EQ(requests[i].fields.at("x-aws-ec2-metadata-token"), "session");
  }
}

TEST_F(S3CredentialSourceTest, WhereNothingIsSetTheErrorSaysWhatToSet) {
  auto words = WordsOf(Options());
  for (const char* part : {"blobs.s3.access_key_file", "AWS_", "hop limit"}) {
    EXPECT_TRUE(words.contains(part)) << words;
  }
  EXPECT_EQ(Fetch(Options()).error().kind, ErrorKind::kUnavailable);
  ScriptedServer machine([](const ScriptedRequest& request) {
    return ScriptedAnswer{.status = request.method == "PUT" ? 200U : 404U, .body = "session"};
  });
  CredentialOptions options = Options();
  options.metadata_service = machine.url();
  EXPECT_EQ(Fetch(options).error().kind, ErrorKind::kInvalid);
  EXPECT_TRUE(WordsOf(options).contains("no role")) << WordsOf(options);
}

TEST_F(S3CredentialSourceTest, WhatIsHalfOrNonsenseIsNotTaken) {
  const char* documents[] = {
      "",
      "[]",
      "{}",
      R"({"AccessKeyId":"AKID"})",
      R"({"AccessKeyId":"AKID","SecretAccessKey":""})",
      R"({"AccessKeyId":"AKID","SecretAccessKey":"hush","Token":"a b"})",
      R"({"AccessKeyId":"AK\nID","SecretAccessKey":"hush"})",
      R"({"AccessKeyId":"AKID","SecretAccessKey":"hush","Expiration":"soon"})",
      R"({"AccessKeyId":"AKID","SecretAccessKey":["hush"]})",
  };
  for (const char* document : documents) {
    ScriptedServer agent(
        [document](const ScriptedRequest&) { return ScriptedAnswer{.body = document}; });
    environment_ = {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", agent.url() + "/"}};
    auto fetched = Fetch(Options());
    ASSERT_FALSE(fetched) << document;
    EXPECT_EQ(fetched.error().kind, ErrorKind::kUnavailable);
    EXPECT_FALSE(WordsOf(Options()).contains("hush")) << WordsOf(Options());
  }
}

}  // namespace
}  // namespace koya::s3
