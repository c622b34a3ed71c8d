#include "blobs/s3/response.h"

#include <gtest/gtest.h>

#include <string>

namespace koya::s3 {
namespace {

TEST(S3AnswersTest, ReadsErrors) {
  StoreError error = ParseStoreError(
      "<?xml version=\"1.0\"?><Error><Code>AuthorizationHeaderMalformed</Code><Message>the region "
      "'us-east-1' is wrong; expecting 'eu-west-1'</Message><Region>eu-west-1</Region>"
      "<RequestId>1</RequestId></Error>");
  EXPECT_EQ(error.code, "AuthorizationHeaderMalformed");
  EXPECT_EQ(error.region, "eu-west-1");
  EXPECT_TRUE(error.message.contains("expecting"));
  error = ParseStoreError(
      "<ErrorResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><Error><Type>Sender"
      "</Type><Code>AccessDenied</Code></Error></ErrorResponse>");
  EXPECT_EQ(error.code, "AccessDenied");
  for (const char* none : {"", "busy", "<html><body>502</body></html>", "<Error>"}) {
    EXPECT_EQ(ParseStoreError(none).code, "") << none;
  }
  error = ParseStoreError("<Error><Code>A&#10;B</Code></Error>");
  EXPECT_FALSE(error.code.contains('\n')) << error.code;
}

TEST(S3AnswersTest, ReadsUploads) {
  auto id = ParseUploadId(
      "<InitiateMultipartUploadResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Bucket>b"
      "</Bucket><Key>k</Key><UploadId>2~a/b+c=</UploadId></InitiateMultipartUploadResult>");
  ASSERT_TRUE(id);
  EXPECT_EQ(*id, "2~a/b+c=");
  auto page = ParseUploads(
      "<ListMultipartUploadsResult><IsTruncated>true</IsTruncated><NextKeyMarker>k</NextKeyMarker>"
      "<NextUploadIdMarker>2</NextUploadIdMarker><Upload><Key>k</Key><UploadId>1</UploadId></"
      "Upload>"
      "<Upload><Key>k</Key><UploadId>2</UploadId></Upload></ListMultipartUploadsResult>");
  ASSERT_TRUE(page);
  ASSERT_EQ(page->uploads.size(), 2u);
  EXPECT_EQ(page->uploads[1].upload_id, "2");
  EXPECT_TRUE(page->truncated);
  EXPECT_EQ(page->next_key, "k");
  EXPECT_EQ(page->next_upload_id, "2");
}

TEST(S3AnswersTest, FindsTheErrorInsideA200) {
  auto done = ParseCompletion(
      "<CompleteMultipartUploadResult><ETag>x</ETag>"
      "</CompleteMultipartUploadResult>");
  ASSERT_TRUE(done);
  EXPECT_EQ(done->code, "");
  auto error = ParseCompletion("<Error><Code>InternalError</Code></Error>");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, "InternalError");
}

TEST(S3AnswersTest, ReadsListings) {
  auto page = ParseListing(
      "<ListBucketResult><Name>b</Name><KeyCount>2</KeyCount><Contents><Key>p/a&amp;b</Key><Size>0"
      "</Size></Contents><Contents><Key>p/c</Key><Size>18446744073709551615</Size></Contents>"
      "</ListBucketResult>");
  ASSERT_TRUE(page);
  ASSERT_EQ(page->keys.size(), 2u);
  EXPECT_FALSE(page->truncated);
  EXPECT_EQ(page->keys.at(0).key, "p/a&b");
  EXPECT_EQ(page->keys.at(1).size, 18446744073709551615u);
}

TEST(S3AnswersTest, WhatMakesNoSenseIsToBeAskedAgain) {
  const std::string id = "<InitiateMultipartUploadResult><UploadId>";
  const std::string end = "</UploadId></InitiateMultipartUploadResult>";
  for (const std::string& body :
       {std::string(), std::string("<html></html>"), id + end, id + std::string(3000, 'x') + end}) {
    auto answer = ParseUploadId(body);
    ASSERT_FALSE(answer) << body.substr(0, 60);
    EXPECT_EQ(answer.error().kind, ErrorKind::kUnavailable);
  }
  for (const char* size : {"", "-1", "1x", "0x1", "18446744073709551616"}) {
    EXPECT_FALSE(ParseListing("<ListBucketResult><Contents><Key>k</Key><Size>" + std::string(size) +
                              "</Size></Contents></ListBucketResult>"))
        << size;
  }
  EXPECT_FALSE(
      ParseListing("<ListBucketResult><Contents><Size>1</Size></Contents>"
                   "</ListBucketResult>"));
  EXPECT_FALSE(ParseCompletion(""));
  EXPECT_FALSE(ParseCompletion("<html/>"));
  EXPECT_FALSE(
      ParseUploads("<ListMultipartUploadsResult><Upload><Key>k</Key></Upload>"
                   "</ListMultipartUploadsResult>"));
}

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

}  // namespace
}  // namespace koya::s3
