#include "wire/attachment_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "base/encoding.h"

namespace koya::wire {
namespace {

const std::array<Digest, 2> kFiles{Digest::Of("zip"), Digest::Of("sums")};

std::string Encoded(std::string_view text) { return Base64Encode(std::as_bytes(std::span(text))); }

std::string Subject(std::string_view content) {
  return fmt::format(R"({{"name":"demo.zip","digest":{{"sha1":"00","sha256":"{}"}}}})",
                     Digest::Of(content).hex());
}
std::string Statement(std::string_view subjects) {
  return fmt::format(
      R"({{"_type":"https://in-toto.io/Statement/v1","subject":[{}],"predicateType":"x",)"
      R"("predicate":{{"subject":7,"payload":[1,[2]],"digest":"no"}}}})",
      subjects);
}
std::string Envelope(std::string_view statement) {
  return fmt::format(
      R"({{"payload":"{}","payloadType":"application/vnd.in-toto+json","signatures":[]}})",
      Encoded(statement));
}
std::string Bundle(std::string_view content) {
  return fmt::format(
      R"({{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json",)"
      R"("verificationMaterial":{{"tlogEntries":[{{"payload":"x"}}]}},"dsseEnvelope":{}}})",
      content);
}
std::string Signature(std::string_view algorithm, std::string_view digest) {
  return fmt::format(R"({{"messageSignature":{{"messageDigest":{{"algorithm":"{}","digest":"{}"}},)"
                     R"("signature":"eA=="}}}})",
                     algorithm, digest);
}
std::string DigestOf(std::string_view content) {
  return Base64Encode(std::span(Digest::Of(content).bytes()));
}
std::string Nested(std::size_t levels) {
  return R"({"spdxVersion":"SPDX-2.3","x":)" + std::string(levels, '[') + std::string(levels, ']') +
         "}";
}

struct Case {
  std::string name;
  std::string text;
  std::string_view words = {};
};

Status Check(const Case& each) {
  const Result<AttachmentKind> kind = ParseAttachmentName(each.name);
  EXPECT_TRUE(kind) << each.name;
  return CheckAttachment(each.name, *kind, each.text, kFiles);
}

TEST(AttachmentCheckTest, TakesWhatNamesAFileOfTheVersion) {
  const Case cases[] = {
      {"a.sigstore.json", Bundle(Envelope(Statement(Subject("zip"))))},
      {"a.sigstore.json", Bundle(Envelope(Statement(Subject("other") + "," + Subject("sums"))))},
      {"a.sigstore.json", Signature("SHA2_256", DigestOf("zip"))},
      {"a.intoto.jsonl", Statement(Subject("zip"))},
      {"a.intoto.jsonl", Envelope(Statement(Subject("sums"))) + "\n"},
      {"a.intoto.jsonl", "\r\n" + Envelope(Statement(Subject("other"))) + "\r\n\n" +
                             Envelope(Statement(Subject("zip")))},
      {"a.intoto.jsonl", Bundle(Envelope(Statement(Subject("zip"))))},
      {"a.intoto.jsonl", Signature("SHA2_256", DigestOf("sums"))},
      {"a.spdx.json", R"({"spdxVersion":"SPDX-2.3","packages":[{"name":"größe"}]})"},
      {"a.spdx.json", Nested(20)},
      {"a.cdx.json", R"({"bomFormat":"CycloneDX","specVersion":"1.6","components":[]})"},
  };
  for (const Case& each : cases) {
    const Status status = Check(each);
    EXPECT_TRUE(status) << each.text << "\n" << status.error().message;
  }
}

TEST(AttachmentCheckTest, HexDigitsInUpperCaseAreTheSameDigest) {
  std::string hex = Digest::Of("zip").hex();
  for (char& c : hex) c = static_cast<char>(c >= 'a' ? c - 'a' + 'A' : c);
  const std::string subject = fmt::format(R"({{"digest":{{"sha256":"{}"}}}})", hex);
  EXPECT_TRUE(Check({"a.intoto.jsonl", Statement(subject)}));
}

TEST(AttachmentCheckTest, RejectsWhatIsUnsoundOrOfAnotherVersion) {
  const std::string html = "<!doctype html><title>Sign in</title>";
  const Case cases[] = {
      {"a.sigstore.json", html, "a.sigstore.json is not valid JSON"},
      {"a.sigstore.json", "", "is not valid JSON"},
      {"a.sigstore.json", "[]", "must be a JSON object"},
      {"a.sigstore.json", "{}", "neither \"dsseEnvelope\" nor"},
      {"a.sigstore.json", Statement(Subject("zip")), "no Sigstore bundle"},
      {"a.sigstore.json", R"({"dsseEnvelope":7})", "no Sigstore bundle"},
      {"a.sigstore.json", R"({"dsseEnvelope":{}})", "in base64"},
      {"a.sigstore.json", R"({"dsseEnvelope":{"payload":7}})", "in base64"},
      {"a.sigstore.json", R"({"dsseEnvelope":{"payload":"***"}})", "in base64"},
      {"a.sigstore.json", Bundle(Envelope(html)), "the statement in a.sigstore.json"},
      {"a.sigstore.json", Bundle(Envelope("{}")), "no list \"subject\""},
      {"a.sigstore.json", Bundle(Envelope(R"({"subject":{}})")), "no list \"subject\""},
      {"a.sigstore.json", Bundle(Envelope(Statement("7"))), "each subject"},
      {"a.sigstore.json", Bundle(Envelope(Statement(R"({"digest":"00"})"))), "each subject"},
      {"a.sigstore.json", Bundle(Envelope(Statement(""))), "none of its 0 subjects"},
      {"a.sigstore.json", Bundle(Envelope(Statement(Subject("other")))), "none of its 1 subject"},
      {"a.sigstore.json", Bundle(Envelope(Statement(R"({"digest":{"sha512":"00"}})"))), "none of"},
      {"a.sigstore.json", Bundle(Envelope(Statement(R"({"digest":{"sha256":7}})"))), "none of"},
      {"a.sigstore.json", Signature("SHA2_512", DigestOf("zip")), "SHA2_256"},
      {"a.sigstore.json", Signature("SHA2_256", "?"), "base64"},
      {"a.sigstore.json", Signature("SHA2_256", "eA=="), "none of"},
      {"a.sigstore.json", Signature("SHA2_256", DigestOf("other")), "none of its 1 subject"},
      {"a.sigstore.json", R"({"messageSignature":{}})", "messageDigest"},
      {"a.intoto.jsonl", "", "is empty"},
      {"a.intoto.jsonl", " \n\r\n", "is empty"},
      {"a.intoto.jsonl", html, "a line of a.intoto.jsonl is not valid JSON"},
      {"a.intoto.jsonl", Statement(Subject("zip")) + "\n" + html, "a line of"},
      {"a.intoto.jsonl", Statement(Subject("zip")) + Statement(""), "extra data"},
      {"a.intoto.jsonl", Statement(Subject("other")) + "\n" + Statement(Subject("third")),
       "none of its 2 subjects"},
      {"a.spdx.json", html, "is not valid JSON"},
      {"a.spdx.json", "{}", "no SPDX document"},
      {"a.spdx.json", R"({"spdxVersion":2})", "no SPDX document"},
      {"a.spdx.json", R"({"x":{"spdxVersion":"SPDX-2.3"}})", "no SPDX document"},
      {"a.spdx.json", R"({"bomFormat":"CycloneDX"})", "no SPDX document"},
      {"a.spdx.json", "{\"spdxVersion\":\"SPDX-2.3\",\"x\":\"\xff\"}", "is not valid JSON"},
      {"a.spdx.json", Nested(100), "is not valid JSON"},
      {"a.spdx.json", Nested(1'000'000), "is not valid JSON"},
      {"a.cdx.json", R"({"spdxVersion":"SPDX-2.3"})", "no CycloneDX document"},
      {"a.cdx.json", R"({"bomFormat":"CycloneDX")", "is not valid JSON"},
  };
  for (const Case& each : cases) {
    const Status status = Check(each);
    ASSERT_FALSE(status) << each.name << " " << each.text.substr(0, 200);
    EXPECT_EQ(status.error().kind, ErrorKind::kRefused) << status.error().message;
    EXPECT_TRUE(status.error().message.contains(each.words))
        << each.words << " is not in: " << status.error().message;
  }
}

// "[[],[],…]" demands many times its size.
TEST(AttachmentCheckTest, MemoryIsInProportionToTheText) {
  std::string subjects = "[]";
  for (int i = 0; i < 1'000'000; ++i) subjects += ",[]";
  const Status status = Check({"a.intoto.jsonl", Statement(subjects)});
  ASSERT_FALSE(status);
  EXPECT_TRUE(status.error().message.contains("of memory")) << status.error().message;
}

}  // namespace
}  // namespace koya::wire
