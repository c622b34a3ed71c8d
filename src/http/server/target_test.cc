#include "http/server/target.h"

#include <gtest/gtest.h>

#include <string>

namespace koya::http {
namespace {

TEST(ParseTarget, TakesThePartsAndDecodesOnce) {
  struct Case {
    std::string_view text, path, query, authority;
  };
  const Case kCases[] = {
      {"/", "/", "", ""},
      {"/a/b", "/a/b", "", ""},
      {"/a/b/", "/a/b/", "", ""},
      {"/a?b=/../%2F//", "/a", "b=/../%2F//", ""},
      {"/a?", "/a", "", ""},
      {"/a?b?c", "/a", "b?c", ""},
      {"/1.0.0%2Bb", "/1.0.0+b", "", ""},
      {"/%41%c3%a4", "/A\xc3\xa4", "", ""},
      {"/%2541", "/%41", "", ""},
      {"/a%25", "/a%", "", ""},
      {"/a+b~c;d=e,f:g@h!$&'()*", "/a+b~c;d=e,f:g@h!$&'()*", "", ""},
      {"/...", "/...", "", ""},
      {"/.well-known/terraform.json", "/.well-known/terraform.json", "", ""},
      {"http://example.com/a?b", "/a", "b", "example.com"},
      {"HTTPS://example.com:8443", "/", "", "example.com:8443"},
      {"http://[::1]:80?q", "/", "q", "[::1]:80"},
  };
  for (const Case& c : kCases) {
    std::string decoded;
    auto target = ParseTarget(Method::kGet, c.text, decoded);
    ASSERT_TRUE(target) << c.text << ": " << target.error().message;
    EXPECT_EQ(target->path, c.path) << c.text;
    EXPECT_EQ(target->query, c.query) << c.text;
    EXPECT_EQ(target->authority, c.authority) << c.text;
  }
}

TEST(ParseTarget, RefusesWhatIsNotOnePlainPath) {
  const std::string_view kBad[] = {
      "a",
      "a/b",
      "*",
      "?a",
      "example.com:443",
      "//",
      "//example.com/a",
      "/a//b",
      "/a//",
      "/..",
      "/.",
      "/../a",
      "/a/..",
      "/a/../b",
      "/a/./b",
      "/%2e%2e/a",
      "/a/%2E.",
      "/a/.%2e/b",
      "/a%2Fb",
      "/a%2fb",
      "/a\\b",
      "/a%5Cb",
      "/%00",
      "/a%0Ab",
      "/a%0db",
      "/a%1f",
      "/a%7f",
      "/%",
      "/%4",
      "/a%4",
      "/%zz",
      "/%4g",
      "/%%41",
      "/a#b",
      "/a?b#c",
      "/\xc3\xa4",
      "/a?\xc3\xa4",
      "/a\x01",
      "/a?b\x7f",
      "ftp://example.com/a",
      "http:///a",
      "http://",
      "http://u@example.com/",
      "http://a%41/",
      "http:/a",
  };
  for (std::string_view text : kBad) {
    std::string decoded;
    auto target = ParseTarget(Method::kGet, text, decoded);
    ASSERT_FALSE(target) << text;
    EXPECT_EQ(target.error().status, 400u) << text;
    EXPECT_FALSE(target.error().message.empty());
  }
}

// Paths are looked at in steps of many bytes: what is wrong is found wherever it stands in them.
TEST(ParseTarget, JudgesABytesPlaceInAPathOfAnyLengthAlike) {
  const std::string_view kGood[] = {"a", "/a", "a.b", "-", "a/.well", "~"};
  const std::string_view kBad[] = {"//", "/.",  "/..",  "/./a", "#",    "\\",
                                   "%",  "%2f", "\x01", " ",    "\x7f", "\x80"};
  for (std::size_t before = 0; before < 40; ++before) {
    for (std::size_t after : {0, 1, 7, 15, 16, 17, 33}) {
      auto path = [&](std::string_view middle) {
        std::string text = "/" + std::string(before, 'x');
        text += middle;
        if (after > 0) text += "/" + std::string(after - 1, 'y');
        return text;
      };
      std::string decoded;
      for (std::string_view good : kGood) {
        if (before == 0 && good.starts_with('/')) continue;
        const std::string text = path(good);
        auto target = ParseTarget(Method::kGet, text, decoded);
        ASSERT_TRUE(target) << text;
        EXPECT_EQ(target->path, text);
        const std::string with_query = text + "?q=//";
        auto asked = ParseTarget(Method::kGet, with_query, decoded);
        ASSERT_TRUE(asked) << text;
        EXPECT_EQ(asked->path, text);
        EXPECT_EQ(asked->query, "q=//");
      }
      for (std::string_view bad : kBad) {
        EXPECT_FALSE(ParseTarget(Method::kGet, path(bad), decoded)) << path(bad);
      }
    }
  }
}

TEST(ParseTarget, TakesTheAsteriskForOptionsOnly) {
  std::string decoded;
  EXPECT_TRUE(ParseTarget(Method::kOptions, "*", decoded));
  EXPECT_FALSE(ParseTarget(Method::kGet, "*", decoded));
  EXPECT_FALSE(ParseTarget(Method::kOptions, "*a", decoded));
}

}  // namespace
}  // namespace koya::http
