// The operations of the client against a store that does its duty.
#include "blobs/s3/s3_client.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "blobs/s3/s3_client_fixture_fake.h"

namespace koya::s3 {
namespace {

TEST_F(S3ClientTest, StoresASmallObjectInOneRequest) {
  auto client = MakeClient();
  for (std::size_t size : {std::size_t{0}, std::size_t{1}, kPart}) {
    SentFile file(Content(size));
    auto put = Put(*client, "sha256/ab/x", file);
    ASSERT_TRUE(put) << put.error().message << put.error().detail;
    EXPECT_EQ(server_.objects().at("p/sha256/ab/x"), file.content);
    auto request = server_.requests().end()[-2];
    EXPECT_EQ(request.operation, "put");
    EXPECT_EQ(request.fields.at("x-amz-content-sha256"), file.body.digest.hex());
    EXPECT_EQ(request.fields.at("content-length"), std::to_string(size));
    for (const char* none : {"content-type", "expect", "transfer-encoding", "accept-encoding"}) {
      EXPECT_FALSE(request.fields.contains(none)) << none;
    }
    EXPECT_TRUE(request.fields.at("authorization")
                    .starts_with("AWS4-HMAC-SHA256 Credential=thekey/20250615/us-east-1/s3/"));
    EXPECT_EQ(server_.requests().back().operation, "head");
  }
}

TEST_F(S3ClientTest, StoresALargeObjectInEqualParts) {
  auto client = MakeClient();
  SentFile file(Content(2 * kPart + 1000));
  auto put = Put(*client, "large", file);
  ASSERT_TRUE(put) << put.error().message << put.error().detail;
  EXPECT_EQ(server_.objects().at("p/large"), file.content);
  EXPECT_TRUE(server_.uploads().empty());
  std::vector<std::size_t> sizes;
  for (const FakeRequest& each : server_.requests()) {
    if (each.operation == "upload_part") sizes.push_back(each.body.size());
    if (each.operation == "create_upload") EXPECT_TRUE(each.target.ends_with("?uploads="));
    // The id is encoded: letters of it mean something in a query.
    if (each.operation == "complete_upload") {
      EXPECT_TRUE(each.target.ends_with("?uploadId=2~1%2F%2B%3D")) << each.target;
      EXPECT_FALSE(each.fields.contains("content-type"));
    }
  }
  std::ranges::sort(sizes);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{1000, kPart, kPart}));
  EXPECT_EQ(client->observations().bytes_sent, file.content.size());
}

TEST_F(S3ClientTest, SendsTheEncryptionThatIsSet) {
  S3Options options = Options();
  options.sse = "aws:kms";
  options.sse_kms_key = "alias/koya";
  auto client = MakeClient(options);
  SentFile small("small");
  SentFile large(Content(kPart + 1));
  ASSERT_TRUE(Put(*client, "small", small));
  ASSERT_TRUE(Put(*client, "large", large));
  for (const FakeRequest& each : server_.requests()) {
    const bool begins = each.operation == "put" || each.operation == "create_upload";
    EXPECT_EQ(each.fields.contains("x-amz-server-side-encryption"), begins) << each.operation;
    if (!begins) continue;
    EXPECT_EQ(each.fields.at("x-amz-server-side-encryption-aws-kms-key-id"), "alias/koya");
    EXPECT_TRUE(each.fields.at("authorization").contains(";x-amz-server-side-encryption;"));
  }
}

TEST_F(S3ClientTest, ReadsFromAnywhereToTheEnd) {
  auto client = MakeClient();
  server_.SetObject("p/a", "0123456789");
  server_.SetObject("p/empty", "");
  EXPECT_EQ(Read(*client, "a"), "0123456789");
  EXPECT_FALSE(server_.requests().back().fields.contains("range"));
  EXPECT_EQ(Read(*client, "a", {.offset = 7}), "789");
  EXPECT_EQ(server_.requests().back().fields.at("range"), "bytes=7-");
  EXPECT_EQ(Read(*client, "a", {.offset = 10}), "");
  EXPECT_EQ(Read(*client, "empty"), "");
  // Some stores do not say where the end is.
  server_.Next("get", {.status = 416, .code = "InvalidRange"});
  EXPECT_EQ(Read(*client, "a", {.offset = 10}), "");
  auto beyond = Read(*client, "a", {.offset = 11});
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().kind, ErrorKind::kUnavailable);
  auto missing = Read(*client, "b");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kNotFound);
}

TEST_F(S3ClientTest, ASinkThatFailsEndsTheTransfer) {
  auto client = MakeClient();
  server_.SetObject("p/a", Content(1 << 20));
  ObjectSink full = [](std::span<const std::byte>) -> Status {
    return Fail(ErrorKind::kStorageFull, "the disk is full");
  };
  auto read = RunTask(client->Get("a", {}, full, {}));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::kStorageFull);
  EXPECT_EQ(read.error().message, "the disk is full");
  EXPECT_EQ(server_.Count("get"), 1u);
}

TEST_F(S3ClientTest, AReadEndsWhenNobodyWantsItAnyMore) {
  auto client = MakeClient();
  server_.SetObject("p/a", Content(1 << 20));
  server_.Next("get", {.cut_answer = 1000, .stall = true});
  std::stop_source stop;
  ObjectSink sink = [&stop](std::span<const std::byte>) -> Status {
    stop.request_stop();
    return {};
  };
  auto read = RunTask(client->Get("a", {}, sink, stop.get_token()));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::kUnavailable);
  client->Stop();
  EXPECT_FALSE(RunTask(client->Get("a", {}, sink, {})));
}

TEST_F(S3ClientTest, KnowsSizesAndDeletesTwice) {
  auto client = MakeClient();
  server_.SetObject("p/a", "12345");
  EXPECT_EQ(RunTask(client->SizeOf("a", RetryTimeout::kClient)), 5u);
  EXPECT_TRUE(RunTask(client->Delete("a")));
  EXPECT_TRUE(RunTask(client->Delete("a")));
  auto size = RunTask(client->SizeOf("a", RetryTimeout::kBackground));
  ASSERT_FALSE(size);
  EXPECT_EQ(size.error().kind, ErrorKind::kNotFound);
}

TEST_F(S3ClientTest, ListsInPages) {
  auto client = MakeClient();
  server_.SetObject("other", "");
  server_.SetObject("p/a/1", "x");
  server_.SetObject("p/a/2", "xx");
  server_.SetObject("p/a/3", "xxx");
  server_.SetObject("p/b", "");
  server_.page = 2;
  auto page = RunTask(client->List("a/", ""));
  ASSERT_TRUE(page) << page.error().detail;
  ASSERT_EQ(page->size(), 2u);
  EXPECT_EQ(page->at(0).name, "a/1");
  EXPECT_EQ(page->at(1).size, 2u);
  page = RunTask(client->List("a/", "a/2"));
  ASSERT_TRUE(page);
  ASSERT_EQ(page->size(), 1u);
  EXPECT_EQ(page->at(0).name, "a/3");
  page = RunTask(client->List("a/", "a/3"));
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->empty());
  server_.page = 1000;
  page = RunTask(client->List("", ""));
  ASSERT_TRUE(page);
  EXPECT_EQ(page->size(), 4u);
}

TEST_F(S3ClientTest, AnEmptyPageIsNotTheEndWhileThereIsMore) {
  auto client = MakeClient();
  server_.SetObject("p/a", "x");
  server_.Next("list", {.status = 200,
                        .act = true,
                        .body = "<ListBucketResult><IsTruncated>true</IsTruncated>"
                                "<NextContinuationToken>p/</NextContinuationToken>"
                                "</ListBucketResult>"});
  auto page = RunTask(client->List("", ""));
  ASSERT_TRUE(page);
  EXPECT_EQ(page->size(), 1u);
}

TEST_F(S3ClientTest, AbortsTheUploadsOfExactlyOneName) {
  auto client = MakeClient();
  for (int i = 0; i < 3; ++i) server_.StartUpload("p/a");
  server_.StartUpload("p/ab");
  server_.page = 2;
  ASSERT_TRUE(RunTask(client->AbortUploads("a")));
  ASSERT_EQ(server_.uploads().size(), 1u);
  EXPECT_EQ(server_.uploads().at(0).first, "p/ab");
  EXPECT_EQ(server_.requests().at(0).query.at("prefix"), "p/a");
}

TEST_F(S3ClientTest, PresignsForWhereClientsReachTheStore) {
  S3Options options = Options();
  options.public_endpoint = "https://store.example.org";
  auto client = MakeClient(options);
  auto url = RunTask(client->PresignGet("sha256/ab/c", std::chrono::minutes(5)));
  ASSERT_TRUE(url);
  EXPECT_TRUE(url->starts_with("https://store.example.org/koya/p/sha256/ab/c?X-Amz-Algorithm="));
  EXPECT_TRUE(url->contains("&X-Amz-Expires=300&"));
  EXPECT_TRUE(url->contains("&X-Amz-SignedHeaders=host&"));
  EXPECT_FALSE(url->contains("thesecret"));
  EXPECT_TRUE(server_.requests().empty());
}

TEST_F(S3ClientTest, KeepsItsConnections) {
  auto client = MakeClient();
  server_.SetObject("p/a", "12345");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Read(*client, "a"), "12345");
  EXPECT_EQ(server_.connections(), 1u);
}

TEST_F(S3ClientTest, MoreUploadsInPartsThanThreadsAllEnd) {
  auto client = MakeClient();
  const SentFile file(Content(kPart + 1));
  std::vector<std::jthread> publishers;
  for (int i = 0; i < 20; ++i) {
    publishers.emplace_back([&, i] {
      auto put = Put(*client, std::to_string(i), file);
      EXPECT_TRUE(put) << put.error().detail;
    });
  }
  publishers.clear();
  auto objects = server_.objects();
  EXPECT_EQ(objects.size(), 20u);
  for (const auto& [key, content] : objects) EXPECT_TRUE(content == file.content) << key;
}

TEST_F(S3ClientTest, RefusesSettingsThatCannotBe) {
  struct Row {
    std::string words;
    std::function<void(S3Options&)> change;
  };
  const Row rows[] = {
      {"blobs.url", [](S3Options& o) { o.address.url = "s3://No"; }},
      {"blobs.s3.endpoint", [](S3Options& o) { o.address.endpoint = "no"; }},
      {"blobs.s3.public_endpoint", [](S3Options& o) { o.public_endpoint = "no"; }},
      {"blobs.s3.sse", [](S3Options& o) { o.sse = "yes"; }},
      {"blobs.s3.sse_kms_key", [](S3Options& o) { o.sse_kms_key = "key"; }},
      {"blobs.s3.part_bytes", [](S3Options& o) { o.part_bytes = (5 << 20) - 1; }},
      {"blobs.s3.part_bytes", [](S3Options& o) { o.part_bytes = (5ULL << 30) + 1; }},
      {"blobs.s3.parallel_parts", [](S3Options& o) { o.parallel_parts = 0; }},
      {"blobs.s3.parallel_parts", [](S3Options& o) { o.parallel_parts = 17; }},
  };
  for (const Row& row : rows) {
    S3Options options = Options();
    row.change(options);
    auto client = S3Client::Make(options);
    ASSERT_FALSE(client) << row.words;
    EXPECT_EQ(client.error().kind, ErrorKind::kInvalid);
    EXPECT_TRUE(client.error().message.contains(row.words)) << client.error().message;
  }
}

}  // namespace
}  // namespace koya::s3
