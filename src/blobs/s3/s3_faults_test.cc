// What the client makes of a store that fails, each fault a test.
#include <gtest/gtest.h>

#include <string>

#include "blobs/s3/retry.h"
#include "blobs/s3/s3_client.h"
#include "blobs/s3/s3_client_fixture_fake.h"

namespace koya::s3 {
namespace {

using std::chrono::milliseconds;

class S3FaultTest : public S3ClientTest {
 protected:
  Result<std::uint64_t> Size(S3Client& client) {
    return RunTask(client.SizeOf("a", RetryTimeout::kClient));
  }
};

TEST_F(S3FaultTest, WhatPassesIsTriedAgain) {
  const FakeFault faults[] = {
      {.status = 503, .code = "SlowDown"},
      {.status = 503, .code = "ServiceUnavailable"},
      {.status = 500, .code = "InternalError"},
      {.status = 502, .body = "<html>bad gateway</html>"},
      {.status = 504, .body = ""},
      {.status = 429, .code = "TooManyRequests"},
      {.status = 408, .code = ""},
      {.status = 400, .code = "RequestTimeout"},
      {.status = 400, .code = "XAmzContentSHA256Mismatch"},
      {.status = 409, .code = "OperationAborted"},
      {.lost = true},
      {.act = true, .lost = true},
      {.reset_upload = 2},
  };
  for (const FakeFault& fault : faults) {
    auto client = MakeClient();
    SentFile file("content");
    const std::size_t before = server_.Count("put");
    server_.Next("put", fault);
    auto put = Put(*client, "a", file);
    ASSERT_TRUE(put) << fault.status << fault.code << put.error().detail;
    EXPECT_GE(server_.Count("put"), before + 2) << fault.status << fault.code;
    EXPECT_EQ(server_.objects().at("p/a"), "content");
    // Each attempt has a body of its own from its beginning, and a signature of its own.
    EXPECT_EQ(server_.requests().back().operation, "head");
    EXPECT_LE(clock_->waited(), milliseconds(100));
  }
}

TEST_F(S3FaultTest, AKeptConnectionThatDiedIsReplacedAtOnce) {
  auto client = MakeClient();
  server_.SetObject("p/a", "12345");
  EXPECT_EQ(Size(*client), 5u);
  server_.Next("head", {.lost = true});
  EXPECT_EQ(Size(*client), 5u);
  EXPECT_EQ(client->observations().retries, 0u);
  EXPECT_EQ(clock_->waited(), milliseconds(0));
}

TEST_F(S3FaultTest, ItIsEnoughAfterFiveTries) {
  auto client = MakeClient();
  server_.Always("get", FakeFault{.status = 503, .code = "SlowDown"});
  auto read = Read(*client, "a");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::kUnavailable);
  EXPECT_GE(read.error().retry_after, 1u);
  EXPECT_EQ(server_.Count("get"), 5u);
  EXPECT_LE(clock_->waited(), milliseconds(8'000));
  EXPECT_EQ(client->observations().Count(Operation::kGet, FailureClass::kRetryable), 5u);
  EXPECT_EQ(client->observations().retries, 4u);
  EXPECT_EQ(client->retry_budget(), RetryBudget::kMost - 4);
}

TEST_F(S3FaultTest, RetryAfterIsHeededWithinThePatience) {
  auto client = MakeClient();
  server_.SetObject("p/a", "12345");
  server_.Next("head", {.status = 503, .fields = {{"Retry-After", "3"}}});
  EXPECT_EQ(Size(*client), 5u);
  EXPECT_GE(clock_->waited(), milliseconds(3'000));
  server_.Next("head", {.status = 503, .fields = {{"Retry-After", "30"}}});
  auto size = Size(*client);
  ASSERT_FALSE(size);
  EXPECT_EQ(size.error().retry_after, 30u);
  // Who has more time waits longer.
  server_.Next("head", {.status = 503, .fields = {{"Retry-After", "30"}}});
  EXPECT_EQ(RunTask(client->SizeOf("a", RetryTimeout::kBackground)), 5u);
}

TEST_F(S3FaultTest, TheBreakerLeavesTheStoreAloneAndTriesOnce) {
  auto client = MakeClient();
  server_.SetObject("p/a", "12345");
  server_.Always("get", FakeFault{.status = 500, .code = "InternalError"});
  ASSERT_FALSE(Read(*client, "a"));
  const std::size_t asked = server_.requests().size();
  auto fast = Size(*client);
  ASSERT_FALSE(fast);
  EXPECT_EQ(fast.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(server_.requests().size(), asked);
  clock_->Advance(milliseconds(1'000));
  EXPECT_EQ(Size(*client), 5u);
  server_.Always("get", std::nullopt);
  EXPECT_EQ(Read(*client, "a"), "12345");
  EXPECT_FALSE(client->observations().circuit_open);
}

TEST_F(S3FaultTest, TheBudgetEndsAStorm) {
  auto client = MakeClient();
  // Not what opens the breaker.
  server_.Always("list", FakeFault{.status = 429, .code = "TooManyRequests"});
  for (int i = 0; i < 40; ++i) ASSERT_FALSE(RunTask(client->List("", "")));
  // 40 first tries, and 50 that were not.
  EXPECT_EQ(server_.Count("list"), 90u);
  EXPECT_LT(client->retry_budget(), 1);
  server_.SetObject("p/a", "12345");
  for (int i = 0; i < 10; ++i) ASSERT_EQ(Size(*client), 5u);
  EXPECT_GE(client->retry_budget(), 0.99);
}

TEST_F(S3FaultTest, AReadGoesOnWhereItBroke) {
  auto client = MakeClient();
  const std::string content = Content(1 << 20);
  server_.SetObject("p/a", content);
  // More often than a transfer that gets nowhere would be tried.
  for (std::size_t i = 0; i < 8; ++i) server_.Next("get", {.cut_answer = 100'000});
  auto read = Read(*client, "a");
  ASSERT_TRUE(read) << read.error().detail;
  EXPECT_TRUE(*read == content);
  EXPECT_EQ(server_.Count("get"), 9u);
  EXPECT_EQ(server_.requests().back().fields.at("range"), "bytes=800000-");
  EXPECT_EQ(client->observations().bytes_received, content.size());
  EXPECT_EQ(client->retry_budget(), RetryBudget::kMost) << "nothing was sent twice";
}

// Stores and proxies say errors with 200: none of that reaches a reader who would be cut off.
TEST_F(S3FaultTest, AnErrorInsideA200IsAskedForAgainBeforeAReaderGetsIt) {
  const std::string content = Content(100'000);
  for (const std::string body : {"<Error><Code>InternalError</Code></Error>", "", "<html>"}) {
    auto client = MakeClient();
    server_.SetObject("p/a", content);
    server_.Next("get", {.status = 200, .body = body});
    const std::size_t before = server_.Count("get");
    auto read = Read(*client, "a", {.size = content.size()});
    ASSERT_TRUE(read) << body << read.error().detail;
    EXPECT_TRUE(*read == content) << body;
    EXPECT_EQ(server_.Count("get"), before + 2) << body;
    // The same response twice is accepted: callers that know the digest verify it.
    server_.Next("get", {.status = 200, .body = body});
    server_.Next("get", {.status = 200, .body = body});
    EXPECT_EQ(Read(*client, "a", {.size = content.size()}), body);
    EXPECT_EQ(server_.Count("get"), before + 4) << body;
  }
}

TEST_F(S3FaultTest, AnAnswerThatIsNotTheRestIsNotTakenForIt) {
  auto client = MakeClient();
  server_.SetObject("p/a", "0123456789");
  // A store that knows no ranges sends all of it: what we have is passed over.
  server_.Next("get", {.cut_answer = 4});
  server_.Next("get", {.status = 200, .body = "0123456789"});
  EXPECT_EQ(Read(*client, "a"), "0123456789");
  // One that sends another range, another size, or too much, is not believed.
  const FakeFault liars[] = {
      {.status = 206, .fields = {{"Content-Range", "bytes 5-9/10"}}, .body = "56789"},
      {.status = 206, .fields = {{"Content-Range", "bytes 4-9/11"}}, .body = "456789"},
      {.status = 206, .fields = {{"Content-Range", "bytes 4-9/10"}}, .body = "4567890"},
      {.status = 206, .body = "456789"},
  };
  for (const FakeFault& liar : liars) {
    auto fresh = MakeClient();
    server_.Next("get", {.cut_answer = 4});
    server_.Next("get", liar);
    auto read = Read(*fresh, "a");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().kind, ErrorKind::kUnavailable);
  }
}

TEST_F(S3FaultTest, AFirstByteThatDoesNotComeIsAskedForOnANewConnection) {
  S3Options options = Options();
  options.first_byte_timeout = milliseconds(100);
  auto client = MakeClient(options);
  server_.SetObject("p/a", "12345");
  EXPECT_EQ(Size(*client), 5u);
  server_.Next("get", {.silent = true});
  EXPECT_EQ(Read(*client, "a"), "12345");
  EXPECT_GE(server_.connections(), 2u);
  EXPECT_EQ(clock_->waited(), milliseconds(0));
  EXPECT_GE(client->observations().Count(Operation::kGet, FailureClass::kSlowStart), 1u);
}

TEST_F(S3FaultTest, AStallIsABreak) {
  S3Options options = Options();
  options.stall_timeout = milliseconds(2'000);
  auto client = MakeClient(options);
  server_.SetObject("p/a", "0123456789");
  server_.Next("get", {.cut_answer = 4, .stall = true});
  EXPECT_EQ(Read(*client, "a"), "0123456789");
  EXPECT_EQ(server_.requests().back().fields.at("range"), "bytes=4-");
}

TEST_F(S3FaultTest, AnObjectThatTakesAMomentToAppearIsThere) {
  auto client = MakeClient();
  SentFile file("content");
  server_.Next("head", {.status = 404});
  ASSERT_TRUE(Put(*client, "a", file));
  EXPECT_EQ(server_.Count("head"), 2u);
  server_.Always("head", FakeFault{.status = 404});
  auto put = Put(*client, "b", file);
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().kind, ErrorKind::kUnavailable);
  EXPECT_LE(clock_->waited(), milliseconds(2'500));
}

TEST_F(S3FaultTest, AStoreThatKeepsOtherBytesIsFoundOut) {
  auto client = MakeClient();
  SentFile file("content");
  server_.Next("head", {.status = 200, .body = "conten"});
  auto put = Put(*client, "a", file);
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().kind, ErrorKind::kUnavailable);
  EXPECT_TRUE(put.error().detail.contains("acknowledged 7 bytes but reports 6"));
}

TEST_F(S3FaultTest, AnErrorInsideA200IsOne) {
  SentFile file(Content(kPart + 1));
  for (const char* code : {"InternalError", "SlowDown"}) {
    auto client = MakeClient();
    server_.Next("complete_upload",
                 {.status = 200, .body = "<Error><Code>" + std::string(code) + "</Code></Error>"});
    const std::size_t before = server_.Count("complete_upload");
    auto put = Put(*client, std::string("a") + code, file);
    ASSERT_TRUE(put) << put.error().detail;
    EXPECT_EQ(server_.Count("complete_upload"), before + 2);
  }
  auto client = MakeClient();
  server_.Next("complete_upload",
               {.status = 200, .body = "<Error><Code>InvalidPart</Code></Error>"});
  EXPECT_FALSE(Put(*client, "b", file));
  EXPECT_TRUE(server_.uploads().empty()) << "what failed was aborted";
  EXPECT_FALSE(server_.objects().contains("p/b"));
}

TEST_F(S3FaultTest, AnUploadThatWasCompletedIsDoneWhateverTheAnswer) {
  SentFile file(Content(kPart + 1));
  const FakeFault faults[] = {
      {.act = true, .lost = true},
      {.act = true, .silent = true},
      {.status = 500, .code = "InternalError", .act = true},
      {.status = 404, .code = "NoSuchUpload", .act = true},
      {.status = 200, .act = true, .body = "<Error><Code>NoSuchUpload</Code></Error>"},
      {.status = 200, .act = true, .body = ""},
  };
  int number = 0;
  for (const FakeFault& fault : faults) {
    S3Options options = Options();
    // Only silent faults need the timeout: the next request finds a slow operation done.
    if (fault.silent) options.complete_timeout = milliseconds(1'000);
    auto client = MakeClient(options);
    const std::string name = "a" + std::to_string(++number);
    server_.Next("complete_upload", fault);
    auto put = Put(*client, name, file);
    ASSERT_TRUE(put) << number << put.error().detail;
    EXPECT_TRUE(server_.objects().at("p/" + name) == file.content);
  }
}

TEST_F(S3FaultTest, AnUploadThatTheStoreForgotFails) {
  auto client = MakeClient();
  SentFile file(Content(kPart + 1));
  server_.Next("complete_upload", {.status = 404, .code = "NoSuchUpload"});
  auto put = Put(*client, "a", file);
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().kind, ErrorKind::kUnavailable);
}

TEST_F(S3FaultTest, PartsAreTriedAgainEachByItself) {
  auto client = MakeClient();
  SentFile file(Content(3 * kPart));
  server_.Next("upload_part", {.reset_upload = 100'000});
  server_.Next("upload_part", {.status = 503, .code = "SlowDown"});
  server_.Next("upload_part", {.act = true, .lost = true});
  auto put = Put(*client, "a", file);
  ASSERT_TRUE(put) << put.error().detail;
  EXPECT_TRUE(server_.objects().at("p/a") == file.content);
  EXPECT_GE(server_.Count("upload_part"), 6u);
}

TEST_F(S3FaultTest, APartThatCannotBeSentEndsTheUploadAndLeavesNothing) {
  auto client = MakeClient();
  SentFile file(Content(3 * kPart));
  server_.Next("upload_part", {.status = 403, .code = "AccessDenied"});
  EXPECT_FALSE(Put(*client, "a", file));
  EXPECT_TRUE(server_.uploads().empty());
  EXPECT_EQ(server_.Count("complete_upload"), 0u);
}

TEST_F(S3FaultTest, ASkewedClockIsMendedByTheStores) {
  auto client = MakeClient();
  server_.SetObject("p/a", "12345");
  server_.clock = 1'750'000'000 + 3 * 3600;
  server_.Next("get", {.status = 403, .code = "RequestTimeTooSkewed"});
  EXPECT_EQ(Read(*client, "a"), "12345");
  EXPECT_EQ(client->observations().clock_offset, 3 * 3600);
  EXPECT_EQ(server_.requests().back().fields.at("x-amz-date"), "20250615T180640Z");
  // Links go by the same clock.
  auto url = RunTask(client->PresignGet("a", std::chrono::seconds(60)));
  ASSERT_TRUE(url);
  EXPECT_TRUE(url->contains("X-Amz-Date=20250615T180640Z")) << *url;
  // Twice is no accident.
  server_.Always("get", FakeFault{.status = 403, .code = "RequestTimeTooSkewed"});
  const std::size_t before = server_.Count("get");
  auto read = Read(*client, "a");
  ASSERT_FALSE(read);
  EXPECT_EQ(server_.Count("get"), before + 2);
  EXPECT_TRUE(read.error().detail.contains("set the clock")) << read.error().detail;
}

TEST_F(S3FaultTest, AHeadCannotSayThatTheClockIsSkewed) {
  auto client = MakeClient();
  server_.SetObject("p/a", "12345");
  server_.clock = 1'750'000'000 - 3600;
  server_.Next("head", {.status = 403});
  EXPECT_EQ(Size(*client), 5u);
  EXPECT_EQ(client->observations().clock_offset, -3600);
}

TEST_F(S3FaultTest, AnExpiredTokenIsRenewedOnce) {
  auto client = MakeClient();
  server_.SetObject("p/a", "12345");
  server_.Next("get", {.status = 400, .code = "ExpiredToken"});
  EXPECT_EQ(Read(*client, "a"), "12345");
  server_.Always("get", FakeFault{.status = 400, .code = "ExpiredToken"});
  const std::size_t before = server_.Count("get");
  auto read = Read(*client, "a");
  ASSERT_FALSE(read);
  EXPECT_EQ(server_.Count("get"), before + 2);
  EXPECT_TRUE(read.error().detail.contains("credentials have expired")) << read.error().detail;
}

// Permanent errors: messages are worded for the operator, and name the setting.
TEST_F(S3FaultTest, WhatIsFinalIsSaidAtStart) {
  struct Row {
    FakeFault fault;
    std::string words;
  };
  const Row rows[] = {
      {{.status = 403, .code = "AccessDenied"}, "needs permission"},
      {{.status = 403, .code = "SignatureDoesNotMatch"}, "fix the secret key in AWS_ACCESS_KEY_ID"},
      {{.status = 403, .code = "InvalidAccessKeyId"}, "does not know the access key"},
      {{.status = 404, .code = "NoSuchBucket"}, "fix blobs.url"},
      {{.status = 400,
        .code = "AuthorizationHeaderMalformed",
        .more = "<Region>eu-west-1</Region>"},
       "write blobs.s3.region = \"eu-west-1\""},
      {{.status = 301,
        .code = "PermanentRedirect",
        .fields = {{"x-amz-bucket-region", "ap-northeast-1"}}},
       "write blobs.s3.region = \"ap-northeast-1\""},
      {{.status = 301,
        .code = "PermanentRedirect",
        .more = "<Endpoint>koya.s3.eu-west-2.amazonaws.com</Endpoint>"},
       "koya.s3.eu-west-2.amazonaws.com"},
      {{.status = 501, .code = "NotImplemented"}, "S3-compatible"},
      {{.status = 405, .body = "<html>nginx</html>"}, "fix blobs.s3.endpoint"},
      {{.status = 200, .body = "<html>welcome</html>"}, "blobs.s3.endpoint"},
  };
  for (const Row& row : rows) {
    auto client = MakeClient();
    const std::size_t before = server_.requests().size();
    server_.Always("list", row.fault);
    auto checked = RunTask(client->Check("koya-store"));
    ASSERT_FALSE(checked) << row.words;
    EXPECT_TRUE(checked.error().message.contains(row.words)) << checked.error().message;
    EXPECT_EQ(server_.requests().size(), before + 1) << row.words;
    for (const std::string& text : {checked.error().message, checked.error().detail}) {
      EXPECT_FALSE(text.contains("thesecret")) << text;
    }
    // Clients see none of it.
    auto listed = RunTask(client->List("", ""));
    ASSERT_FALSE(listed);
    EXPECT_EQ(listed.error().kind, ErrorKind::kUnavailable);
    EXPECT_FALSE(listed.error().message.contains("koya/p")) << listed.error().message;
    EXPECT_TRUE(listed.error().detail.contains(row.words)) << listed.error().detail;
  }
}

TEST_F(S3FaultTest, AStoreThatIsWellPassesTheCheck) {
  auto client = MakeClient();
  EXPECT_TRUE(RunTask(client->Check("koya-store")));
  server_.SetObject("p/koya-store", "x");
  EXPECT_TRUE(RunTask(client->Check("koya-store")));
  server_.Next("head", {.status = 403});
  auto checked = RunTask(client->Check("koya-store"));
  ASSERT_FALSE(checked);
  EXPECT_TRUE(checked.error().message.contains("needs permission")) << checked.error().message;
}

// What makes publishing impossible, as the operator reads it until a write succeeds. Clients read
// less.
TEST_F(S3FaultTest, AWriteThatIsRefusedIsRememberedWithTheSettingToLookAt) {
  struct Row {
    FakeFault fault;
    std::string words;
  };
  const Row rows[] = {
      {{.status = 403, .code = "AccessDenied"}, "needs permission"},
      {{.status = 403, .code = "InvalidAccessKeyId"}, "AWS_ACCESS_KEY_ID"},
      {{.status = 403, .code = "SignatureDoesNotMatch"}, "AWS_ACCESS_KEY_ID"},
      {{.status = 400, .code = "ExpiredToken"}, "AWS_ACCESS_KEY_ID"},
      {{.status = 403, .code = "RequestTimeTooSkewed"}, "set the clock"},
      {{.status = 404, .code = "NoSuchBucket"}, "blobs.url"},
      {{.status = 501, .code = "NotImplemented"}, "blobs.s3.endpoint"},
      {{.status = 507, .code = "XMinioStorageFull"}, "is full"},
      {{.status = 403, .code = "QuotaExceeded"}, "is full"},
  };
  SentFile file("content");
  for (const Row& row : rows) {
    auto client = MakeClient();
    ASSERT_TRUE(Put(*client, "a", file));
    EXPECT_FALSE(client->write_trouble()) << row.words;
    server_.Always("put", row.fault);
    auto put = Put(*client, "b", file);
    ASSERT_FALSE(put) << row.words;
    EXPECT_FALSE(put.error().message.contains(row.words) && row.words != "is full")
        << put.error().message;
    auto trouble = client->write_trouble();
    ASSERT_TRUE(trouble) << row.words;
    EXPECT_TRUE(trouble->message.contains(row.words)) << trouble->message;
    EXPECT_FALSE(trouble->message.contains("thesecret")) << trouble->message;
    server_.Always("put", std::nullopt);
    ASSERT_TRUE(Put(*client, "b", file)) << row.words;
    EXPECT_FALSE(client->write_trouble()) << row.words;
  }
}

// That it is away is what a look sees; a write that met it says nothing about the next one.
TEST_F(S3FaultTest, AStoreThatIsOnlyAwayRefusedNoWrite) {
  auto client = MakeClient();
  SentFile file("content");
  server_.Always("put", FakeFault{.status = 503, .code = "SlowDown"});
  ASSERT_FALSE(Put(*client, "a", file));
  EXPECT_FALSE(client->write_trouble());
}

TEST_F(S3FaultTest, ALookListsOnlyWhatReadingDoesNotSettle) {
  auto client = MakeClient();
  const auto look = [&] { return RunTask(client->Check("koya-store", RetryTimeout::kLook)); };
  EXPECT_TRUE(look());  // no marker: a bucket is there, which only a listing can say
  server_.SetObject("p/koya-store", "x");
  const std::size_t lists = server_.Count("list");
  EXPECT_TRUE(look());
  EXPECT_EQ(server_.Count("list"), lists);
  server_.Always("head", FakeFault{.status = 403});
  server_.Always("list", FakeFault{.status = 403, .code = "InvalidAccessKeyId"});
  auto refused = look();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kInvalid);
  EXPECT_TRUE(refused.error().message.contains("AWS_ACCESS_KEY_ID")) << refused.error().message;
  server_.Always("head", FakeFault{.status = 503});
  server_.Always("list", std::nullopt);
  auto away = look();
  ASSERT_FALSE(away);
  EXPECT_EQ(away.error().kind, ErrorKind::kUnavailable);
  EXPECT_LE(clock_->waited(), milliseconds(2'000));
}

TEST_F(S3FaultTest, AMissingBucketIsNoMissingObject) {
  auto client = MakeClient();
  server_.Always("head", FakeFault{.status = 404});
  server_.Next("list", {.status = 404, .code = "NoSuchBucket"});
  auto size = Size(*client);
  ASSERT_FALSE(size);
  EXPECT_EQ(size.error().kind, ErrorKind::kUnavailable);
  server_.Next("get", {.status = 404, .code = "NoSuchBucket"});
  auto read = Read(*client, "a");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::kUnavailable);
}

TEST_F(S3FaultTest, AFullStoreIsSaidToBeFull) {
  const FakeFault faults[] = {
      {.status = 507, .code = "XMinioStorageFull"},
      {.status = 507, .body = ""},
      {.status = 403, .code = "QuotaExceeded"},
  };
  SentFile file("content");
  for (const FakeFault& fault : faults) {
    auto client = MakeClient();
    const std::size_t before = server_.Count("put");
    server_.Next("put", fault);
    auto put = Put(*client, "a", file);
    ASSERT_FALSE(put);
    EXPECT_EQ(put.error().kind, ErrorKind::kStorageFull);
    EXPECT_EQ(server_.Count("put"), before + 1);
  }
}

TEST_F(S3FaultTest, AStoreThatIsNotThereIsUnavailable) {
  S3Options options = Options();
  options.address.endpoint = "http://127.0.0.1:1";
  auto client = MakeClient(options);
  auto size = Size(*client);
  ASSERT_FALSE(size);
  EXPECT_EQ(size.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(client->observations().Count(Operation::kHead, FailureClass::kRetryable), 5u);
}

}  // namespace
}  // namespace koya::s3
