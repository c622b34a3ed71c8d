// The operations of the client against a real store (live_store_fake.h says how to name one).
#include <gtest/gtest.h>

#include <string>

#include "base/clock.h"
#include "base/encoding.h"
#include "base/sha256.h"
#include "blobs/s3/live_store_fake.h"
#include "blobs/s3/request.h"
#include "blobs/s3/response.h"
#include "blobs/s3/s3_client_fixture_fake.h"
#include "http/client/client.h"
#include "http/url.h"

namespace koya::s3 {
namespace {

class S3LiveTest : public S3ClientTest {
 protected:
  void SetUp() override {
    store_ = LiveStore::Find();
    if (!store_) GTEST_SKIP() << "skipped: KOYA_TEST_S3 names no store";
    ASSERT_TRUE(store_->MakeBucket(kBucket));
    auto made = store_->Connect(store_->Options(kBucket, prefix_));
    ASSERT_TRUE(made) << made.error().message;
    client_ = *std::move(made);
  }
  static std::string WordsOf(const Status& status) {
    return status ? "" : status.error().message + "|" + status.error().detail;
  }
  // A multipart upload that is never completed.
  void StartUpload(const std::string& name) const {
    auto url = http::ParseUrl(store_->endpoint);
    ASSERT_TRUE(url);
    SigningKey key{
        .credentials = {.access_key = store_->access_key, .secret_key = store_->secret_key},
        .region = "us-east-1",
        .now = SystemClock().Now()};
    const std::string path = "/" + std::string(kBucket) + "/" + prefix_ + "/" + name;
    http::ClientRequest request{.method = "POST", .url = store_->endpoint + path + "?uploads="};
    request.fields = SignedFields(key, Signed{.method = "POST",
                                              .host = url->Authority(),
                                              .path = path,
                                              .query = {{"uploads", ""}},
                                              .payload_hash = std::string(kEmptyPayload)});
    request.plain = true;
    http::Client client;
    auto answer = client.Send(request);
    ASSERT_TRUE(answer);
    ASSERT_TRUE(ParseUploadId(answer->body)) << answer->body;
  }

  static constexpr const char* kBucket = "koya-live-test";
  const std::string prefix_ =
      "run-" +
      HexEncode(Sha256(std::to_string(std::chrono::steady_clock::now().time_since_epoch().count())))
          .substr(0, 16);
  std::optional<LiveStore> store_;
  std::unique_ptr<S3Client> client_;
};

TEST_F(S3LiveTest, StoresAndReadsObjectsOfAllSizes) {
  EXPECT_EQ(WordsOf(RunTask(client_->Check("koya-store"))), "");
  for (std::size_t size : {std::size_t{0}, std::size_t{1}, kPart, kPart + 1, 3 * kPart}) {
    SentFile file(Content(size));
    const std::string name = "sha256/ab/" + std::to_string(size);
    EXPECT_EQ(WordsOf(Put(*client_, name, file)), "") << size;
    EXPECT_EQ(RunTask(client_->SizeOf(name, RetryTimeout::kClient)), size);
    auto whole = Read(*client_, name);
    ASSERT_TRUE(whole) << whole.error().detail;
    EXPECT_TRUE(*whole == file.content) << size;
    auto rest = Read(*client_, name, {.offset = size / 2});
    ASSERT_TRUE(rest) << rest.error().detail;
    EXPECT_TRUE(*rest == file.content.substr(size / 2)) << size;
    EXPECT_EQ(Read(*client_, name, {.offset = size}), "") << size;
    EXPECT_TRUE(RunTask(client_->Delete(name)));
    EXPECT_TRUE(RunTask(client_->Delete(name)));
    auto gone = RunTask(client_->SizeOf(name, RetryTimeout::kClient));
    ASSERT_FALSE(gone);
    EXPECT_EQ(gone.error().kind, ErrorKind::kNotFound);
    gone = RunTask(client_->SizeOf(name, RetryTimeout::kClient));
    auto read = Read(*client_, name);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().kind, ErrorKind::kNotFound);
  }
}

TEST_F(S3LiveTest, RefusesBytesThatAreNotTheDigests) {
  SentFile file("these bytes");
  file.body.digest = Digest::Of("other bytes");
  EXPECT_FALSE(Put(*client_, "wrong", file));
  EXPECT_FALSE(RunTask(client_->SizeOf("wrong", RetryTimeout::kClient)));
}

TEST_F(S3LiveTest, ListsWhatBeginsSoInOrder) {
  SentFile file("x");
  for (const char* name : {"l/b", "l/a", "l/a-b.c_d~e f+g", "m"}) {
    EXPECT_EQ(WordsOf(Put(*client_, name, file)), "") << name;
  }
  auto page = RunTask(client_->List("l/", ""));
  ASSERT_TRUE(page) << page.error().detail;
  ASSERT_EQ(page->size(), 3u);
  EXPECT_EQ(page->at(0).name, "l/a");
  EXPECT_EQ(page->at(1).name, "l/a-b.c_d~e f+g");
  EXPECT_EQ(page->at(0).size, 1u);
  page = RunTask(client_->List("l/", "l/a"));
  ASSERT_TRUE(page);
  EXPECT_EQ(page->size(), 2u);
  page = RunTask(client_->List("l/", "l/b"));
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->empty());
  EXPECT_EQ(Read(*client_, "l/a-b.c_d~e f+g"), "x");
}

TEST_F(S3LiveTest, AbortsUploadsThatWereLeftBehind) {
  StartUpload("u");
  StartUpload("u");
  StartUpload("uu");
  EXPECT_EQ(WordsOf(RunTask(client_->AbortUploads("u"))), "");
  EXPECT_EQ(client_->observations().Count(Operation::kAbortUpload, FailureClass::kNone), 2u);
  EXPECT_EQ(WordsOf(RunTask(client_->AbortUploads("uu"))), "");
  EXPECT_EQ(client_->observations().Count(Operation::kAbortUpload, FailureClass::kNone), 3u);
}

TEST_F(S3LiveTest, APresignedUrlNeedsNoCredentials) {
  SentFile file("presigned");
  ASSERT_TRUE(Put(*client_, "a b/c", file));
  auto url = RunTask(client_->PresignGet("a b/c", std::chrono::minutes(1)));
  ASSERT_TRUE(url);
  http::Client client;
  http::ClientRequest request{.url = *url};
  auto answer = client.Send(request);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200u) << answer->body;
  EXPECT_EQ(answer->body, "presigned");
  request.url.back() = request.url.back() == '0' ? '1' : '0';
  answer = client.Send(request);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 403u);
}

TEST_F(S3LiveTest, SaysAtStartWhatIsWrong) {
  LiveStore wrong = *store_;
  wrong.secret_key += "x";
  auto client = wrong.Connect(wrong.Options(kBucket, "p"));
  ASSERT_TRUE(client);
  std::string words = WordsOf(RunTask((*client)->Check("koya-store")));
  EXPECT_TRUE(words.contains("fix the secret key in")) << words;
  wrong = *store_;
  wrong.access_key = "nobody";
  client = wrong.Connect(wrong.Options(kBucket, "p"));
  words = WordsOf(RunTask((*client)->Check("koya-store")));
  EXPECT_TRUE(words.contains("does not know the access key")) << words;
  client = store_->Connect(store_->Options("koya-no-such-bucket", "p"));
  words = WordsOf(RunTask((*client)->Check("koya-store")));
  EXPECT_TRUE(words.contains("has no bucket \"koya-no-such-bucket\"")) << words;
}

}  // namespace
}  // namespace koya::s3
