// Tests of the rules for releases, one row each: a change to a good draft, and the problem.
#include "service/providers/release_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "domain/release_file.h"
#include "signing/openpgp.h"
#include "signing/sha256sums.h"

namespace koya::service {
namespace {

constexpr UnixSeconds kNow = 1'795'279'270;

SigningKeyRecord Record(const signing::PublicKey& key) {
  return {.ns = "acme",
          .fingerprint = key.fingerprint,
          .key_id = key.key_id,
          .armor = key.armor,
          .user_ids = key.user_ids,
          .algorithm = key.algorithm};
}

// A release that is good until a test changes it.
struct Release {
  DraftRecord draft{.id = "id",
                    .address = *ProviderAddress::Parse("acme/demo"),
                    .version = *Version::Parse("1.0.0"),
                    .created_at = kNow,
                    .created_by = "ci",
                    .expires_at = kNow + 3600,
                    .files = {}};
  signing::GeneratedKey author = signing::GenerateKey("Author <author@example.com>", kNow).value();
  std::optional<std::string> sums;
  std::optional<std::string> signature;
  std::optional<std::string> manifest;
  std::vector<std::string> protocols;
  bool sign = false;
  bool imported = false;
  std::vector<SigningKeyRecord> keys{Record(author.public_key)};

  Release() {
    Put("terraform-provider-demo_1.0.0_linux_amd64.zip");
    Put("terraform-provider-demo_1.0.0_darwin_arm64.zip");
    MakeSums();
  }

  void Put(const std::string& name, std::string_view content = "") {
    std::erase_if(draft.files, [&](const DraftFile& file) { return file.name == name; });
    draft.files.push_back({.name = name,
                           .digest = Digest::Of(content.empty() ? name : content),
                           .size = 100,
                           .h1 = {"h1:abc"},
                           .problems = {}});
  }
  void PutManifest(std::string text) {
    Put("terraform-provider-demo_1.0.0_manifest.json", text);
    manifest = std::move(text);
    MakeSums();
  }
  // SHA256SUMS of the draft's files, and its signature.
  void MakeSums() {
    Drop("SHA256SUMS");
    Drop("SHA256SUMS.sig");
    std::vector<signing::SumsLine> lines;
    for (const DraftFile& file : draft.files) lines.push_back({file.digest, file.name});
    SetSums(signing::WriteSums(lines));
  }
  void SetSums(const std::string& text) {
    sums = text;
    Put("terraform-provider-demo_1.0.0_SHA256SUMS", text);
    Sign(author);
  }
  void Sign(const signing::GeneratedKey& key) {
    signature = signing::SignDetached(*sums, key.secret, kNow).value();
    Put("terraform-provider-demo_1.0.0_SHA256SUMS.sig", *signature);
  }
  void Drop(std::string_view ending) {
    std::erase_if(draft.files, [&](const DraftFile& file) { return file.name.ends_with(ending); });
  }
  void DropSums() {
    Drop("SHA256SUMS");
    sums.reset();
  }
  void DropSignature() {
    Drop(".sig");
    signature.reset();
  }
  DraftFile& File(std::string_view ending) {
    return *std::ranges::find_if(
        draft.files, [&](const DraftFile& file) { return file.name.ends_with(ending); });
  }

  ReleaseVerdict ReleaseRules() const {
    return CheckReleaseRules({.draft = draft,
                              .sums = sums,
                              .signature = signature,
                              .manifest = manifest,
                              .protocols = protocols,
                              .sign = sign,
                              .imported = imported,
                              .keys = keys,
                              .now = kNow});
  }
};

std::string Joined(const std::vector<std::string>& problems) {
  return fmt::format("{}", fmt::join(problems, "\n"));
}

TEST(ReleaseCheck, AcceptsAGoodRelease) {
  Release release;
  ReleaseVerdict verdict = release.ReleaseRules();
  EXPECT_EQ(Joined(verdict.problems), "");
  ASSERT_EQ(verdict.packages.size(), 2U);
  EXPECT_EQ(verdict.packages[0].platform.ToString(), "darwin_arm64");  // sorted
  EXPECT_EQ(verdict.packages[1].filename, "terraform-provider-demo_1.0.0_linux_amd64.zip");
  EXPECT_EQ(verdict.packages[1].h1, std::vector<std::string>{"h1:abc"});
  EXPECT_EQ(verdict.protocols, std::vector<std::string>{"5.0"});
  EXPECT_EQ(verdict.key_fingerprint, release.author.public_key.fingerprint);
  EXPECT_EQ(verdict.signature, *release.signature);
}

TEST(ReleaseCheck, TakesProtocolsFromManifestOrCommit) {
  Release release;
  release.PutManifest(R"({"version":1,"metadata":{"protocol_versions":["6.0","5.0"]}})");
  EXPECT_EQ(release.ReleaseRules().protocols, (std::vector<std::string>{"5.0", "6.0"}));
  release.protocols = {"6.0", "5.0"};  // the same in another order contradicts nothing
  EXPECT_EQ(Joined(release.ReleaseRules().problems), "");
  Release bare;
  bare.protocols = {"6.0"};
  EXPECT_EQ(bare.ReleaseRules().protocols, std::vector<std::string>{"6.0"});
}

TEST(ReleaseCheck, SigningNeedsOnlyThePackages) {
  Release release;
  release.DropSums();
  release.DropSignature();
  release.keys.clear();
  release.sign = true;
  ReleaseVerdict verdict = release.ReleaseRules();
  EXPECT_EQ(Joined(verdict.problems), "");
  EXPECT_EQ(verdict.signature, "");
  EXPECT_EQ(verdict.packages.size(), 2U);
}

TEST(ReleaseCheck, OneGoodSignerOfSeveralIsEnough) {
  Release release;
  signing::GeneratedKey stranger = signing::GenerateKey("Stranger", kNow).value();
  std::string foreign = signing::SignDetached(*release.sums, stranger.secret, kNow).value();
  release.signature = foreign + *release.signature;
  ReleaseVerdict verdict = release.ReleaseRules();
  EXPECT_EQ(Joined(verdict.problems), "");
  EXPECT_EQ(verdict.key_fingerprint, release.author.public_key.fingerprint);
}

TEST(ReleaseCheck, FilesThatNoClientTakesMayBeListed) {
  Release release;
  release.SetSums(*release.sums + std::string(64, 'a') +
                  "  terraform-provider-demo_1.0.0_sbom.json\n");
  EXPECT_EQ(Joined(release.ReleaseRules().problems), "");
}

TEST(ReleaseCheck, AListedManifestMayStayAwayWhenProtocolsAreNamed) {
  Release release;
  release.SetSums(*release.sums + std::string(64, 'a') +
                  "  terraform-provider-demo_1.0.0_manifest.json\n");
  release.protocols = {"6.0"};
  EXPECT_EQ(Joined(release.ReleaseRules().problems), "");
}

struct Reject {
  const char* name;
  std::function<void(Release&)> spoil;
  std::vector<std::string> said;  // all of it, in any order; each a part of one problem
};

void PrintTo(const Reject& row, std::ostream* out) { *out << row.name; }

class ReleaseRejects : public ::testing::TestWithParam<Reject> {};

TEST_P(ReleaseRejects, SaysEverything) {
  Release release;
  GetParam().spoil(release);
  std::vector<std::string> problems = release.ReleaseRules().problems;
  for (const std::string& part : GetParam().said) {
    bool told = std::ranges::any_of(problems, [&](const auto& p) { return p.contains(part); });
    EXPECT_TRUE(told) << "not said: " << part << "\nin: " << Joined(problems);
  }
  EXPECT_EQ(problems.size(), GetParam().said.size()) << Joined(problems);
}

std::string Line(std::string_view name) {
  return std::string(64, 'a') + "  " + std::string(name) + "\n";
}

std::vector<Reject> FileRejects() {
  return {
      {"NoPackage",
       [](Release& r) {
         r.Drop(".zip");
         r.SetSums(Line("terraform-provider-demo_1.0.0_sbom.json"));
       },
       {"has no package: upload at least one zip, named as "
        "terraform-provider-demo_1.0.0_linux_amd64.zip"}},
      {"NothingAtAll",
       [](Release& r) {
         r.draft.files.clear();
         r.sums.reset();
         r.signature.reset();
       },
       {"has no package", "_SHA256SUMS is missing", "_SHA256SUMS.sig is missing"}},
      {"UnfitZip",
       [](Release& r) {
         r.File("linux_amd64.zip").problems = {"entry \"docs/\" is a folder", "no binary"};
       },
       {"linux_amd64.zip: entry \"docs/\" is a folder", "linux_amd64.zip: no binary"}},
      {"OtherType",
       [](Release& r) {
         r.Put("terraform-provider-other_1.0.0_linux_arm64.zip");
         r.MakeSums();
       },
       {"provider type \"other\""}},
      {"OtherVersion",
       [](Release& r) {
         r.Put("terraform-provider-demo_1.0.1_linux_arm64.zip");
         r.MakeSums();
       },
       {"it is of the version \"1.0.1\""}},
      {"UnknownPlatform",
       [](Release& r) {
         r.Put("terraform-provider-demo_1.0.0_beos_amd64.zip");
         r.MakeSums();
       },
       {"beos"}},
      {"NotOfARelease",
       [](Release& r) { r.Put("README.md"); },
       {"file \"README.md\" does not belong to acme/demo 1.0.0"}},
      {"SignedTwice",
       [](Release& r) { r.Put("terraform-provider-demo_1.0.0_SHA256SUMS.asc"); },
       {"leave one of them out"}},
  };
}

std::vector<Reject> SumsRejects() {
  return {
      {"NoSums", [](Release& r) { r.DropSums(); }, {"_SHA256SUMS is missing: upload the one"}},
      {"BlankLine", [](Release& r) { r.SetSums(*r.sums + "\n"); }, {"_SHA256SUMS: "}},
      {"Star",
       [](Release& r) {
         std::string text = *r.sums;
         text.replace(text.find("  "), 2, " *");
         r.SetSums(text);
       },
       {"_SHA256SUMS: "}},
      {"ListedButAbsent",
       [](Release& r) {
         r.SetSums(*r.sums + Line("terraform-provider-demo_1.0.0_linux_arm64.zip"));
       },
       {"lists terraform-provider-demo_1.0.0_linux_arm64.zip, which was not uploaded"}},
      {"ListedUnderAWrongName",
       [](Release& r) {
         r.SetSums(*r.sums + Line("terraform-provider-demo_v1.0.0_linux_arm.zip"));
       },
       {"which was not uploaded", "leave out the \"v\""}},
      {"ListedManifestAbsent",
       [](Release& r) { r.SetSums(*r.sums + Line("terraform-provider-demo_1.0.0_manifest.json")); },
       {"manifest.json, which was not uploaded"}},
      {"UnlistedPackage",
       [](Release& r) { r.Put("terraform-provider-demo_1.0.0_linux_arm64.zip"); },
       {"linux_arm64.zip was uploaded, but terraform-provider-demo_1.0.0_SHA256SUMS does not "
        "list"}},
      {"UnlistedManifest",
       [](Release& r) {
         r.manifest = R"({"version":1,"metadata":{"protocol_versions":["5.0"]}})";
         r.Put("terraform-provider-demo_1.0.0_manifest.json", *r.manifest);
       },
       {"checksum.extra_files"}},
      {"OtherBytes",
       [](Release& r) { r.Put("terraform-provider-demo_1.0.0_linux_amd64.zip", "other bytes"); },
       {"is not the file that terraform-provider-demo_1.0.0_SHA256SUMS lists"}},
      {"SumsWhereKoyaSigns",
       [](Release& r) {
         r.sign = true;
         r.DropSignature();
       },
       {"the commit asks koya to create and sign it"}},
      {"SignatureWhereKoyaSigns",
       [](Release& r) {
         r.sign = true;
         r.DropSums();
       },
       {"the commit asks koya to sign"}},
  };
}

std::vector<Reject> SignatureRejects() {
  return {
      {"NoSignature", [](Release& r) { r.DropSignature(); }, {"gpg --detach-sign"}},
      {"NoKey",
       [](Release& r) { r.keys.clear(); },
       {"has no signing key yet: ask one of its owners to add yours with koya key add acme"}},
      {"UnknownKey",
       [](Release& r) { r.Sign(signing::GenerateKey("Stranger", kNow).value()); },
       {"which is not registered for the namespace \"acme\""}},
      {"ChangedAfterSigning",
       [](Release& r) {
         std::string before = *r.signature;
         r.SetSums(*r.sums + Line("terraform-provider-demo_1.0.0_sbom.json"));
         r.signature = before;
       },
       {"was changed after it was signed"}},
      {"RemovedKey",
       [](Release& r) { r.keys.front().removed_at = kNow - 1; },
       {"was removed from the namespace \"acme\" and cannot sign new releases"}},
      {"NoSignatureAtAll", [](Release& r) { r.signature = "hello"; }, {"_SHA256SUMS.sig: "}},
      {"EmptySignature", [](Release& r) { r.signature = ""; }, {"_SHA256SUMS.sig: "}},
  };
}

std::vector<Reject> ProtocolRejects() {
  return {
      {"BadProtocol", [](Release& r) { r.protocols = {"six"}; }, {"six"}},
      {"BadManifestProtocol",
       [](Release& r) { r.PutManifest(R"({"version":1,"metadata":{"protocol_versions":["6"]}})"); },
       {"_manifest.json: "}},
      {"ManifestIsNoJson", [](Release& r) { r.PutManifest("protocol 6"); }, {"_manifest.json: "}},
      {"Contradiction",
       [](Release& r) {
         r.PutManifest(R"({"version":1,"metadata":{"protocol_versions":["6.0"]}})");
         r.protocols = {"5.0"};
       },
       {"says the provider speaks protocol 6.0, the commit says 5.0"}},
      {"SeveralAtOnce",
       [](Release& r) {
         r.protocols = {"six"};
         r.DropSignature();
         r.File("linux_amd64.zip").problems = {"no binary"};
         r.Put("terraform-provider-demo_1.0.0_windows_amd64.zip");
       },
       {"six", "gpg --detach-sign", "no binary", "windows_amd64.zip was uploaded, but"}},
  };
}

std::string NameOf(const ::testing::TestParamInfo<Reject>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Files, ReleaseRejects, ::testing::ValuesIn(FileRejects()), NameOf);
INSTANTIATE_TEST_SUITE_P(Sums, ReleaseRejects, ::testing::ValuesIn(SumsRejects()), NameOf);
INSTANTIATE_TEST_SUITE_P(Signatures, ReleaseRejects, ::testing::ValuesIn(SignatureRejects()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Protocols, ReleaseRejects, ::testing::ValuesIn(ProtocolRejects()), NameOf);

TEST(ImportedRelease, MayHaveAKeyThatSignsNoNewReleases) {
  Release release;
  release.imported = true;
  release.keys.front().removed_at = kNow - 1;
  ReleaseVerdict verdict = release.ReleaseRules();
  EXPECT_EQ(Joined(verdict.problems), "");
  EXPECT_EQ(verdict.key_fingerprint, release.keys.front().fingerprint);
  release.keys.clear();
  EXPECT_NE(Joined(release.ReleaseRules().problems), "");
  release = Release();
  release.imported = true;
  const std::string before = *release.signature;
  release.SetSums(*release.sums + "x");
  release.signature = before;
  EXPECT_NE(Joined(release.ReleaseRules().problems), "");
}

}  // namespace
}  // namespace koya::service
