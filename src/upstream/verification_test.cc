// What upstream says of a release, against itself and against the signature.
#include "upstream/verification.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/host_name.h"
#include "domain/provider_address.h"
#include "domain/version.h"
#include "signing/openpgp.h"
#include "signing/openpgp_fake.h"
#include "upstream/foreign_answers.h"
#include "upstream/provider_source.h"

namespace koya::upstream {
namespace {

constexpr std::string_view kFile = "terraform-provider-demo_1.0.0_linux_amd64.zip";
constexpr std::string_view kShasum =
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
constexpr std::string_view kOther =
    "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752";

std::string Signature(std::string_view name) {
  return *signing::BinarySignature(signing::TestSignature(name));
}

wire::SigningKey Key(std::string_view name) {
  return {.ascii_armor = std::string(signing::TestKey(name))};
}

// As a registry answers that does everything right.
FetchedDownload Good() {
  FetchedDownload download{.protocols = {"5.0", "6.0"}, .os = "linux", .arch = "amd64"};
  download.filename = kFile;
  download.shasum = kShasum;
  download.sums = signing::kDocument;
  download.signature = Signature("ed25519");
  download.keys = {Key("ed25519")};
  return download;
}

FetchedDownload Signed(std::string_view signature, std::vector<std::string_view> keys) {
  FetchedDownload download = Good();
  download.signature = Signature(signature);
  download.keys.clear();
  for (std::string_view key : keys) download.keys.push_back(Key(key));
  return download;
}

Result<VerifiedDownload> Verify(const FetchedDownload& download,
                                std::string_view host = "registry.example.com") {
  return VerifyDownload(download, *HostName::Parse(host), *ProviderAddress::Parse("acme/demo"),
                        *Version::Parse("1.0.0"), *Platform::Parse("linux_amd64"), signing::kNow);
}

TEST(VerificationTest, TakesWhatIsConsistentAndSigned) {
  FetchedDownload download = Good();
  download.packages["linux_amd64"] = {{"h1:x", "zh:" + std::string(kShasum)}, 1234};
  download.packages["darwin_arm64"] = {{"h1:y"}, 0};
  auto verified = Verify(download);
  ASSERT_TRUE(verified) << verified.error().message;
  EXPECT_EQ(verified->digest.hex(), kShasum);
  EXPECT_TRUE(verified->digest_known);
  EXPECT_EQ(verified->size, 1234u);
  ASSERT_EQ(verified->packages.size(), 1u) << "the manifest is no platform's package";
  EXPECT_EQ(verified->packages[0].filename, kFile);
  EXPECT_EQ(verified->packages[0].platform.ToString(), "linux_amd64");
  EXPECT_EQ(verified->packages[0].digest.hex(), kShasum);
  EXPECT_FALSE(verified->blank_lines);
  EXPECT_TRUE(verified->warnings.empty());
  EXPECT_EQ(Verify(Good())->size, std::nullopt);
}

struct Warned {
  std::string_view name;
  FetchedDownload download;
  std::string_view words;  // "" for no warning
};

TEST(VerificationTest, TakesWhatClientsTakeAndWarns) {
  FetchedDownload unknown_first = Signed("ed25519", {"p256", "ed25519"});
  FetchedDownload broken_last = Good();
  broken_last.keys.push_back({.ascii_armor = "no key"});
  FetchedDownload spaced = Good();
  spaced.keys[0].ascii_armor = "\n" + spaced.keys[0].ascii_armor + "\n\n";
  FetchedDownload upper = Good();
  for (char& c : upper.shasum) c = static_cast<char>(std::toupper(c));
  FetchedDownload no_protocols = Good();
  no_protocols.protocols = {};
  FetchedDownload short_protocol = Good();
  short_protocol.protocols = {"5", "6.0.1"};
  const std::vector<Warned> kRows = {
      {"a key that did not sign comes first", unknown_first, ""},
      {"a broken key comes after the right one", broken_last, ""},
      {"white space around the key", spaced, ""},
      {"upper-case shasum", upper, ""},
      {"no protocols", no_protocols, ""},
      {"short protocols", short_protocol, ""},
      {"two signatures", Signed("ed25519 and p256", {"p256"}), ""},
      {"expired key", Signed("expired", {"expired"}), "has expired"},
      {"SHA-1", Signed("rsa2048 SHA1", {"rsa2048"}), "SHA-1, which is broken"},
  };
  for (const Warned& row : kRows) {
    auto verified = Verify(row.download);
    ASSERT_TRUE(verified) << row.name << ": " << verified.error().message;
    ASSERT_EQ(verified->warnings.size(), row.words.empty() ? 0u : 1u) << row.name;
    if (row.words.empty()) continue;
    EXPECT_NE(verified->warnings[0].find(row.words), std::string::npos) << verified->warnings[0];
    EXPECT_NE(verified->warnings[0].find("registry.example.com/acme/demo 1.0.0 for linux_amd64"),
              std::string::npos)
        << verified->warnings[0];
  }
}

TEST(VerificationTest, TriesSoManyKeysAndNoMore) {
  // The right one comes last.
  std::vector<std::string_view> keys(31, "p256");
  keys.emplace_back("ed25519");
  EXPECT_TRUE(Verify(Signed("ed25519", keys)));
  keys.insert(keys.begin(), "p256");
  auto refused = Verify(Signed("ed25519", keys));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("33 signing keys"), std::string::npos);
}

struct RefusedDownload {
  std::string_view name;
  FetchedDownload download;
  std::string_view words;
};

void ExpectRefused(const std::vector<RefusedDownload>& rows) {
  for (const RefusedDownload& row : rows) {
    auto verified = Verify(row.download);
    ASSERT_FALSE(verified) << row.name;
    EXPECT_EQ(verified.error().kind, ErrorKind::kBadUpstream) << row.name;
    const std::string& message = verified.error().message;
    EXPECT_NE(message.find(row.words), std::string::npos) << row.name << ": " << message;
    EXPECT_NE(message.find("registry.example.com/acme/demo 1.0.0 for linux_amd64"),
              std::string::npos)
        << message;
  }
}

FetchedDownload With(const std::function<void(FetchedDownload&)>& change) {
  FetchedDownload download = Good();
  change(download);
  return download;
}

TEST(VerificationTest, RefusesDescriptionsThatDoNotFit) {
  ExpectRefused({
      {"another os", With([](auto& d) { d.os = "darwin"; }), "describes darwin_amd64"},
      {"another arch", With([](auto& d) { d.arch = ""; }), "describes linux_"},
      {"a protocol that is none", With([](auto& d) { d.protocols = {"5.0", "x5"}; }),
       "\"x5\" is not a version of the plugin protocol"},
      {"an empty protocol", With([](auto& d) { d.protocols = {""}; }),
       "not a version of the plugin"},
      {"a dot alone", With([](auto& d) { d.protocols = {"5."}; }), "not a version of the plugin"},
      {"a short shasum", With([](auto& d) { d.shasum.pop_back(); }), "64 hexadecimal digits"},
      {"no shasum", With([](auto& d) { d.shasum = ""; }), "64 hexadecimal digits"},
      {"another shasum", With([](auto& d) { d.shasum = kOther; }),
       "says shasum 60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752, and "
       "SHA256SUMS says 9f86d081"},
      {"another file's shasum",
       With([](auto& d) { d.filename = "terraform-provider-demo_1.0.0_manifest.json"; }),
       "SHA256SUMS says 60303ae2"},
      {"a file that is not listed", With([](auto& d) { d.filename = "other.zip"; }),
       "does not list other.zip"},
      {"no file", With([](auto& d) { d.filename = ""; }), "does not list"},
      {"no sums", With([](auto& d) { d.sums = ""; }), "does not list"},
      {"a binary mark", With([](auto& d) { d.sums = std::string(kShasum) + " *" + d.filename; }),
       "does not list"},
      {"no digest", With([](auto& d) { d.sums = "sha256 " + d.filename + "\n"; }),
       "has no digest for terraform-provider-demo_1.0.0_linux_amd64.zip"},
      {"the first line wins",
       With([](auto& d) { d.sums = std::string(kOther) + "  " + d.filename + "\n" + d.sums; }),
       "SHA256SUMS says 60303ae2"},
  });
}

TEST(VerificationTest, RefusesSignaturesThatClientsRefuse) {
  ExpectRefused({
      {"no keys", With([](auto& d) { d.keys.clear(); }), "lists no signing key"},
      {"no signature", With([](auto& d) { d.signature.clear(); }), "cannot be read"},
      {"words", With([](auto& d) { d.signature = "<html>"; }), "cannot be read"},
      {"armored", With([](auto& d) { d.signature = signing::TestSignature("ed25519"); }),
       "is armored text; clients read binary ones only"},
      {"unknown key", Signed("ed25519", {"p256"}), "signed by none of the keys"},
      {"none of many keys", Signed("ed25519", {"p256", "p384", "rsa2048"}), "by none of the keys"},
      {"other bytes", With([](auto& d) { d.sums += std::string(kOther) + "  x.zip\n"; }),
       "the signature is over another SHA256SUMS"},
      {"revoked key", Signed("revoked", {"revoked"}), "is revoked"},
      {"MD5", Signed("rsa2048 MD5", {"rsa2048"}), "with MD5, which clients reject"},
      {"RIPEMD-160", Signed("rsa2048 RIPEMD160", {"rsa2048"}), "RIPEMD160, which clients reject"},
      {"a broken key first",
       With([](auto& d) { d.keys.insert(d.keys.begin(), {.ascii_armor = "no key"}); }),
       "signing key 1 cannot be read, and clients stop there"},
      {"an empty key", With([](auto& d) { d.keys[0].ascii_armor = ""; }),
       "signing key 1 cannot be read"},
      {"the right key in a second block", With([](auto& d) {
         d.keys[0].ascii_armor = std::string(signing::TestKey("p256")) + "\n" +
                                 std::string(signing::TestKey("ed25519"));
       }),
       "signed by none of the keys"},
  });
}

FetchedDownload WithPackages(std::map<std::string, wire::PackageHashes> packages) {
  FetchedDownload download = Good();
  download.packages = std::move(packages);
  return download;
}

TEST(VerificationTest, RefusesPackagesThatContradictTheRest) {
  const std::string kZip = "zh:" + std::string(kShasum);
  ExpectRefused({
      {"platform left out", WithPackages({{"linux_arm64", {{kZip}, 1}}}), "leaves this platform"},
      {"no size", WithPackages({{"linux_amd64", {{kZip}, 0}}}), "states no size"},
      {"no zh", WithPackages({{"linux_amd64", {{"h1:x"}, 1}}}), "has no \"zh:\" hash"},
      {"no hash", WithPackages({{"linux_amd64", {{}, 1}}}), "has no \"zh:\" hash"},
      {"another zh", WithPackages({{"linux_amd64", {{kZip, "zh:" + std::string(kOther)}, 1}}}),
       "says zh:60303ae2"},
      {"no scheme", WithPackages({{"linux_amd64", {{kZip, "x"}, 1}}}), "hash without a scheme"},
      {"no scheme elsewhere",
       WithPackages({{"linux_amd64", {{kZip}, 1}}, {"linux_arm64", {{":x"}, 1}}}),
       "without a scheme for linux_arm64"},
      {"no platform", WithPackages({{"linux_amd64", {{kZip}, 1}}, {"linux", {{kZip}, 1}}}),
       "names \"linux\""},
      {"two underscores", WithPackages({{"linux_amd64", {{kZip}, 1}}, {"a_b_c", {{kZip}, 1}}}),
       "names \"a_b_c\""},
      {"a space", WithPackages({{"linux_amd64", {{kZip}, 1}}, {"a_b c", {{kZip}, 1}}}),
       "not a platform"},
  });
}

TEST(VerificationTest, OnlyThePublicRegistryMayGoUnsigned) {
  FetchedDownload download = Good();
  download.keys.clear();
  download.signature.clear();
  auto verified = Verify(download, "registry.opentofu.org");
  ASSERT_TRUE(verified) << verified.error().message;
  ASSERT_EQ(verified->warnings.size(), 1u);
  EXPECT_NE(verified->warnings[0].find("it is not signed"), std::string::npos);
  EXPECT_FALSE(Verify(download, "registry.opentofu.org:8443"));
  EXPECT_FALSE(Verify(download, "registry.opentofu.org.example.com"));
  // Where there are keys, they count there too.
  EXPECT_FALSE(Verify(Signed("ed25519", {"p256"}), "registry.opentofu.org"));
}

// Signed by a key of the test's own, since the document is.
TEST(VerificationTest, ReadsSumsAsClientsDoAndTellsWhatCrashesThem) {
  auto key = signing::GenerateKey("Test <test@example.com>", signing::kKeysMadeAt);
  ASSERT_TRUE(key);
  auto verify = [&](std::string sums) {
    FetchedDownload download = Good();
    download.signature = *signing::SignDetached(sums, key->secret, signing::kSignedAt);
    download.sums = std::move(sums);
    download.keys = {{.ascii_armor = key->public_key.armor}};
    return Verify(download);
  };
  const std::string kLine = std::string(kShasum) + "  " + std::string(kFile) + "\n";
  std::string arm = std::string(kOther) + " \t terraform-provider-demo_1.0.0_linux_arm64.zip\r\n";
  std::string upper = arm;
  for (char& c : std::span(upper).first(64)) c = static_cast<char>(std::toupper(c));
  auto verified = verify(kLine + upper + arm + kLine);
  ASSERT_TRUE(verified) << verified.error().message;
  EXPECT_EQ(verified->packages.size(), 2u);
  EXPECT_EQ(verified->packages[1].digest.hex(), kOther);
  EXPECT_FALSE(verified->blank_lines);
  for (std::string blank : {"\n" + kLine, kLine + "\n", kLine + " \t\n" + arm, kLine + "\r\n"}) {
    verified = verify(blank);
    ASSERT_TRUE(verified) << blank;
    EXPECT_TRUE(verified->blank_lines) << blank;
  }
  for (std::string odd : {kLine + "word\n", "# made by a tool\n" + kLine}) {
    verified = verify(odd);
    ASSERT_TRUE(verified) << odd;
    ASSERT_EQ(verified->warnings.size(), 1u) << odd;
    EXPECT_NE(verified->warnings[0].find("lock files lose its digests"), std::string::npos);
  }
}

FetchedDownload Mirrored(std::string shasum, std::vector<std::string> hashes) {
  FetchedDownload download{.os = "linux", .arch = "amd64"};
  download.filename = kFile;
  download.shasum = std::move(shasum);
  download.from_mirror = true;
  download.download_url = "https://mirror.example.com/demo.zip";
  download.hashes = std::move(hashes);
  return download;
}

TEST(VerificationTest, TakesTheMirrorsWordForItsPackages) {
  auto verified = Verify(Mirrored(std::string(kShasum), {"h1:x", "zh:" + std::string(kShasum)}));
  ASSERT_TRUE(verified) << verified.error().message;
  EXPECT_TRUE(verified->digest_known);
  EXPECT_EQ(verified->digest.hex(), kShasum);
  EXPECT_TRUE(verified->packages.empty());
  verified = Verify(Mirrored("", {"h1:x", "h9:y"}));
  ASSERT_TRUE(verified) << verified.error().message;
  EXPECT_FALSE(verified->digest_known);
  EXPECT_EQ(verified->hashes, std::vector<std::string>{"h1:x"});
  verified = Verify(Mirrored("", {}));
  ASSERT_TRUE(verified);
  EXPECT_FALSE(verified->digest_known);
  ASSERT_EQ(verified->warnings.size(), 1u);
  EXPECT_NE(verified->warnings[0].find("cannot be verified"), std::string::npos);
  FetchedDownload several = Mirrored(std::string(kShasum), {"zh:" + std::string(kShasum)});
  several.packages = {{"linux_amd64", {.hashes = {"h1:x", "zh:" + std::string(kShasum)}}},
                      {"linux_arm64", {.hashes = {"h1:x"}}},
                      {"darwin_arm64", {.hashes = {"zh:" + std::string(64, 'F')}}},
                      {"no platform", {.hashes = {"zh:" + std::string(64, 'a')}}},
                      {"linux_386", {.hashes = {"zh:short"}}}};
  verified = Verify(several);
  ASSERT_TRUE(verified) << verified.error().message;
  ASSERT_EQ(verified->packages.size(), 2u);
  EXPECT_EQ(verified->packages[0].filename, "terraform-provider-demo_1.0.0_darwin_arm64.zip");
  EXPECT_EQ(verified->packages[0].digest.hex(), std::string(64, 'f'));
  EXPECT_EQ(verified->packages[1].platform.ToString(), "linux_amd64");
  ExpectRefused({
      {"unknown schemes alone", Mirrored("", {"h9:y"}), "no hash that clients know"},
      {"no scheme", Mirrored("", {"h1:x", "y"}), "\"y\" has no scheme"},
      {"a zh that is none", Mirrored("abc", {"zh:abc"}), "not 64 hexadecimal digits"},
  });
  // A registry that leaves everything out is no mirror.
  EXPECT_FALSE(Verify(FetchedDownload{.os = "linux", .arch = "amd64"}));
}

}  // namespace
}  // namespace koya::upstream
