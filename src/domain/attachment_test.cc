#include "domain/attachment.h"

#include <gtest/gtest.h>

#include <string>

namespace koya {
namespace {

TEST(AttachmentTest, NamesSayTheKind) {
  using enum AttachmentKind;
  struct Case {
    std::string name;
    AttachmentKind kind;
    std::string_view media_type;
  };
  const Case cases[] = {
      {"terraform-provider-demo_1.0.0_linux_amd64.zip.sigstore.json", kSigstoreBundle,
       "application/json"},
      {"multiple.intoto.jsonl", kInTotoLines, "application/x-ndjson"},
      {"7.spdx.json", kSpdx, "application/json"},
      {"Demo_1.0.0+build-7.cdx.json", kCycloneDx, "application/json"},
      {std::string(190, 'a') + ".spdx.json", kSpdx, "application/json"},
  };
  for (const Case& each : cases) {
    const Result<AttachmentKind> kind = ParseAttachmentName(each.name);
    ASSERT_TRUE(kind) << kind.error().message;
    EXPECT_EQ(*kind, each.kind) << each.name;
    EXPECT_EQ(MediaType(*kind), each.media_type);
  }
}

TEST(AttachmentTest, OtherNamesAreRejected) {
  struct Case {
    std::string name;
    std::string_view words;
  };
  const Case cases[] = {
      {"", "ends with"},
      {"sbom.json", "ends with .sigstore.json"},
      {"demo.SPDX.JSON", "ends with"},
      {"demo.spdx.json.html", "ends with"},
      {".spdx.json", "begins with a letter or digit"},
      {"-x.cdx.json", "begins with"},
      {"a/b.cdx.json", "letters, digits"},
      {"..%2fx.cdx.json", "letters, digits"},
      {"grün.intoto.jsonl", "letters, digits"},
      {std::string("a\0b.cdx.json", 12), "letters, digits"},
      {"a b.sigstore.json", "letters, digits"},
      {std::string(191, 'a') + ".spdx.json", "at most 200"},
  };
  for (const Case& each : cases) {
    const Result<AttachmentKind> kind = ParseAttachmentName(each.name);
    ASSERT_FALSE(kind) << each.name;
    EXPECT_EQ(kind.error().kind, ErrorKind::kRefused);
    EXPECT_TRUE(kind.error().message.contains(each.words)) << kind.error().message;
  }
}

}  // namespace
}  // namespace koya
