// Documents about the mirror's inventory, and those in an exported folder.
#include "wire/inventory.h"

#include <gtest/gtest.h>

#include "wire/mirror.h"

namespace koya::wire {
namespace {

InventoryRelease Release() {
  return {.hostname = "xn--mnchen-3ya.example",
          .ns = "acme",
          .type = "demo",
          .version = "1.0.0",
          .protocols = {"5.0"},
          .has_signature = true,
          .seen = "2026-11-21T16:41:10Z",
          .packages = {{.platform = "linux_amd64",
                        .filename = "terraform-provider-demo_1.0.0_linux_amd64.zip",
                        .digest = "sha256:00",
                        .size = 5'000'000'000,
                        .hashes = {"h1:a", "h1:b"},
                        .held = true,
                        .used = "2026-11-21T16:41:10Z"},
                       {.platform = "darwin_arm64", .filename = "x.zip", .digest = "sha256:01"}}};
}

InventoryModule Module() {
  return {.hostname = "registry.example.org",
          .ns = "Acme",
          .name = "vpc",
          .system = "aws",
          .version = "1.0.0",
          .kind = "tar.gz",
          .digest = "sha256:00",
          .size = 7,
          .source = "git::https://git.example/vpc.git?ref=<v1>",
          .held = true,
          .seen = "2026-11-21T16:41:10Z",
          .used = ""};
}

TEST(InventoryWire, ListsComeBackAsTheyWere) {
  auto releases =
      Decode<InventoryReleases>(Encode<InventoryReleases>({{Release()}, "a/b/c@1.0.0"}));
  ASSERT_TRUE(releases) << releases.error().message;
  EXPECT_EQ(releases->releases, std::vector{Release()});
  EXPECT_EQ(releases->next, "a/b/c@1.0.0");
  auto modules = Decode<InventoryModules>(Encode<InventoryModules>({{Module()}, ""}));
  ASSERT_TRUE(modules) << modules.error().message;
  EXPECT_EQ(modules->modules, std::vector{Module()});
  EXPECT_EQ(modules->next, "");
  EXPECT_EQ(Decode<InventoryRelease>(Encode(Release())), Release());
  EXPECT_EQ(Decode<InventoryModule>(Encode(Module())), Module());
}

TEST(InventoryWire, DocumentsKeepEveryByte) {
  ReleaseDocuments documents{.protocols = {"5.0", "6.0"},
                             .shasums = std::string("\xff\0line\n", 7),
                             .signature = std::string("\x89\x01\0", 3),
                             .keys = {{.key_id = "0123456789ABCDEF", .ascii_armor = "-----BEGIN"}}};
  EXPECT_EQ(Decode<ReleaseDocuments>(Encode(documents)), documents);
}

TEST(InventoryWire, WhatIsNoDocumentIsRefused) {
  for (const char* text : {"", "[]", "{", "{}", R"({"providers":{}})", R"({"providers":[1]})",
                           R"({"providers":[{"hostname":"a"}]})", R"({"providers":[],"next":7})"}) {
    EXPECT_FALSE(Decode<InventoryReleases>(text)) << text;
  }
  for (const char* text : {"", "[]", "{}", R"({"modules":[{}]})", R"({"modules":null})"}) {
    EXPECT_FALSE(Decode<InventoryModules>(text)) << text;
  }
  for (const char* text :
       {"", "{}", R"({"shasums":"00","signature":"00"})",
        R"({"shasums":"0","signature":"00",)"
        R"("signing_keys":{}})",
        R"({"shasums":"","signature":"00","signing_keys":{}})",
        R"({"shasums":"FF","signature":"00","signing_keys":{}})",
        R"({"shasums":"00","signature":"00","signing_keys":{"gpg_public_keys":7}})"}) {
    EXPECT_FALSE(Decode<ReleaseDocuments>(text)) << text;
  }
}

TEST(MirrorFilesWire, AreWrittenAsClientsWriteThem) {
  EXPECT_EQ(EncodeMirrorIndexFile({"1.9.0", "1.10.0"}),
            "{\n  \"versions\": {\n    \"1.10.0\": {},\n    \"1.9.0\": {}\n  }\n}");
  EXPECT_EQ(EncodeMirrorIndexFile({}), "{\n  \"versions\": {}\n}");
  MirrorVersion version;
  version.archives["linux_amd64"] = {.url = "b.zip", .hashes = {"zh:b", "h1:a"}};
  version.archives["darwin_arm64"] = {.url = "a.zip", .hashes = {}};
  EXPECT_EQ(EncodeMirrorVersionFile(version), R"({
  "archives": {
    "darwin_arm64": {
      "url": "a.zip"
    },
    "linux_amd64": {
      "hashes": [
        "h1:a",
        "zh:b"
      ],
      "url": "b.zip"
    }
  }
})");
  EXPECT_EQ(DecodeMirrorVersion(EncodeMirrorVersionFile(version))->archives.size(), 2U);
}

TEST(MirrorFilesWire, ComeBackAsTheyWere) {
  KeysFile keys{.protocols = {"5.0"},
                .keys = {{.key_id = "0123456789ABCDEF", .ascii_armor = "-----BEGIN\n\"é\"<&>"}}};
  EXPECT_EQ(Decode<KeysFile>(EncodeKeysFile(keys)), keys);
  ModuleFile module{.digest = "sha256:00", .source = "git::https://a.example/b.git?ref=v1&x=<y>"};
  EXPECT_EQ(Decode<ModuleFile>(EncodeModuleFile(module)), module);
  EXPECT_TRUE(CheckExportMark(EncodeExportMark()));
  for (const char* text : {"", "[]", "{}", R"({"format":2})", R"({"format":"1"})"}) {
    EXPECT_FALSE(CheckExportMark(text)) << text;
  }
  for (const char* text :
       {"", "[]", R"({"gpg_public_keys":[{"ascii_armor":7}]})", R"({"protocols":"5.0"})"}) {
    EXPECT_FALSE(Decode<KeysFile>(text)) << text;
  }
}

}  // namespace
}  // namespace koya::wire
