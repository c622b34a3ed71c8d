#include "blobs/s3/address.h"

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace koya::s3
