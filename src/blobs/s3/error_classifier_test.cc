// Which class an answer belongs to, and when it is asked again.
#include "blobs/s3/error_classifier.h"

#include <gtest/gtest.h>

#include <string>

#include "base/manual_clock_fake.h"
#include "blobs/s3/retries.h"

namespace koya::s3 {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(S3JudgementTest, EachAnswerHasItsClass) {
  struct Row {
    unsigned status;
    std::string code;
    FailureClass trouble;
  };
  const Row rows[] = {
      {200, "", FailureClass::kNone},
      {204, "", FailureClass::kNone},
      {206, "", FailureClass::kNone},
      {301, "PermanentRedirect", FailureClass::kPermanent},
      {307, "TemporaryRedirect", FailureClass::kPermanent},
      {400, "ExpiredToken", FailureClass::kExpired},
      {400, "TokenRefreshRequired", FailureClass::kExpired},
      {400, "RequestTimeout", FailureClass::kRetryable},
      {400, "BadDigest", FailureClass::kRetryable},
      {400, "XAmzContentSHA256Mismatch", FailureClass::kRetryable},
      {400, "IncompleteBody", FailureClass::kRetryable},
      {400, "AuthorizationHeaderMalformed", FailureClass::kPermanent},
      {400, "InvalidArgument", FailureClass::kPermanent},
      {400, "", FailureClass::kPermanent},
      {403, "AccessDenied", FailureClass::kPermanent},
      {403, "SignatureDoesNotMatch", FailureClass::kPermanent},
      {403, "InvalidAccessKeyId", FailureClass::kPermanent},
      {403, "RequestTimeTooSkewed", FailureClass::kSkewed},
      {403, "QuotaExceeded", FailureClass::kFull},
      {404, "NoSuchKey", FailureClass::kMissing},
      {404, "NotFound", FailureClass::kMissing},
      {404, "", FailureClass::kMissing},
      {404, "NoSuchBucket", FailureClass::kPermanent},
      {404, "NoSuchUpload", FailureClass::kMissingUpload},
      {405, "MethodNotAllowed", FailureClass::kPermanent},
      {408, "", FailureClass::kRetryable},
      {409, "OperationAborted", FailureClass::kRetryable},
      {409, "BucketAlreadyExists", FailureClass::kPermanent},
      {411, "MissingContentLength", FailureClass::kPermanent},
      {412, "PreconditionFailed", FailureClass::kPermanent},
      {416, "InvalidRange", FailureClass::kPermanent},
      {429, "", FailureClass::kRetryable},
      {500, "InternalError", FailureClass::kRetryable},
      {501, "NotImplemented", FailureClass::kPermanent},
      {502, "", FailureClass::kRetryable},
      {503, "SlowDown", FailureClass::kRetryable},
      {504, "", FailureClass::kRetryable},
      {507, "", FailureClass::kFull},
      {507, "XMinioStorageFull", FailureClass::kFull},
  };
  for (const Row& row : rows) {
    http::ClientResponse answer{.status = row.status};
    EXPECT_EQ(NameOf(ClassifyResponse(answer, {.code = row.code}, false, 0)), NameOf(row.trouble))
        << row.status << " " << row.code;
  }
}

TEST(S3JudgementTest, AHeadsRefusalIsJudgedByItsDate) {
  constexpr UnixSeconds kNow = 1'369'353'600;
  http::ClientResponse answer{.status = 403, .fields = {{"Date", "Fri, 24 May 2013 00:00:00 GMT"}}};
  EXPECT_EQ(ClassifyResponse(answer, {}, true, kNow), FailureClass::kPermanent);
  EXPECT_EQ(ClassifyResponse(answer, {}, true, kNow + 290), FailureClass::kPermanent);
  EXPECT_EQ(ClassifyResponse(answer, {}, true, kNow + 310), FailureClass::kSkewed);
  EXPECT_EQ(ClassifyResponse(answer, {}, true, kNow - 310), FailureClass::kSkewed);
  EXPECT_EQ(ClassifyResponse(answer, {}, false, kNow - 310), FailureClass::kPermanent);
  answer.fields.clear();
  EXPECT_EQ(ClassifyResponse(answer, {}, true, kNow), FailureClass::kPermanent);
  answer.status = 400;
  EXPECT_EQ(ClassifyResponse(answer, {}, true, kNow), FailureClass::kExpired);
}

TEST(S3RetriesTest, WaitsLongerEachTimeUpToFiveTries) {
  RetryBudget budget;
  FakeExchangeClock clock;  // whose chance is 0
  Retries retries(budget, clock, seconds(8), false);
  for (int wait : {50, 100, 200, 400}) {
    EXPECT_EQ(retries.Next(FailureClass::kRetryable, {}), milliseconds(wait));
  }
  EXPECT_EQ(retries.Next(FailureClass::kRetryable, {}), std::nullopt);
  retries.Progressed();
  EXPECT_EQ(retries.Next(FailureClass::kRetryable, {}), milliseconds(50));
}

TEST(S3RetriesTest, EndsWhenThePatienceWouldBeOver) {
  RetryBudget budget;
  FakeExchangeClock clock;
  Retries retries(budget, clock, seconds(8), false);
  EXPECT_EQ(retries.Left(), seconds(8));
  EXPECT_EQ(retries.Next(FailureClass::kRetryable, seconds(8)), seconds(8));
  EXPECT_EQ(retries.Next(FailureClass::kRetryable, seconds(9)), std::nullopt);
  clock.Advance(seconds(7) + milliseconds(950));
  EXPECT_EQ(retries.Left(), seconds(1));
  EXPECT_EQ(retries.Next(FailureClass::kRetryable, {}), std::nullopt);
  // What takes long when it goes well has its time from its first failure on.
  Retries upload(budget, clock, seconds(8), true);
  clock.Advance(seconds(100));
  EXPECT_EQ(upload.Next(FailureClass::kRetryable, {}), milliseconds(50));
  clock.Advance(seconds(8));
  EXPECT_EQ(upload.Next(FailureClass::kRetryable, {}), std::nullopt);
}

TEST(S3RetriesTest, WhatIsMendedIsTriedOnceEach) {
  RetryBudget budget;
  FakeExchangeClock clock;
  Retries retries(budget, clock, seconds(8), false);
  EXPECT_EQ(retries.Next(FailureClass::kSkewed, {}), milliseconds(0));
  EXPECT_EQ(retries.Next(FailureClass::kExpired, {}), milliseconds(0));
  EXPECT_EQ(retries.Next(FailureClass::kSlowStart, {}), milliseconds(0));
  EXPECT_EQ(retries.Next(FailureClass::kSkewed, {}), std::nullopt);
  EXPECT_EQ(retries.Next(FailureClass::kExpired, {}), std::nullopt);
  // A slow start after that is like any other trouble.
  EXPECT_EQ(retries.Next(FailureClass::kSlowStart, {}), std::nullopt);
  for (FailureClass final : {FailureClass::kPermanent, FailureClass::kFull, FailureClass::kMissing,
                             FailureClass::kMissingUpload, FailureClass::kCancelled}) {
    EXPECT_EQ(Retries(budget, clock, seconds(8), false).Next(final, {}), std::nullopt);
  }
}

TEST(S3RetriesTest, TheBudgetIsForEverybody) {
  RetryBudget budget;
  for (double i = 0; i < RetryBudget::kMost; ++i) EXPECT_TRUE(budget.TakeRetry());
  EXPECT_FALSE(budget.TakeRetry());
  FakeExchangeClock clock;
  Retries retries(budget, clock, seconds(8), false);
  EXPECT_EQ(retries.Next(FailureClass::kRetryable, {}), std::nullopt);
  for (int i = 0; i < 11; ++i) budget.Succeeded();
  EXPECT_EQ(Retries(budget, clock, seconds(8), false).Next(FailureClass::kRetryable, {}),
            milliseconds(50));
  for (int i = 0; i < 1000; ++i) budget.Succeeded();
  EXPECT_EQ(budget.left(), RetryBudget::kMost);
}

}  // namespace
}  // namespace koya::s3
