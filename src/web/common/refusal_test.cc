#include "web/common/refusal.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "domain/namespace_record.h"
#include "web/common/form_parts.h"
#include "web/common/html_page_fake.h"
#include "web/common/words.h"
#include "web/sample_pages_fake.h"
#include "web/site/search_page.h"

namespace koya::web {
namespace {

constexpr std::array kAllKinds{
    ErrorKind::kInvalid,     ErrorKind::kRefused,     ErrorKind::kUnauthenticated,
    ErrorKind::kForbidden,   ErrorKind::kTokenUsed,   ErrorKind::kNotFound,
    ErrorKind::kGone,        ErrorKind::kConflict,    ErrorKind::kTooLarge,
    ErrorKind::kThrottled,   ErrorKind::kTimeout,     ErrorKind::kStorageFull,
    ErrorKind::kUnavailable, ErrorKind::kBadUpstream, ErrorKind::kUpstreamTimeout,
    ErrorKind::kCorrupt,     ErrorKind::kInternal};

constexpr std::string_view kSaid = "the key is no key: send another";

TEST(RefusalTest, EveryKindHasWordsOfItsOwnInEveryLanguage) {
  // kInternal is the last: a kind that is added before it must be added above, too.
  ASSERT_EQ(kAllKinds.size(), static_cast<std::size_t>(ErrorKind::kInternal) + 1);
  for (Language language : kLanguages) {
    std::set<std::string_view> told;
    for (ErrorKind kind : kAllKinds) {
      told.insert(Word(language, fmt::format("refused.{}", ErrorKindName(kind))));
    }
    EXPECT_EQ(told.size(), kAllKinds.size()) << LanguageCode(language);
  }
}

TEST(RefusalTest, OtherLanguagesSayItFirstAndEnglishOnce) {
  const Refusal refusal{.text = std::string(kSaid), .kind = ErrorKind::kForbidden};
  const RefusalText english = RefusalTextOf(Language::kEnglish, refusal);
  EXPECT_EQ(english.told, kSaid);
  EXPECT_EQ(english.english, "");
  for (Language language : {Language::kJapanese, Language::kChinese}) {
    const RefusalText text = RefusalTextOf(language, refusal);
    EXPECT_EQ(text.told, Word(language, "refused.forbidden"));
    EXPECT_EQ(text.english, kSaid);
  }
}

TEST(RefusalTest, NothingRefusedIsNothingTold) {
  for (Language language : kLanguages) {
    const RefusalText text = RefusalTextOf(language, {});
    EXPECT_EQ(text.told, "");
    EXPECT_EQ(text.english, "");
  }
}

TEST(RefusalTest, ALimitWithWordsIsToldWithItsNumberAndOthersByTheirKind) {
  Error error{.kind = ErrorKind::kInvalid, .message = "too many", .detail = "not for readers"};
  error.limit = "fixed.search_parts";
  const RefusalText counted = RefusalTextOf(Language::kJapanese, Refusal::Of(error));
  EXPECT_TRUE(counted.told.contains("個まで指定できます")) << counted.told;
  EXPECT_FALSE(counted.told.contains("{most}")) << counted.told;
  EXPECT_EQ(counted.english, "too many");
  error.limit = "fixed.jwks_keys";
  EXPECT_EQ(RefusalTextOf(Language::kJapanese, Refusal::Of(error)).told,
            Word(Language::kJapanese, "refused.invalid"));
}

TEST(RefusalTest, EverythingTypedHasWordsOfItsOwnInEveryLanguage) {
  for (Language language : kLanguages) {
    std::set<std::string_view> told;
    for (int i = 1; i <= static_cast<int>(Typed::kVersionRemark); ++i) {
      const std::string_view name = TypedName(static_cast<Typed>(i));
      ASSERT_FALSE(name.empty()) << i;
      told.insert(Word(language, fmt::format("refused.{}", name)));
    }
    EXPECT_EQ(told.size(), static_cast<std::size_t>(Typed::kVersionRemark))
        << LanguageCode(language);
  }
}

TEST(RefusalTest, HowItIsWrittenIsToldOnlyOfWhatIsWrittenWrongly) {
  Error error{.kind = ErrorKind::kInvalid, .message = "too long", .detail = {}};
  EXPECT_EQ(RefusalTextOf(Language::kChinese, Refusal::Of(error, Typed::kPassword)).told,
            Word(Language::kChinese, "refused.password"));
  EXPECT_EQ(RefusalTextOf(Language::kEnglish, Refusal::Of(error, Typed::kPassword)).told,
            "too long");
  error.kind = ErrorKind::kForbidden;
  EXPECT_EQ(RefusalTextOf(Language::kChinese, Refusal::Of(error, Typed::kPassword)).told,
            Word(Language::kChinese, "refused.forbidden"));
}

// The numbers in the words are those of the rules.
TEST(RefusalTest, HowItIsWrittenNamesTheBoundsThatHold) {
  for (Language language : kLanguages) {
    EXPECT_TRUE(
        Word(language, "refused.namespace_title").contains(fmt::to_string(kLongestNamespaceTitle)));
    EXPECT_TRUE(Word(language, "refused.namespace_description")
                    .contains(fmt::to_string(kLongestNamespaceDescription)));
  }
}

std::size_t CountOf(std::string_view html, std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = html.find(text); at != html.npos; at = html.find(text, at + 1)) ++count;
  return count;
}

TEST(RefusalTest, FormsSayItAboveAndBesideTheField) {
  ConfirmPage page{.key = "revoke_token", .what = "ci", .action = "/a", .back = "/b"};
  page.must_type = true;
  page.errors.AddError("typed", {.text = std::string(kSaid), .kind = ErrorKind::kConflict});
  const std::string marked = fmt::format("<small lang=\"en\"><bdi>{}</bdi></small>", kSaid);
  for (Language language : kLanguages) {
    const std::string html = RenderConfirm(SampleFrame(language), page);
    const bool is_english = language == Language::kEnglish;
    EXPECT_EQ(CountOf(html, kSaid), 2U) << LanguageCode(language);
    EXPECT_EQ(CountOf(html, marked), is_english ? 0U : 2U) << LanguageCode(language);
    EXPECT_EQ(CountOf(html, Word(language, "refused.conflict")), is_english ? 0U : 2U)
        << LanguageCode(language);
  }
}

TEST(RefusalTest, QuestionsSayItInTheirBox) {
  FoundPage page;
  page.problem = {.text = std::string(kSaid), .kind = ErrorKind::kInvalid};
  const std::string marked = fmt::format("<p lang=\"en\"><small><bdi>{}</bdi></small></p>", kSaid);
  for (Language language : kLanguages) {
    const std::string html = RenderSearch(SampleFrame(language), page);
    const bool is_english = language == Language::kEnglish;
    EXPECT_EQ(CountOf(html, kSaid), 1U) << LanguageCode(language);
    EXPECT_EQ(CountOf(html, marked), is_english ? 0U : 1U) << LanguageCode(language);
    EXPECT_EQ(CountOf(html, Word(language, "refused.invalid")), is_english ? 0U : 1U)
        << LanguageCode(language);
  }
}

}  // namespace
}  // namespace koya::web
