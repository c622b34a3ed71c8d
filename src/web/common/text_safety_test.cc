#include "web/common/text_safety.h"

#include <gtest/gtest.h>

namespace koya::web {
namespace {

struct TextRow {
  std::string_view given;
  std::string_view expected;
};

TEST(ShownTextTest, KeepsTextAndReplacesWhatIsNone) {
  for (const TextRow& row : {
           TextRow{"", ""},
           TextRow{"plain <b>&\"'", "plain <b>&\"'"},
           TextRow{"雲ワークス 🍢", "雲ワークス 🍢"},
           TextRow{"a\n\tb", "a\n\tb"},
           TextRow{"a\rb\x01\x1b\x7f", "a\uFFFDb\uFFFD\uFFFD\uFFFD"},
           TextRow{"\xC2\x85\xC2\xA0", "\uFFFD\u00A0"},
           TextRow{"\xFFz\xC3", "\uFFFDz\uFFFD"},
           TextRow{"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},
           TextRow{"\u202Ea\u202C", "\u202Ea\u202C"},
           TextRow{"\u2068a\u2069b", "\u2068a\u2069b"},
           TextRow{"a\u2069b\u2066c\u2069\u2069", "ab\u2066c\u2069"},
           TextRow{"a\u2029b", "ab"},
       }) {
    EXPECT_EQ(ShownText(row.given), row.expected);
  }
  EXPECT_EQ(ShownText(std::string_view("\0x", 2)), "\uFFFDx");
}

TEST(TitleTextTest, IsOneLineWithoutDirectionControls) {
  for (const TextRow& row : {
           TextRow{"koya", "koya"},
           TextRow{"\u061C\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069x",
                   "x"},
           TextRow{"a\n\tb", "a  b"},
           TextRow{"a\u200Bb\u200D", "a\u200Bb\u200D"},
       }) {
    EXPECT_EQ(TitleText(row.given), row.expected);
  }
}

TEST(LocalPathTest, TakesPlacesOnThisServer) {
  for (std::string_view path : {"/", "/login?to=%2F", "/a/b;c@d:e?x=1&y=[2]#z", "/-/mirror/",
                                "/a//b", "/%E9%9B%B2", "/%09/evil.example", "/..//evil.example"}) {
    EXPECT_EQ(LocalPath(path), path);
  }
}

TEST(LocalPathTest, RefusesOthers) {
  for (std::string_view path : {"",
                                "a",
                                "//evil.example",
                                "///evil.example",
                                "/\\evil.example",
                                "\\\\evil.example",
                                "https://evil.example/",
                                "javascript:alert(1)",
                                " /a",
                                "/ a",
                                "/\ta",
                                "/\n/evil.example",
                                "/a\"b",
                                "/a'b",
                                "/a<b",
                                "/a>b",
                                "/雲",
                                "/\x7f",
                                "?x",
                                "#x",
                                "/a\\b"}) {
    EXPECT_EQ(LocalPath(path), "/") << path;
  }
  EXPECT_EQ(LocalPath(std::string_view("/\0a", 3)), "/");
}

TEST(LocalPathTest, ChangesLanguageOnly) {
  struct Row {
    std::string_view path;
    std::string_view without;
    std::string_view in_japanese;
  };
  for (const Row& row : {
           Row{"/", "/", "/?lang=ja"},
           Row{"/?lang=en", "/", "/?lang=ja"},
           Row{"/s?q=a&lang=zh&p=2", "/s?q=a&p=2", "/s?q=a&p=2&lang=ja"},
           Row{"/s?lang=zh&lang=en&q", "/s?q", "/s?q&lang=ja"},
           Row{"/s?language=x#top", "/s?language=x", "/s?language=x&lang=ja"},
           Row{"/s?lang&q=%26lang%3Dx", "/s?q=%26lang%3Dx", "/s?q=%26lang%3Dx&lang=ja"},
           Row{"/s?", "/s", "/s?lang=ja"},
           Row{"/s?&", "/s", "/s?lang=ja"},
           Row{"/s?&&a&&b&", "/s?a&b", "/s?a&b&lang=ja"},
           Row{"//evil.example", "/", "/?lang=ja"},
       }) {
    EXPECT_EQ(PathWithoutLanguage(row.path), row.without);
    EXPECT_EQ(PathInLanguage(row.path, Language::kJapanese), row.in_japanese);
  }
}

TEST(LocalPathTest, SignInLeadsBack) {
  EXPECT_EQ(SignInPath("/"), "/login");
  EXPECT_EQ(SignInPath("/modules/a/b/c"), "/login?to=/modules/a/b/c");
  EXPECT_EQ(SignInPath("/search?q=a%20b&lang=ja"), "/login?to=/search%3Fq%3Da%2520b");
  EXPECT_EQ(SignInPath("//evil.example"), "/login");
}

}  // namespace
}  // namespace koya::web
