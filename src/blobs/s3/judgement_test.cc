// Which class an answer belongs to, and when it is asked again.
#include "blobs/s3/judgement.h"

#include <gtest/gtest.h>

#include <string>

#include "base/exchange_clock_fake.h"
#include "blobs/s3/retries.h"

namespace koya::s3 {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(S3JudgementTest, EachAnswerHasItsClass) {
  struct Row {
    unsigned status;
    std::string code;
    Trouble trouble;
  };
  const Row rows[] = {
      {200, "", Trouble::kNone},
      {204, "", Trouble::kNone},
      {206, "", Trouble::kNone},
      {301, "PermanentRedirect", Trouble::kFinal},
      {307, "TemporaryRedirect", Trouble::kFinal},
      {400, "ExpiredToken", Trouble::kExpired},
      {400, "TokenRefreshRequired", Trouble::kExpired},
      {400, "RequestTimeout", Trouble::kLater},
      {400, "BadDigest", Trouble::kLater},
      {400, "XAmzContentSHA256Mismatch", Trouble::kLater},
      {400, "IncompleteBody", Trouble::kLater},
      {400, "AuthorizationHeaderMalformed", Trouble::kFinal},
      {400, "InvalidArgument", Trouble::kFinal},
      {400, "", Trouble::kFinal},
      {403, "AccessDenied", Trouble::kFinal},
      {403, "SignatureDoesNotMatch", Trouble::kFinal},
      {403, "InvalidAccessKeyId", Trouble::kFinal},
      {403, "RequestTimeTooSkewed", Trouble::kSkewed},
      {403, "QuotaExceeded", Trouble::kFull},
      {404, "NoSuchKey", Trouble::kMissing},
      {404, "NotFound", Trouble::kMissing},
      {404, "", Trouble::kMissing},
      {404, "NoSuchBucket", Trouble::kFinal},
      {404, "NoSuchUpload", Trouble::kMissingUpload},
      {405, "MethodNotAllowed", Trouble::kFinal},
      {408, "", Trouble::kLater},
      {409, "OperationAborted", Trouble::kLater},
      {409, "BucketAlreadyExists", Trouble::kFinal},
      {411, "MissingContentLength", Trouble::kFinal},
      {412, "PreconditionFailed", Trouble::kFinal},
      {416, "InvalidRange", Trouble::kFinal},
      {429, "", Trouble::kLater},
      {500, "InternalError", Trouble::kLater},
      {501, "NotImplemented", Trouble::kFinal},
      {502, "", Trouble::kLater},
      {503, "SlowDown", Trouble::kLater},
      {504, "", Trouble::kLater},
      {507, "", Trouble::kFull},
      {507, "XMinioStorageFull", Trouble::kFull},
  };
  for (const Row& row : rows) {
    http::ClientResponse answer{.status = row.status};
    EXPECT_EQ(NameOf(Judge(answer, {.code = row.code}, false, 0)), NameOf(row.trouble))
        << row.status << " " << row.code;
  }
}

TEST(S3JudgementTest, AHeadsRefusalIsJudgedByItsDate) {
  constexpr UnixSeconds kNow = 1'369'353'600;
  http::ClientResponse answer{.status = 403, .fields = {{"Date", "Fri, 24 May 2013 00:00:00 GMT"}}};
  EXPECT_EQ(Judge(answer, {}, true, kNow), Trouble::kFinal);
  EXPECT_EQ(Judge(answer, {}, true, kNow + 290), Trouble::kFinal);
  EXPECT_EQ(Judge(answer, {}, true, kNow + 310), Trouble::kSkewed);
  EXPECT_EQ(Judge(answer, {}, true, kNow - 310), Trouble::kSkewed);
  EXPECT_EQ(Judge(answer, {}, false, kNow - 310), Trouble::kFinal);
  answer.fields.clear();
  EXPECT_EQ(Judge(answer, {}, true, kNow), Trouble::kFinal);
  answer.status = 400;
  EXPECT_EQ(Judge(answer, {}, true, kNow), Trouble::kExpired);
}

TEST(S3RetriesTest, WaitsLongerEachTimeUpToFiveTries) {
  RetryBudget budget;
  FakeExchangeClock clock;  // whose chance is 0
  Retries retries(budget, clock, seconds(8), false);
  for (int wait : {50, 100, 200, 400}) {
    EXPECT_EQ(retries.Next(Trouble::kLater, {}), milliseconds(wait));
  }
  EXPECT_EQ(retries.Next(Trouble::kLater, {}), std::nullopt);
  retries.Progressed();
  EXPECT_EQ(retries.Next(Trouble::kLater, {}), milliseconds(50));
}

TEST(S3RetriesTest, EndsWhenThePatienceWouldBeOver) {
  RetryBudget budget;
  FakeExchangeClock clock;
  Retries retries(budget, clock, seconds(8), false);
  EXPECT_EQ(retries.Left(), seconds(8));
  EXPECT_EQ(retries.Next(Trouble::kLater, seconds(8)), seconds(8));
  EXPECT_EQ(retries.Next(Trouble::kLater, seconds(9)), std::nullopt);
  clock.Advance(seconds(7) + milliseconds(950));
  EXPECT_EQ(retries.Left(), seconds(1));
  EXPECT_EQ(retries.Next(Trouble::kLater, {}), std::nullopt);
  // What takes long when it goes well has its time from its first failure on.
  Retries upload(budget, clock, seconds(8), true);
  clock.Advance(seconds(100));
  EXPECT_EQ(upload.Next(Trouble::kLater, {}), milliseconds(50));
  clock.Advance(seconds(8));
  EXPECT_EQ(upload.Next(Trouble::kLater, {}), std::nullopt);
}

TEST(S3RetriesTest, WhatIsMendedIsTriedOnceEach) {
  RetryBudget budget;
  FakeExchangeClock clock;
  Retries retries(budget, clock, seconds(8), false);
  EXPECT_EQ(retries.Next(Trouble::kSkewed, {}), milliseconds(0));
  EXPECT_EQ(retries.Next(Trouble::kExpired, {}), milliseconds(0));
  EXPECT_EQ(retries.Next(Trouble::kSlowStart, {}), milliseconds(0));
  EXPECT_EQ(retries.Next(Trouble::kSkewed, {}), std::nullopt);
  EXPECT_EQ(retries.Next(Trouble::kExpired, {}), std::nullopt);
  // A slow start after that is like any other trouble.
  EXPECT_EQ(retries.Next(Trouble::kSlowStart, {}), std::nullopt);
  for (Trouble final : {Trouble::kFinal, Trouble::kFull, Trouble::kMissing, Trouble::kMissingUpload,
                        Trouble::kGivenUp}) {
    EXPECT_EQ(Retries(budget, clock, seconds(8), false).Next(final, {}), std::nullopt);
  }
}

TEST(S3RetriesTest, TheBudgetIsForEverybody) {
  RetryBudget budget;
  for (double i = 0; i < RetryBudget::kMost; ++i) EXPECT_TRUE(budget.Take());
  EXPECT_FALSE(budget.Take());
  FakeExchangeClock clock;
  Retries retries(budget, clock, seconds(8), false);
  EXPECT_EQ(retries.Next(Trouble::kLater, {}), std::nullopt);
  for (int i = 0; i < 11; ++i) budget.Succeeded();
  EXPECT_EQ(Retries(budget, clock, seconds(8), false).Next(Trouble::kLater, {}), milliseconds(50));
  for (int i = 0; i < 1000; ++i) budget.Succeeded();
  EXPECT_EQ(budget.left(), RetryBudget::kMost);
}

}  // namespace
}  // namespace koya::s3
