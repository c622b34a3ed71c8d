#include "web/modules/version_forms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "web/common/html_page_fake.h"
#include "web/sample_pages_fake.h"

namespace koya::web {
namespace {

VersionName VpcVersion() {
  return {.is_module = true, .ns = "acme", .address = "acme/vpc/aws", .version = "1.0.0"};
}
VersionName DemoVersion() {
  return {.is_module = false, .ns = "acme", .address = "acme/demo", .version = "2.0.0+b.1"};
}

HtmlElement InputCalled(const HtmlPage& page, std::string_view name) {
  for (const HtmlElement& input : page.All("input")) {
    if (input.Value("name") == name) return input;
  }
  return {};
}

bool LeadsTo(const HtmlPage& page, std::string_view place) {
  const auto links = page.All("a");
  return std::ranges::any_of(
      links, [place](const HtmlElement& link) { return link.Value("href") == place; });
}

// The forms of header and footer are there, too.
std::size_t FormsSentTo(const HtmlPage& page, std::string_view place) {
  const auto forms = page.All("form");
  return static_cast<std::size_t>(std::ranges::count_if(
      forms, [place](const HtmlElement& form) { return form.Value("action") == place; }));
}

HtmlPage ReadDeprecate(const DeprecatePage& page) {
  return ReadHtml(RenderDeprecate(SampleFrame(Language::kEnglish), page));
}
HtmlPage ReadWithdraw(const WithdrawPage& page) {
  return ReadHtml(RenderWithdraw(SampleFrame(Language::kEnglish), page));
}

TEST(VersionFormsTest, ArePathsOfTheirVersion) {
  EXPECT_EQ(VersionFormPath(VpcVersion(), "withdraw"), "/modules/acme/vpc/aws/1.0.0/withdraw");
  EXPECT_EQ(VersionFormPath(VpcVersion()), "/modules/acme/vpc/aws/1.0.0");
  EXPECT_EQ(VersionListPath(VpcVersion()), "/modules/acme/vpc/aws/latest/versions");
  EXPECT_EQ(VersionFormPath(DemoVersion(), "deprecate"),
            "/providers/acme/demo/2.0.0%2Bb.1/deprecate");
  EXPECT_EQ(VersionListPath(DemoVersion()), "/providers/acme/demo/versions");
}

TEST(VersionFormsTest, AWarningIsGivenWithOneForm) {
  const HtmlPage read = ReadDeprecate({.name = VpcVersion(), .current = {}, .message = {}});
  EXPECT_EQ(FormsSentTo(read, "/modules/acme/vpc/aws/1.0.0/deprecate"), 1U);
  EXPECT_TRUE(InputCalled(read, "message").Has("required"));
  EXPECT_EQ(InputCalled(read, "undo").name, "");
  EXPECT_TRUE(read.text.contains("koya deprecate acme/vpc/aws 1.0.0 --message \"…\""));
  EXPECT_TRUE(LeadsTo(read, "/modules/acme/vpc/aws/latest/versions"));
}

TEST(VersionFormsTest, AWarningThatIsThereCanBeChangedAndTakenBack) {
  const HtmlPage read = ReadDeprecate({.name = DemoVersion(),
                                       .current = "loses tags; use 2.0.1",
                                       .message = "loses tags; use 2.0.1"});
  EXPECT_EQ(FormsSentTo(read, "/providers/acme/demo/2.0.0%2Bb.1/deprecate"), 2U);
  EXPECT_EQ(InputCalled(read, "message").Value("value"), "loses tags; use 2.0.1");
  EXPECT_EQ(InputCalled(read, "undo").Value("value"), "yes");
  EXPECT_TRUE(read.text.contains("--message 'loses tags; use 2.0.1'")) << "as a shell reads it";
  EXPECT_TRUE(read.text.contains("koya deprecate acme/demo 2.0.0+b.1 --undo"));
}

TEST(VersionFormsTest, AWithdrawalAsksForReasonAndVersion) {
  const HtmlPage read = ReadWithdraw({.name = VpcVersion()});
  EXPECT_EQ(FormsSentTo(read, "/modules/acme/vpc/aws/1.0.0/withdraw"), 1U);
  EXPECT_TRUE(InputCalled(read, "reason").Has("required"));
  EXPECT_TRUE(InputCalled(read, "typed").Has("required"));
  for (std::string_view told :
       {"Type 1.0.0 to confirm", "can restore it", "Fetched 0 times in the last 30 days",
        "No module that you can see depends on it",
        "koya withdraw acme/vpc/aws 1.0.0 --reason \"…\""}) {
    EXPECT_TRUE(read.text.contains(told)) << told;
  }
  EXPECT_FALSE(read.text.contains("This is the only version"));
  EXPECT_FALSE(read.text.contains("Unknown:"));
  EXPECT_TRUE(LeadsTo(read, "/modules/acme/vpc/aws/1.0.0/deprecate"));
}

TEST(VersionFormsTest, AWithdrawalTellsWhoBreaks) {
  WithdrawPage page{.name = VpcVersion(), .is_only = true};
  page.fetches = 1204;
  page.all_fetches = 2000;
  page.consumers = 2;
  page.names = {"payments"};
  page.more_names = 1;
  page.callers = {{"acme/app/aws", "3.0.0", "1.0.0", ""},
                  {"acme/lake/aws", "2.0.0", "~> 1.0", "1.1.0"}};
  page.more_callers = true;
  page.unknown = 1200;
  const HtmlPage read = ReadWithdraw(page);
  for (std::string_view told :
       {"Fetched 1,204 times", "This is the only version", "payments", "Not shown: 1.",
        "acme/app/aws", "breaks", "uses 1.1.0", "There may be more",
        "Unknown: 1,200 calls whose source or version is an expression."}) {
    EXPECT_TRUE(read.text.contains(told)) << told;
  }
  EXPECT_TRUE(LeadsTo(read, "/modules/acme/app/aws"));
  page.is_counted = false;
  EXPECT_TRUE(ReadWithdraw(page).text.contains("does not count"));
}

TEST(VersionFormsTest, WhatIsWrongStandsBesideItsFieldAndWhatWasTypedStays) {
  WithdrawPage page{.name = VpcVersion()};
  page.reason = "leaks keys";
  page.typed = "1.0.1";
  page.errors.Add("typed", "version_wrong");
  const HtmlPage read = ReadWithdraw(page);
  EXPECT_EQ(InputCalled(read, "reason").Value("value"), "leaks keys");
  EXPECT_FALSE(InputCalled(read, "reason").Has("aria-invalid"));
  EXPECT_EQ(InputCalled(read, "typed").Value("value"), "1.0.1");
  EXPECT_EQ(InputCalled(read, "typed").Value("aria-describedby"), "typed_problem");
  EXPECT_TRUE(LeadsTo(read, "#typed"));
}

}  // namespace
}  // namespace koya::web
