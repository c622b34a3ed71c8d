#include "web/common/language.h"

#include <gtest/gtest.h>

#include "domain/account_record.h"
#include "web/common/page_frame.h"

namespace koya::web {
namespace {

struct WishRow {
  LanguagePreferences wishes;
  Language expected;
};

constexpr Language kEn = Language::kEnglish, kJa = Language::kJapanese, kZh = Language::kChinese;

TEST(LanguageTest, QueryThenCookieThenAccountThenBrowser) {
  for (const WishRow& row : {
           WishRow{{"ja", "zh", "en", "en"}, kJa},
           WishRow{{"", "zh", "ja", "en"}, kZh},
           WishRow{{"", "", "ja", "zh"}, kJa},
           WishRow{{"", "", "", "zh"}, kZh},
           WishRow{{"", "", "", ""}, kEn},
           WishRow{{"de", "zh", "", ""}, kZh},
           WishRow{{"JA", "", "", "zh"}, kZh},
           WishRow{{"ja-JP", "", "", ""}, kEn},
           WishRow{{"<script>", "\xff", "../..", "xx"}, kEn},
       }) {
    EXPECT_EQ(ChooseLanguage(row.wishes), row.expected)
        << row.wishes.query << " " << row.wishes.cookie;
  }
}

struct AcceptRow {
  std::string_view accept;
  Language expected;
};

class AcceptLanguageTest : public testing::TestWithParam<AcceptRow> {};

TEST_P(AcceptLanguageTest, ChoosesTheBest) {
  LanguagePreferences wishes;
  wishes.accept = GetParam().accept;
  EXPECT_EQ(ChooseLanguage(wishes), GetParam().expected) << wishes.accept;
}

INSTANTIATE_TEST_SUITE_P(
    Good, AcceptLanguageTest,
    testing::Values(AcceptRow{"ja", kJa}, AcceptRow{"ja-JP,en;q=0.5", kJa},
                    AcceptRow{"zh-CN,zh;q=0.9,en;q=0.8", kZh}, AcceptRow{"zh-Hant-TW", kZh},
                    AcceptRow{"JA-jp", kJa}, AcceptRow{"en;q=0.5, ja;q=0.7", kJa},
                    AcceptRow{"en;q=0.5, ja;q=0.7, zh;q=0.701", kZh},
                    AcceptRow{"de, fr;q=0.9, ja;q=0.1", kJa}, AcceptRow{"ja, zh", kJa},
                    AcceptRow{"zh, ja", kZh}, AcceptRow{"zh, en", kZh}, AcceptRow{"en, zh", kEn},
                    AcceptRow{"*", kEn}, AcceptRow{"de, *;q=0.1", kEn}, AcceptRow{"en;q=0, *", kJa},
                    AcceptRow{"*, en;q=0, ja;q=0", kZh},
                    AcceptRow{"ja;q=0, *;q=0.5, zh;q=0.4", kEn}, AcceptRow{"ja;q=0,zh;q=0", kEn},
                    AcceptRow{"zh;q=1.000", kZh}, AcceptRow{" ja ; q=1 ", kJa},
                    AcceptRow{"ja;q=0.3, ja-JP;q=0.9, zh;q=0.5", kJa},
                    AcceptRow{"ja ;Q=0.9,\ten;q=0.8", kJa}));

INSTANTIATE_TEST_SUITE_P(Bad, AcceptLanguageTest,
                         testing::Values(AcceptRow{"", kEn}, AcceptRow{",,,", kEn},
                                         AcceptRow{";q=1", kEn}, AcceptRow{"de", kEn},
                                         AcceptRow{"ja;q=2", kEn}, AcceptRow{"ja;q=-1", kEn},
                                         AcceptRow{"ja;q=1.001", kEn}, AcceptRow{"ja;q=", kEn},
                                         AcceptRow{"ja;q=0.1234", kEn}, AcceptRow{"ja;q=x", kEn},
                                         AcceptRow{"ja;level=1", kEn}, AcceptRow{"ja;q=1e3", kEn},
                                         AcceptRow{"ja;q=1;q", kEn}, AcceptRow{"jazz", kEn},
                                         AcceptRow{"-ja", kEn}, AcceptRow{"\xff\xfe", kEn},
                                         AcceptRow{"ja;q=x, zh;q=0.1", kZh},
                                         AcceptRow{"ja;q=.5", kEn}, AcceptRow{"ja q=1", kEn}));

TEST(LanguageTest, AccountsHaveThoseThatPagesAreIn) {
  ASSERT_EQ(kAccountLanguages.size(), kLanguages.size());
  for (std::size_t i = 0; i < kLanguages.size(); ++i) {
    EXPECT_EQ(kAccountLanguages[i], LanguageCode(kLanguages[i]));
  }
}

TEST(LanguageTest, TagsAreThoseOfHtml) {
  EXPECT_EQ(LanguageTag(kEn), "en");
  EXPECT_EQ(LanguageTag(kJa), "ja");
  EXPECT_EQ(LanguageTag(kZh), "zh-Hans");
}

TEST(ThemeTest, IsAutoUnlessSaid) {
  EXPECT_EQ(ParseTheme("dark"), Theme::kDark);
  EXPECT_EQ(ParseTheme("light"), Theme::kLight);
  for (std::string_view other : {"auto", "", "Dark", "dark ", "\"><b>", "1"}) {
    EXPECT_EQ(ParseTheme(other), Theme::kAuto) << other;
  }
}

}  // namespace
}  // namespace koya::web
