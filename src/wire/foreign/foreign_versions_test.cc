#include "wire/foreign/foreign_versions.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace koya::wire {
namespace {

TEST(ForeignVersionsTest, SkipsBadEntriesAndKeepsTheRest) {
  auto read = DecodeForeignVersions(
      R"({"id":5,"warnings":"old","versions":[{"version":"1.0.0","protocols":["5.0"],
          "platforms":[{"os":"linux","arch":"amd64"},{"os":"linux"},7]},
          null,"2.0.0",[],{},{"version":5},{"version":""},{"version":"3.0.0","protocols":"5.0"},
          {"version":"what ever","platforms":{}}]})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->skipped, 7u);
  EXPECT_EQ(read->document.id, "");
  EXPECT_TRUE(read->document.warnings.empty());
  ASSERT_EQ(read->document.versions.size(), 2u);
  EXPECT_EQ(read->document.versions[0], (ProviderVersion{"1.0.0", {"5.0"}, {{"linux", "amd64"}}}));
  EXPECT_EQ(read->document.versions[1].version, "what ever");
}

TEST(ForeignVersionsTest, ReadsAllOfAGoodList) {
  ProviderVersions document{"acme/demo", {{"1.0.0", {"6.0"}, {}}, {"2.0.0", {}, {}}}, {"old"}};
  auto read = DecodeForeignVersions(Encode(document));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->document, document);
  EXPECT_EQ(read->skipped, 0u);
  for (std::string_view body : {"{}", R"({"versions":null})", R"({"versions":[]})"}) {
    ASSERT_TRUE(DecodeForeignVersions(body)) << body;
    EXPECT_TRUE(DecodeForeignVersions(body)->document.versions.empty()) << body;
  }
}

TEST(ForeignVersionsTest, ReadsTimesAsTheyAreSpelled) {
  auto read = DecodeForeignVersions(
      R"({"versions":[{"version":"1.0.0","discovered":"2026-04-07T10:11:12Z"},
          {"version":"1.1.0","discovered":"soon"},{"version":"1.2.0","discovered":7},
          {"version":"1.3.0","discovered":["2026-04-07T10:11:12Z"]},{"version":"1.4.0"}]})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->skipped, 0u) << "a bad time costs no version";
  ASSERT_EQ(read->document.versions.size(), 5u);
  const char* const kTimes[] = {"2026-04-07T10:11:12Z", "soon", "", "", ""};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(read->document.versions[i].discovered, kTimes[i]) << i;
  }
}

TEST(ForeignVersionsTest, ReadsTheTimeAndTheSourceInDetails) {
  struct Case {
    std::string_view body, time, source;
  };
  for (const Case& each : {
           Case{R"({"id":"a/b/1.0.0","published_at":"2026-04-07T10:11:12Z","root":{"x":[]}})",
                "2026-04-07T10:11:12Z", ""},
           Case{R"({"source":"https://github.com/acme/vpc","root":{"source":"other"}})", "",
                "https://github.com/acme/vpc"},
           Case{"{}", "", ""},
           Case{R"({"published_at":null,"source":null})", "", ""},
           Case{R"({"published_at":5,"source":{"url":"x"}})", "", ""},
       }) {
    auto read = DecodeForeignDetails(each.body);
    ASSERT_TRUE(read) << each.body;
    EXPECT_EQ(read->published_at, each.time) << each.body;
    EXPECT_EQ(read->source, each.source) << each.body;
  }
  for (std::string_view body : {"", "<html>", "[]", "5", "\"2026-04-07T10:11:12Z\"", "{"}) {
    EXPECT_FALSE(DecodeForeignDetails(body)) << body;
  }
}

TEST(ForeignVersionsTest, RefusesWhatIsNoList) {
  for (std::string_view body :
       {"", "<html>", "[]", "5", R"({"versions":{}})", R"({"versions":"1.0.0"})"}) {
    auto read = DecodeForeignVersions(body);
    ASSERT_FALSE(read) << body;
    EXPECT_NE(read.error().message.find("the list of provider versions"), std::string::npos);
  }
}

// ---- what a list may cost ----

std::string Repeated(std::string_view piece, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += piece;
  return text;
}

TEST(ForeignVersionsTest, AListOfFewBytesCannotAskForHundredsOfMegabytes) {
  constexpr std::size_t kBody = 4 << 20;
  const std::string list = R"("versions":[{"version":"1.0.0","protocols":["5.0"]}])";
  // Unwanted members are skipped while parsing, whatever they hold.
  for (std::string_view piece : {"[],", "{},", "0,", R"("",)", R"({"a":[{}]},)", "[[[[[]]]]],"}) {
    std::string body = "{\"x\":[" + Repeated(piece, kBody) + "0]," + list + "}";
    auto read = DecodeForeignVersions(body);
    ASSERT_TRUE(read) << piece << read.error().message;
    EXPECT_EQ(read->document.versions.size(), 1U) << piece;
  }
  // Where it would be kept, there is a bound on memory.
  for (std::string_view piece : {"[],", "{},", "0,", R"({"version":"1"},)"}) {
    std::string body = "{\"versions\":[" + Repeated(piece, kBody) + "0]}";
    auto read = DecodeForeignVersions(body);
    ASSERT_FALSE(read) << piece;
    EXPECT_EQ(read.error().limit.text(), "fixed.json_storage") << piece;
  }
  std::string deep = "{\"x\":" + std::string(1000, '[');
  EXPECT_FALSE(DecodeForeignVersions(deep));
  EXPECT_FALSE(DecodeForeignVersions("{\"versions\":" + std::string(kBody, '[')));
}

TEST(ForeignVersionsTest, LongListsFitTheBound) {
  ProviderVersions document{"acme/demo", {}, {}};
  for (int version = 0; version < 2000; ++version) {
    ProviderVersion entry{"5." + std::to_string(version) + ".0", {"5.0", "6.0"}, {}};
    for (std::string_view os : {"linux", "darwin", "windows", "freebsd"}) {
      for (std::string_view arch : {"amd64", "arm64", "386"}) {
        entry.platforms.push_back({std::string(os), std::string(arch)});
      }
    }
    document.versions.push_back(std::move(entry));
  }
  auto read = DecodeForeignVersions(Encode(document));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->document, document);
}

TEST(ForeignVersionsTest, SkippedMembersMayBeAnywhereAndOfAnyKind) {
  auto read = DecodeForeignVersions(
      R"({"a":1,"b":null,"c":true,"d":-1.5e3,"e":"x","f":[1,[2,{"versions":[]}]],"g":{"h":{}},
          "id":"acme/demo","versions":[{"x":{"version":"9"},"version":"1.0.0","y":[],
          "protocols":["5.0"],"platforms":[{"z":0,"os":"linux","arch":"amd64"}]}],"z":[]})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->document,
            (ProviderVersions{"acme/demo", {{"1.0.0", {"5.0"}, {{"linux", "amd64"}}}}, {}}));
  for (std::string_view body : {"{}x", R"({"a":})", R"({"a":[1})", R"({"x":"\ud800"})"}) {
    EXPECT_FALSE(DecodeForeignVersions(body)) << body;
  }
}

}  // namespace
}  // namespace koya::wire
