#include "blobs/s3/request.h"

#include <gtest/gtest.h>

#include <string>

#include "base/encoding.h"
#include "base/sha256.h"

namespace koya::s3 {
namespace {

TEST(S3AddressTest, StandsInUrlsAsTheStoreWantsIt) {
  struct Row {
    AddressText text;
    std::string origin;
    std::string path;  // of the object "a/b"
    std::string bucket_path;
  };
  const Row rows[] = {
      {{"s3://koya", "", "", {}}, "https://koya.s3.us-east-1.amazonaws.com", "/a/b", "/"},
      {{"s3://koya/", "", "eu-central-1", {}},
       "https://koya.s3.eu-central-1.amazonaws.com",
       "/a/b",
       "/"},
      {{"s3://koya/p/q", "", "cn-north-1", {}},
       "https://koya.s3.cn-north-1.amazonaws.com.cn",
       "/p/q/a/b",
       "/"},
      {{"s3://my.koya/p/", "", "", {}},
       "https://s3.us-east-1.amazonaws.com",
       "/my.koya/p/a/b",
       "/my.koya"},
      {{"s3://koya", "", "", true}, "https://s3.us-east-1.amazonaws.com", "/koya/a/b", "/koya"},
      {{"s3://koya/p", "http://10.0.0.1:7480", "", {}},
       "http://10.0.0.1:7480",
       "/koya/p/a/b",
       "/koya"},
      {{"s3://koya", "https://minio.test:443/", "", {}},
       "https://minio.test",
       "/koya/a/b",
       "/koya"},
      {{"s3://koya", "https://r2.test", "auto", false}, "https://koya.r2.test", "/a/b", "/"},
      {{"s3://koya", "http://[::1]:9000", "", {}}, "http://[::1]:9000", "/koya/a/b", "/koya"},
  };
  for (const Row& row : rows) {
    auto address = Address::Parse(row.text);
    ASSERT_TRUE(address) << row.text.url << ": " << address.error().message;
    EXPECT_EQ(address->Origin(), row.origin);
    EXPECT_EQ(address->PathOf("a/b"), row.path);
    EXPECT_EQ(address->BucketPath(), row.bucket_path);
  }
}

TEST(S3AddressTest, RefusesWhatNoStoreHasAndNamesTheSetting) {
  struct Row {
    AddressText text;
    std::string words;
  };
  const Row rows[] = {
      {{"folder", "", "", {}}, "blobs.url"},
      {{"s3://", "", "", {}}, "3 to 63"},
      {{"s3://ab", "", "", {}}, "3 to 63"},
      {{"s3://" + std::string(64, 'a'), "", "", {}}, "3 to 63"},
      {{"s3://Koya", "", "", {}}, "lower-case"},
      {{"s3://ko_ya", "", "", {}}, "lower-case"},
      {{"s3://-koya", "", "", {}}, "begins and ends"},
      {{"s3://koya.", "", "", {}}, "begins and ends"},
      {{"s3://ko..ya", "", "", {}}, "two dots"},
      {{"s3://10.0.0.1", "", "", {}}, "IP address"},
      {{"s3://key:secret@koya", "", "", {}}, "lower-case"},
      {{"s3://koya//p", "", "", {}}, "empty"},
      {{"s3://koya/p//q", "", "", {}}, "empty"},
      {{"s3://koya/p//", "", "", {}}, "empty"},
      {{"s3://koya/../p", "", "", {}}, ".."},
      {{"s3://koya/p q", "", "", {}}, "characters other"},
      {{"s3://koya/p?x=y", "", "", {}}, "characters other"},
      {{"s3://koya/" + std::string(513, 'a'), "", "", {}}, "512"},
      {{"s3://koya", "minio:9000", "", {}}, "blobs.s3.endpoint"},
      {{"s3://koya", "ftp://minio", "", {}}, "https://"},
      {{"s3://koya", "https://u:secret@minio", "", {}}, "blobs.s3.access_key_file"},
      {{"s3://koya", "https://minio/koya", "", {}}, "blobs.url"},
      {{"s3://koya", "https://minio/?x", "", {}}, "blobs.url"},
      {{"s3://koya", "", "eu central", {}}, "blobs.s3.region"},
      {{"s3://koya", "", "evil.test/", {}}, "blobs.s3.region"},
  };
  for (const Row& row : rows) {
    auto address = Address::Parse(row.text);
    ASSERT_FALSE(address) << row.text.url;
    EXPECT_EQ(address.error().kind, ErrorKind::kInvalid);
    EXPECT_TRUE(address.error().message.contains(row.words)) << address.error().message;
    EXPECT_FALSE(address.error().message.contains("secret")) << address.error().message;
  }
}

TEST(S3AddressTest, NamesAreBelowThePrefix) {
  auto address = Address::Parse({"s3://koya/p", "", "", {}});
  ASSERT_TRUE(address);
  EXPECT_EQ(address->KeyOf("sha256/ab"), "p/sha256/ab");
  EXPECT_EQ(address->NameOf("p/sha256/ab"), "sha256/ab");
  EXPECT_EQ(address->NameOf("pp/sha256/ab"), std::nullopt);
  EXPECT_EQ(address->NameOf("p"), std::nullopt);
  EXPECT_EQ(address->ToString(), "s3://koya/p");
  EXPECT_EQ(address->PathOf("a b/c+d%"), "/p/a%20b/c%2Bd%25");
}

// The worked examples of the Amazon S3 API Reference: "Authenticating Requests: Using the
// Authorization Header (…) in a Single Chunk" and "… Using Query Parameters".
constexpr UnixSeconds kExampleTime = 1'369'353'600;  // 2013-05-24T00:00:00Z

SigningKey ExampleKey() {
  return {.credentials = {.access_key = "AKIAIOSFODNN7EXAMPLE",
                          .secret_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"},
          .region = "us-east-1",
          .now = kExampleTime};
}

constexpr const char* kExampleHost = "examplebucket.s3.amazonaws.com";

std::string SignatureOf(const std::string& authorization) {
  return authorization.substr(authorization.find("Signature=") + 10);
}

TEST(S3SignerTest, SignsAsTheReferenceDoes) {
  struct Row {
    Signed request;
    std::string signature;
  };
  const std::string date = SigningTime(kExampleTime);
  const std::string empty(kEmptyPayload);
  const std::string welcome = HexEncode(Sha256("Welcome to Amazon S3."));
  const Row rows[] = {
      {{"GET",
        kExampleHost,
        "/test.txt",
        {},
        {{"range", "bytes=0-9"}, {"x-amz-content-sha256", empty}, {"x-amz-date", date}},
        empty},
       "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
      {{"PUT",
        kExampleHost,
        "/test%24file.text",
        {},
        {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
         {"x-amz-content-sha256", welcome},
         {"x-amz-date", date},
         {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
        welcome},
       "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"},
      {{"GET",
        kExampleHost,
        "/",
        {{"lifecycle", ""}},
        {{"x-amz-content-sha256", empty}, {"x-amz-date", date}},
        empty},
       "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
      {{"GET",
        kExampleHost,
        "/",
        {{"prefix", "J"}, {"max-keys", "2"}},
        {{"x-amz-date", date}, {"x-amz-content-sha256", empty}},
        empty},
       "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(SignatureOf(Authorization(ExampleKey(), row.request)), row.signature)
        << row.request.method << row.request.path;
  }
}

TEST(S3SignerTest, PresignsAsTheReferenceDoes) {
  EXPECT_EQ(PresignedQuery(ExampleKey(), kExampleHost, "/test.txt", std::chrono::seconds(86'400)),
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2F"
            "us-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&"
            "X-Amz-SignedHeaders=host&X-Amz-Signature="
            "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
}

TEST(S3SignerTest, APresignedUrlIsNotGoodForLongerThanItsCredentials) {
  SigningKey key = ExampleKey();
  key.credentials.expires = kExampleTime + 100;
  key.credentials.session_token = "a+b/c=";
  std::string query = PresignedQuery(key, kExampleHost, "/x", std::chrono::seconds(300));
  EXPECT_TRUE(query.contains("X-Amz-Expires=100&")) << query;
  EXPECT_TRUE(query.contains("X-Amz-Security-Token=a%2Bb%2Fc%3D&")) << query;
  key.credentials.expires = kExampleTime - 5;
  query = PresignedQuery(key, kExampleHost, "/x", std::chrono::seconds(300));
  EXPECT_TRUE(query.contains("X-Amz-Expires=1&")) << query;
  key.credentials.expires = 0;
  query = PresignedQuery(key, kExampleHost, "/x", std::chrono::days(30));
  EXPECT_TRUE(query.contains("X-Amz-Expires=604800&")) << query;
}

TEST(S3SignerTest, EncodesTheQueryThenSortsIt) {
  EXPECT_EQ(CanonicalQuery({}), "");
  EXPECT_EQ(CanonicalQuery({{"uploads", ""}}), "uploads=");
  EXPECT_EQ(CanonicalQuery({{"uploadId", "2~a+b/c="}, {"partNumber", "10"}}),
            "partNumber=10&uploadId=2~a%2Bb%2Fc%3D");
  // '~' stays and sorts behind '%': sorting before encoding would have it the other way round.
  EXPECT_EQ(CanonicalQuery({{"a", "~"}, {"a", "\x7f"}}), "a=%7F&a=~");
  EXPECT_EQ(CanonicalQuery({{"B", "1"}, {"a", "1"}}), "B=1&a=1");
}

TEST(S3SignerTest, ASessionsTokenIsSigned) {
  SigningKey key = ExampleKey();
  key.credentials.session_token = "token";
  Signed request{"GET", kExampleHost, "/", {}, {}, std::string(kEmptyPayload)};
  Pairs fields = SignedFields(key, request);
  ASSERT_EQ(fields.size(), 4u);
  EXPECT_EQ(fields[2], (std::pair<std::string, std::string>("x-amz-security-token", "token")));
  EXPECT_TRUE(fields[3].second.contains(
      "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,"))
      << fields[3].second;
}

}  // namespace
}  // namespace koya::s3
