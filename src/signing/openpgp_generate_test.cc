// Keys that are made here, and signatures with them; gpg is the second opinion.
#include <gtest/gtest.h>
#include <rnp/rnp.h>
#include <rnp/rnp_err.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "base/temp_folder_fake.h"
#include "signing/armor.h"
#include "signing/openpgp.h"
#include "signing/openpgp_fake.h"
#include "signing/quiet_stderr.h"
#include "signing/rnp_session.h"

namespace koya::signing {
namespace {

GeneratedKey Generate(std::string_view user_id = "Koya <koya@example.test>") {
  auto key = GenerateKey(user_id, kNow);
  if (!key) {
    ADD_FAILURE() << key.error().message << " " << key.error().detail;
    return {};
  }
  return *std::move(key);
}

TEST(OpenPgpGenerateTest, MakesAKeyThatClientsUse) {
  const GeneratedKey key = Generate();
  EXPECT_EQ(key.public_key.algorithm, "Ed25519");
  EXPECT_EQ(key.public_key.user_ids, std::vector<std::string>{"Koya <koya@example.test>"});
  EXPECT_EQ(key.public_key.created_at, kNow);
  EXPECT_EQ(key.public_key.expires_at, std::nullopt);
  EXPECT_TRUE(key.public_key.can_sign);
  EXPECT_TRUE(key.public_key.usable_by_clients);
  EXPECT_FALSE(key.public_key.expired || key.public_key.revoked);
  EXPECT_NE(key.public_key.fingerprint, Generate().public_key.fingerprint);
  EXPECT_FALSE(key.public_key.armor.contains("PRIVATE"));
}

TEST(OpenPgpGenerateTest, SignsBinaryWithSha512) {
  const GeneratedKey key = Generate("Ünïcode");
  const auto signature = SignDetached(kDocument, key.secret, kNow + 60);
  ASSERT_TRUE(signature) << signature.error().detail;
  EXPECT_EQ(BinarySignature(*signature).value_or(""), *signature);
  const std::vector<std::string> armors = {key.public_key.armor};
  const auto checked = CheckSignatures(kDocument, *signature, armors, kNow + 60);
  ASSERT_TRUE(checked) << checked.error().message;
  ASSERT_EQ(checked->size(), 1U);
  EXPECT_EQ(checked->front().state, CheckedSignature::State::kGood);
  EXPECT_EQ(checked->front().fingerprint, key.public_key.fingerprint);
  EXPECT_EQ(checked->front().hash, "SHA512");
  EXPECT_TRUE(checked->front().key_may_sign);
  const auto other = CheckSignatures("other", *signature, armors, kNow + 60);
  EXPECT_EQ(other->front().state, CheckedSignature::State::kBad);
}

TEST(OpenPgpGenerateTest, SignsWithSecretKeysOnly) {
  const std::string public_key = ReadArmor(TestKey("ed25519"))->front().bytes;
  const std::string secret = Generate().secret;
  for (const std::string& bad :
       {std::string(), std::string("x"), public_key, secret.substr(0, secret.size() / 2)}) {
    const auto signature = SignDetached(kDocument, bad, kNow);
    ASSERT_FALSE(signature);
    EXPECT_EQ(signature.error().kind, ErrorKind::kInternal);
  }
}

TEST(OpenPgpGenerateTest, GpgVerifiesWhatIsSignedHere) {
  if (std::system("gpg --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "gpg is not installed";
  const TempFolder folder;
  auto write = [&](const std::string& name, std::string_view content) {
    std::ofstream(folder / name, std::ios::binary) << content;
  };
  auto gpg = [&](std::string_view arguments) {
    const std::string& path = folder.path();
    const std::string command = "cd '" + path + "' && GNUPGHOME='" + path +
                                "' gpg --batch --quiet --no-autostart --ignore-time-conflict " +
                                std::string(arguments) + " >/dev/null 2>&1";
    return std::system(command.c_str()) == 0;
  };
  const GeneratedKey key = Generate();
  write("key.asc", key.public_key.armor);
  write("sums", kDocument);
  write("sums.sig", SignDetached(kDocument, key.secret, kNow).value_or(""));
  EXPECT_TRUE(gpg("--import key.asc"));
  EXPECT_TRUE(gpg("--list-keys " + key.public_key.fingerprint));
  EXPECT_TRUE(gpg("--verify sums.sig sums"));
  write("sums", "something else");
  EXPECT_FALSE(gpg("--verify sums.sig sums"));
}

// A key that librnp has remarks on: its self-signature is one of another user id.
std::string RemarkableKey() {
  std::string bytes = ReadArmor(TestKey("ed25519"))->front().bytes;
  bytes[bytes.find("example.test")] = 'E';
  return bytes;
}

std::string StderrOfRnp() {
  const std::string bytes = RemarkableKey();
  testing::internal::CaptureStderr();
  auto session = RnpSession::Open(kNow);
  if (session && session->Import(bytes, RNP_LOAD_SAVE_PUBLIC_KEYS)) {
    const RnpKey key = session->PrimaryKey();
    bool valid = true;
    if (key == nullptr || rnp_key_is_valid(key.get(), &valid) != RNP_SUCCESS || valid) {
      ADD_FAILURE() << "the key is not as the test needs it";
    }
  }
  return testing::internal::GetCapturedStderr();
}

TEST(QuietStderrTest, KeepsLibrariesQuietOnOneThread) {
  EXPECT_NE(StderrOfRnp(), "");  // otherwise the rest proves nothing
  const QuietStderr quiet;
  EXPECT_EQ(StderrOfRnp(), "");
  {
    const QuietStderr nested;
  }
  EXPECT_EQ(StderrOfRnp(), "");
  std::string elsewhere;
  std::thread([&] { elsewhere = StderrOfRnp(); }).join();
  EXPECT_NE(elsewhere, "");
}

TEST(QuietStderrTest, NothingHereWritesToStderr) {
  const std::vector<std::string> armors = {std::string(TestKey("ed25519"))};
  const std::string signature = BinarySignature(TestSignature("ed25519 SHA1")).value_or("");
  testing::internal::CaptureStderr();
  EXPECT_FALSE(ReadPublicKeys(WriteArmor(kPublicKeyLabel, RemarkableKey()), kNow));
  EXPECT_TRUE(CheckSignatures(kDocument, signature, armors, kNow));
  EXPECT_TRUE(CheckSignatures("other", signature, armors, kNow));
  EXPECT_TRUE(GenerateKey("Koya", kNow));
  EXPECT_FALSE(SignDetached("x", RemarkableKey(), kNow));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace koya::signing
