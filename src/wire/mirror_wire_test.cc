#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "wire/mirror.h"
#include "wire/mirror_reports.h"

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

// As other foreign documents: 16 MiB are for our own ones.
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

TEST(MirrorStatusTest, ReadsBack) {
  const MirrorStatus full{.since = "2026-10-25",
                          .sent = 5,
                          .sent_bytes = 5'000'000'000,
                          .from_store = 3,
                          .from_store_bytes = 3'000'000'000,
                          .brought = 2,
                          .fetched_bytes = 2'000'000'000,
                          .let_through = 9,
                          .turned_away = 4,
                          .counted = true,
                          .versions_fetched = 7,
                          .versions_ready = 6,
                          .days = {{"2026-11-20", 1, 2, 3, 4}, {"2026-11-21", 7, 8, 9, 10}}};
  EXPECT_EQ(Decode<MirrorStatus>(Encode(full)), full);
  EXPECT_EQ(Encode<MirrorStatus>({.since = "2026-11-21", .counted = false, .days = {}}),
            R"({"since":"2026-11-21","sent":0,"sent_bytes":0,"from_store":0,"from_store_bytes":0,)"
            R"("brought":0,"brought_bytes":0,"let_through":0,"turned_away":0,"counted":false,)"
            R"("versions_fetched":0,"versions_ready":0,"days":[]})");
}

TEST(MirrorStatusTest, RefusesWhatIsNone) {
  for (const char* body :
       {"", "[]", "{}", R"({"since":"2026-11-21"})", R"({"since":1,"days":[]})",
        R"({"since":"x","days":[{"sent":1}]})", R"({"since":"x","sent":-1,"days":[]})"}) {
    EXPECT_FALSE(Decode<MirrorStatus>(body)) << body;
  }
}

}  // namespace
}  // namespace koya::wire
