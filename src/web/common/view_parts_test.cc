#include "web/common/view.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "web/common/page_frame.h"

namespace koya::web {
namespace {

// The texts, numbers and flags of a view, flags as "yes" and "no".
std::map<std::string, std::string> PlainFields(const View& view) {
  std::map<std::string, std::string> fields;
  for (const View::Field& field : view.fields()) {
    if (const auto* text = std::get_if<std::string>(&field.value)) fields[field.name] = *text;
    if (const auto* number = std::get_if<std::uint64_t>(&field.value)) {
      fields[field.name] = NumberText(*number);
    }
    if (const auto* flag = std::get_if<bool>(&field.value)) {
      fields[field.name] = *flag ? "yes" : "no";
    }
  }
  return fields;
}

TEST(ViewPartsTest, NumbersHaveCommas) {
  EXPECT_EQ(NumberText(0), "0");
  EXPECT_EQ(NumberText(999), "999");
  EXPECT_EQ(NumberText(1000), "1,000");
  EXPECT_EQ(NumberText(1234567), "1,234,567");
  EXPECT_EQ(NumberText(18446744073709551615U), "18,446,744,073,709,551,615");
}

TEST(ViewPartsTest, SizesAreSi) {
  EXPECT_EQ(SizeText(0), "0 B");
  EXPECT_EQ(SizeText(999), "999 B");
  EXPECT_EQ(SizeText(1000), "1.0 kB");
  EXPECT_EQ(SizeText(9949), "9.9 kB");
  EXPECT_EQ(SizeText(9950), "10 kB");
  EXPECT_EQ(SizeText(999499), "999 kB");
  EXPECT_EQ(SizeText(999500), "1.0 MB");
  EXPECT_EQ(SizeText(48'200'000), "48 MB");
  EXPECT_EQ(SizeText(1'840'000'000'000), "1.8 TB");
  EXPECT_EQ(SizeText(18446744073709551615U), "18447 PB");
}

TEST(ViewPartsTest, StepsAreToldByTheNumbers) {
  struct Case {
    std::string_view version;
    std::string_view before;  // "": none
    ShownStep step;
  };
  for (const Case& each :
       {Case{"1.0.0", "", ShownStep::kFirst}, Case{"2.0.0", "1.9.9", ShownStep::kMajor},
        Case{"10.0.0", "9.0.0", ShownStep::kMajor}, Case{"1.10.0", "1.9.9", ShownStep::kMinor},
        Case{"0.2.0", "0.1.0", ShownStep::kMinor}, Case{"1.0.1", "1.0.0", ShownStep::kPatch},
        Case{"1.0.1+b", "1.0.0+a", ShownStep::kPatch},
        Case{"2.0.0-rc.1", "1.0.0", ShownStep::kPrerelease},
        Case{"1.0.0-rc.1", "", ShownStep::kPrerelease}}) {
    const Version version = *Version::Parse(each.version);
    std::optional<Version> before;
    if (!each.before.empty()) before = *Version::Parse(each.before);
    EXPECT_EQ(StepOf(version, before ? &*before : nullptr), each.step) << each.version;
  }
}

TEST(ViewPartsTest, MomentsSayTheirZone) {
  EXPECT_EQ(MomentText(Language::kEnglish, 1794960000 + 50520), "18 Nov 2026, 14:02 UTC");
  EXPECT_EQ(MomentText(Language::kEnglish, 1794960000 + 50529, 8), "18 Nov 2026, 14:02:09 UTC");
  EXPECT_EQ(MomentText(Language::kJapanese, 1794960000), "2026年11月18日 00:00（UTC）");
}

TEST(ViewPartsTest, WhatWasLatelyIsToldByItsAge) {
  EXPECT_EQ(AgoText(Language::kEnglish, 1000, 1120), "2 minutes ago");
  EXPECT_EQ(AgoText(Language::kChinese, 1000, 1120), "2分钟前");
  EXPECT_EQ(AgoText(Language::kEnglish, 0, 48 * 3600), "2 days ago");
  EXPECT_EQ(AgoText(Language::kEnglish, 0, 48 * 3600 + 1), "1 Jan 1970");
  EXPECT_EQ(AgoText(Language::kEnglish, 10, 0), "1 Jan 1970") << "what is to come";
}

TEST(ViewPartsTest, PathsTakeParametersAndNothingElse) {
  EXPECT_EQ(PathWith("/search", "q", "a b&c=d"), "/search?q=a%20b%26c%3Dd");
  EXPECT_EQ(PathWith("/search?q=a", "page", "2"), "/search?q=a&page=2");
  EXPECT_EQ(PathWith("//evil.example", "page", "2"), "/?page=2");
}

TEST(ViewPartsTest, PagersNameWhatComes) {
  View first;
  AddPager(first, {.offset = 0, .shown = 20, .size = 20, .total = 45}, "/search?q=a");
  auto fields = PlainFields(first);
  EXPECT_EQ(fields["has_pager"], "yes");
  EXPECT_EQ(fields["previous_path"], "");
  EXPECT_EQ(fields["next_path"], "/search?q=a&page=2");
  EXPECT_EQ(fields["next_from"] + "-" + fields["next_to"], "21-40");

  View last;
  AddPager(last, {.offset = 40, .shown = 5, .size = 20, .total = 45}, "/search?q=a");
  fields = PlainFields(last);
  EXPECT_EQ(fields["previous_path"], "/search?q=a&page=2");
  EXPECT_EQ(fields["previous_from"] + "-" + fields["previous_to"], "21-40");
  EXPECT_EQ(fields["next_path"], "");

  View second;
  AddPager(second, {.offset = 20, .shown = 20, .size = 20, .more = true}, "/modules");
  fields = PlainFields(second);
  EXPECT_EQ(fields["previous_path"], "/modules") << "the first part has no number";
  EXPECT_EQ(fields["next_from"] + "-" + fields["next_to"], "41-60");

  View only;
  AddPager(only, {.offset = 0, .shown = 3, .size = 20, .total = 3}, "/modules");
  EXPECT_EQ(PlainFields(only)["has_pager"], "no");
}

TEST(OfflineNoteTest, StandsBeforeTheContentOfAPage) {
  const std::string page = "<main id=\"main\" tabindex=\"-1\"><div class=\"wrap\">\n<h1>a</h1>";
  const std::string marked = WithOfflineNote(page, Language::kJapanese);
  EXPECT_TRUE(
      marked.contains("<div class=\"wrap\">\n<div class=\"note warn\" role=\"status\"><p>現在"));
  EXPECT_TRUE(marked.ends_with("</div>\n<h1>a</h1>"));
  EXPECT_EQ(WithOfflineNote("<h1>a</h1>", Language::kEnglish), "<h1>a</h1>");
}

}  // namespace
}  // namespace koya::web
