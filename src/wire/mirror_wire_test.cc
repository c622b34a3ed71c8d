#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "wire/mirror.h"

namespace koya::wire {
namespace {

TEST(MirrorDocuments, SurviveEncodingAndDecoding) {
  std::vector<std::string> versions{"1.0.0", "2.0.0-rc.1+b"};
  EXPECT_EQ(DecodeMirrorIndex(EncodeMirrorIndex(versions)).value(), versions);
  MirrorVersion document{{{"linux_amd64", {"https://koya.example/x.zip", {"h1:a", "zh:b"}}},
                          {"darwin_arm64", {"y.zip", {}}}}};
  EXPECT_EQ(DecodeMirrorVersion(EncodeMirrorVersion(document)).value(), document);
  EXPECT_EQ(EncodeMirrorVersion({}), R"({"archives":{}})");
  EXPECT_EQ(EncodeMirrorIndex({"1.0.0"}), R"({"versions":{"1.0.0":{}}})");
}

TEST(MirrorDocuments, AcceptWhatClientsAccept) {
  EXPECT_EQ(DecodeMirrorIndex(R"({"versions":{"1.0.0":null,"x":{"more":1}},"other":[]})").value(),
            (std::vector<std::string>{"1.0.0", "x"}));
  EXPECT_EQ(DecodeMirrorIndex("{}").value().size(), 0U);
  EXPECT_EQ(DecodeMirrorIndex(R"({"versions":null})").value().size(), 0U);
  EXPECT_EQ(DecodeMirrorVersion("{}").value().archives.size(), 0U);
  auto bare = DecodeMirrorVersion(R"({"archives":{"linux_amd64":{"url":"a.zip","hashes":null}}})");
  EXPECT_EQ(bare.value().archives.at("linux_amd64").hashes.size(), 0U);
}

TEST(MirrorDocuments, RefuseWhatClientsCannotRead) {
  for (const char* body : {"", "[]", "null", "<html>", R"({"versions":[]})",
                           R"({"versions":{"1.0.0":"x"}})", R"({"versions":"x"})"}) {
    auto index = DecodeMirrorIndex(body);
    ASSERT_FALSE(index) << body;
    EXPECT_EQ(index.error().kind, ErrorKind::kInvalid);
  }
  for (const char* body :
       {"", "[]", R"({"archives":[]})", R"({"archives":{"linux_amd64":null}})",
        R"({"archives":{"linux_amd64":{}}})", R"({"archives":{"linux_amd64":{"url":1}}})",
        R"({"archives":{"linux_amd64":{"url":"a","hashes":"h1:x"}}})",
        R"({"archives":{"linux_amd64":{"url":"a","hashes":[1]}}})"}) {
    auto version = DecodeMirrorVersion(body);
    ASSERT_FALSE(version) << body;
    EXPECT_EQ(version.error().kind, ErrorKind::kInvalid);
  }
}

// As other documents of strangers do: 16 MiB are for those of our own.
TEST(MirrorDocuments, OfFewBytesCannotAskForMoreMemoryThanOtherForeignDocuments) {
  std::string many;
  for (int i = 0; i < 200'000; ++i) many += "0,";
  auto index = DecodeMirrorIndex("{\"versions\":{},\"x\":[" + many + "0]}");
  ASSERT_FALSE(index);
  EXPECT_EQ(index.error().limit.text(), "fixed.json_storage");
  auto version = DecodeMirrorVersion("{\"archives\":{},\"x\":[" + many + "0]}");
  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().limit.text(), "fixed.json_storage");
}

TEST(MirrorDocuments, LongListsFitTheBound) {
  std::vector<std::string> versions;
  for (int i = 0; i < 20'000; ++i) versions.push_back("5." + std::to_string(i) + ".0");
  auto read = DecodeMirrorIndex(EncodeMirrorIndex(versions));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, versions);
}

}  // namespace
}  // namespace koya::wire
