#include "blobs/s3/signer.h"

#include <gtest/gtest.h>

#include <string>

#include "base/hex.h"

namespace koya::s3 {
namespace {

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
