// OpenPGP public keys: which are accepted, their facts, and which are rejected. Keys that are made
// here, and signatures with them; gpg is the second opinion.
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
#include "signing/packets.h"
#include "signing/rnp_session.h"

namespace koya::signing {
namespace {

PublicKey Read(std::string_view name, UnixSeconds now = kNow) {
  auto keys = ReadPublicKeys(TestKey(name), now);
  if (!keys || keys->size() != 1) {
    ADD_FAILURE() << name << ": " << (keys ? "not one key" : keys.error().message);
    return {};
  }
  return keys->front();
}

std::string Bytes(std::string_view name) { return ReadArmor(TestKey(name))->front().bytes; }

std::string Public(std::string_view bytes) { return WriteArmor(kPublicKeyLabel, bytes); }

// The key of that name without the packets of one kind.
std::string Without(std::string_view name, Tag tag) {
  const std::string bytes = Bytes(name);
  std::string rest;
  for (const Packet& packet : *ReadPackets(bytes)) {
    if (packet.tag != tag) rest += packet.whole;
  }
  return Public(rest);
}

struct Row {
  std::string_view name;
  std::string_view fingerprint;
  std::string_view algorithm;
  bool usable_by_clients = true;
  bool can_sign = true;
  bool expired = false;
  bool revoked = false;
};

TEST(OpenPgpKeysTest, SaysWhatAKeyIs) {
  const Row rows[] = {
      {"ed25519", "19BC537F4F9C6B69A9F87903F9484A6141CBF361", "Ed25519"},
      {"rsa2048", "16D5E15C04AA141B2E2BC51D280E26AEC29F9939", "RSA 2048"},
      {"rsa1024", "DBEA4C9A86BE5CA6B049E170CDD1FB1513C9FD29", "RSA 1024", false},
      {"p256", "66FB02FC2C472B7C96C13B642167C39FF01EF16C", "ECDSA P-256"},
      {"p384", "DD50405DB24EB4C7FDE8115564C9819A77C7D4F4", "ECDSA P-384"},
      {"p521", "D671428000FBBCBC7BAC586DD51B2B3BDE84E901", "ECDSA P-521"},
      {"brainpool", "00E9A2D3CDE36D408C63B2622CA80754C0124B9D", "ECDSA brainpoolP256r1", false},
      {"secp", "478B1C0F6E78F61C01BD7EA97C6550C4C22A98C0", "ECDSA secp256k1", false},
      {"dsa", "1EE51F969048EB33ECBA7E70FFBE4C7F7A21ACD9", "DSA 2048", false},
      {"expired", "CFC76CB2D9A177855E00DB63A54A3261350C4CF1", "Ed25519", true, true, true},
      {"revoked", "5AD06C5600C46A1E6E0D5971C3BD32DAD1F7318C", "Ed25519", true, true, false, true},
      {"subkeys", "448EDD4A89C11809BBEE0F533185FFFD2A7A502D", "Ed25519"},
      // Its other subkey that signs has expired.
      {"subkey revoked", "448EDD4A89C11809BBEE0F533185FFFD2A7A502D", "Ed25519", true, false},
      {"nosign", "42AF76C64B3495A22F0D514367F8F95DBA9F0B82", "Ed25519", true, false},
      {"certify only", "610B21D6FAC8A2FFEA12B8F5A5A3DD91E66BB42E", "Ed25519", true, false},
      // Clients take these, too.
      {"SHA1 self-signature", "2AF6DC7E0AC0A539AD42462441DB62E81AF1E009", "RSA 2048"},
  };
  for (const Row& row : rows) {
    const PublicKey key = Read(row.name);
    EXPECT_EQ(key.fingerprint, row.fingerprint) << row.name;
    EXPECT_EQ(key.key_id, row.fingerprint.substr(24)) << row.name;
    EXPECT_EQ(key.algorithm, row.algorithm) << row.name;
    EXPECT_EQ(key.usable_by_clients, row.usable_by_clients) << row.name;
    EXPECT_EQ(key.can_sign, row.can_sign) << row.name;
    EXPECT_EQ(key.expired, row.expired) << row.name;
    EXPECT_EQ(key.revoked, row.revoked) << row.name;
    EXPECT_EQ(key.user_ids.size(), 1U) << row.name;
  }
  const PublicKey key = Read("ed25519");
  EXPECT_EQ(key.user_ids, std::vector<std::string>{"ed25519 <ed25519@example.test>"});
  EXPECT_EQ(key.created_at, kKeysMadeAt);
  EXPECT_EQ(key.expires_at, std::nullopt);
}

TEST(OpenPgpKeysTest, ExpiryIsAtTheMomentGiven) {
  const PublicKey before = Read("expired", kKeyExpiry - 1);
  EXPECT_FALSE(before.expired);
  EXPECT_EQ(before.expires_at, kKeyExpiry);
  EXPECT_TRUE(Read("expired", kKeyExpiry).expired);
  // The subkey of RSA has not expired yet, the other is revoked.
  EXPECT_TRUE(Read("subkey revoked", kKeyExpiry - 1).can_sign);
}

// The primary key only certifies, and never ends; its only signing subkey ends after 365 days.
TEST(OpenPgpKeysTest, AKeyEndsWhenNothingOfItSignsAnyMore) {
  constexpr UnixSeconds kEnd = kKeysMadeAt + 365 * 86'400;
  const PublicKey before = Read("subkey of a year", kEnd - 1);
  EXPECT_TRUE(before.can_sign);
  EXPECT_EQ(before.expires_at, kEnd);
  EXPECT_EQ(before.expired_signer, "");
  const PublicKey after = Read("subkey of a year", kEnd);
  EXPECT_FALSE(after.can_sign);
  EXPECT_FALSE(after.expired) << "its primary key has not";
  EXPECT_EQ(after.expires_at, kEnd);
  EXPECT_EQ(after.expired_signer, "1CBD83519286D84ABB7560E2BA1D0E506D438AF8");
  EXPECT_EQ(Read("certify only").expired_signer, "");
  EXPECT_EQ(Read("subkey revoked", kKeysMadeAt + 1).expires_at, kKeyExpiry) << "of the other one";
}

TEST(OpenPgpKeysTest, ArmorIsThisKeyAloneAndReadsBack) {
  const std::string both = std::string(TestKey("subkeys")) + std::string(TestKey("dsa"));
  const auto keys = ReadPublicKeys(both, kNow);
  ASSERT_TRUE(keys) << keys.error().message;
  ASSERT_EQ(keys->size(), 2U);
  EXPECT_EQ(ReadArmor((*keys)[0].armor)->front().bytes, Bytes("subkeys"));
  EXPECT_EQ(ReadArmor((*keys)[1].armor)->front().bytes, Bytes("dsa"));
  EXPECT_EQ(ReadPublicKeys((*keys)[1].armor, kNow)->front().armor, (*keys)[1].armor);
}

TEST(OpenPgpKeysTest, TakesKeysInEveryShape) {
  const std::string key(TestKey("ed25519"));
  std::string crlf;
  std::string indented;
  for (const char c : key) {
    crlf += c == '\n' ? "\r\n" : std::string(1, c);
    indented += c == '\n' ? "  \n    " : std::string(1, c);
  }
  std::string headers = key;
  headers.insert(headers.find("\n\n"), "\nVersion: GnuPG v2\nComment: https://example.test");
  std::string no_checksum = key;
  no_checksum.erase(no_checksum.find("\n="), 6);
  const std::pair<std::string_view, std::string> rows[] = {
      {"as gpg writes it", key},
      {"with text around it", "My key:\n\n" + key + "\n-- \nAnna\n"},
      {"with CR LF", crlf},
      {"indented", indented},
      {"with headers", headers},
      {"without a checksum", no_checksum},
      {"without the last line feed", key.substr(0, key.size() - 1)},
  };
  for (const auto& [what, text] : rows) {
    const auto keys = ReadPublicKeys(text, kNow);
    ASSERT_TRUE(keys) << what << ": " << keys.error().message;
    ASSERT_EQ(keys->size(), 1U) << what;
    EXPECT_EQ(keys->front().armor, Read("ed25519").armor) << what;
  }
  const auto several = ReadPublicKeys(
      Public(Bytes("ed25519") + Bytes("p256")) + "and\n" + std::string(TestKey("dsa")), kNow);
  ASSERT_TRUE(several) << several.error().message;
  ASSERT_EQ(several->size(), 3U);
  EXPECT_EQ((*several)[1].fingerprint, Read("p256").fingerprint);
  EXPECT_EQ((*several)[1].armor, Read("p256").armor);
}

TEST(OpenPgpKeysTest, UserIdsAreFitToBeShown) {
  std::string bytes = Bytes("ed25519");
  const std::string evil = "\x1B[2J<b>\xFF";
  bytes += "\xB4" + std::string(1, static_cast<char>(evil.size())) + evil;  // without a signature
  const auto keys = ReadPublicKeys(Public(bytes), kNow);
  ASSERT_TRUE(keys) << keys.error().message;
  for (const std::string& user_id : keys->front().user_ids) {
    EXPECT_FALSE(user_id.contains('\x1B')) << user_id;
    EXPECT_FALSE(user_id.contains('\xFF')) << user_id;
  }
}

struct Refused {
  std::string_view what;
  std::string text;
  std::string_view message_part;
};

std::vector<Refused> RefusedTexts() {
  const std::string key(TestKey("ed25519"));
  const std::string bytes = Bytes("ed25519");
  std::string damaged = bytes;
  damaged[damaged.size() - 3] ^= 1;  // in the self-signature
  std::string wrong_checksum = key;
  wrong_checksum[wrong_checksum.find("\n=") + 2] ^= 1;
  std::string version5 = bytes;
  version5[2] = 5;
  std::string many;
  for (int i = 0; i < 33; ++i) many += bytes;
  const std::size_t self_signature = ReadPackets(bytes)->at(2).whole.size();
  std::string user_id_first(ReadPackets(bytes)->at(1).whole);
  return {
      {"nothing", "", "has no OpenPGP key"},
      {"words", "my key is 19BC537F4F9C6B69", "has no OpenPGP key"},
      {"a key id", "0x19BC537F", "has no OpenPGP key"},
      {"a signature", std::string(TestSignature("ed25519")), "is not a public key"},
      {"a message", std::string(TestSignature("encrypted")), "is not a public key"},
      {"a key and a signature", key + std::string(TestSignature("ed25519")), "is not a public key"},
      {"no END line", key.substr(0, key.find("-----END")), "has no END line"},
      {"another END line", key.substr(0, key.find("-----END")) + "-----END PGP SIGNATURE-----\n",
       "does not end with the same name"},
      {"no empty line", "-----BEGIN PGP PUBLIC KEY BLOCK-----\n" + key.substr(key.find("\n\n") + 2),
       "has no empty line"},
      {"a wrong checksum", wrong_checksum, "does not match its checksum"},
      {"not base64",
       "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmDME!\n-----END PGP PUBLIC KEY BLOCK-----",
       "is not base64"},
      {"an empty block", Public(""), "is empty"},
      {"a packet cut off", Public(bytes.substr(0, bytes.size() - 1)), "is cut off"},
      {"half a packet header", Public("\x99"), "is cut off"},
      {"text as a packet", Public("hello"), "does not begin as one"},
      {"partial lengths", Public("\xC6\xE1xx"), "no definite length"},
      {"an indeterminate length", Public("\x9Bxx"), "no definite length"},
      {"a signature within", Public(BinarySignature(TestSignature("ed25519")).value_or("")),
       "kind 2"},
      {"a user id first", Public(user_id_first + bytes), "kind 13"},
      {"literal data within", Public(bytes + "\xCB\x01x"), "kind 11"},
      {"compressed data", Public("\xC8\x01x"), "kind 8"},
      {"version 5", Public(version5), "of version 5"},
      {"the same key twice", key + key, "is there twice"},
      {"many keys", Public(many), "more than 32 keys"},
      {"a broken self-signature", Public(damaged),
       "has no user id with a currently valid self-signature"},
      {"no self-signature", Public(bytes.substr(0, bytes.size() - self_signature)),
       "has no user id with a currently valid self-signature"},
      {"no user id", Without("ed25519", Tag::kUserId), "19BC537F4F9C6B69A9F87903F9484A6141CBF361"},
      {"a huge number",
       Public(std::string("\x99\x00\x0C\x04\0\0\0\0\x01\xFF\xFF\x01\x01\x03\x03", 15)),
       "is cut off"},
      {"a large text", std::string(kMaxKeyText + 1, 'x'), "the limit is 262144"},
  };
}

TEST(OpenPgpKeysTest, RefusesWhatIsNoKey) {
  for (const Refused& row : RefusedTexts()) {
    const auto keys = ReadPublicKeys(row.text, kNow);
    ASSERT_FALSE(keys) << row.what;
    EXPECT_EQ(keys.error().kind, ErrorKind::kInvalid) << row.what;
    EXPECT_TRUE(keys.error().message.contains(row.message_part))
        << row.what << ": " << keys.error().message;
  }
}

// RSA numbers that would take minutes to reckon with.
TEST(OpenPgpKeysTest, RefusesNumbersBeyondAllUse) {
  auto mpi = [](std::size_t bytes) {
    const std::size_t bits = bytes * 8;
    return std::string{static_cast<char>(bits >> 8U), static_cast<char>(bits)} +
           std::string(bytes, '\xFF');
  };
  for (const auto& [modulus, exponent] : {std::pair{1025U, 3U}, {256U, 9U}, {8000U, 8000U}}) {
    const std::string body = std::string("\x04\0\0\0\0\x01", 6) + mpi(modulus) + mpi(exponent);
    const std::string packet = {'\x99', static_cast<char>(body.size() >> 8U),
                                static_cast<char>(body.size())};
    const auto keys = ReadPublicKeys(Public(packet + body), kNow);
    ASSERT_FALSE(keys);
    EXPECT_TRUE(keys.error().message.contains("has RSA numbers of")) << keys.error().message;
  }
}

TEST(OpenPgpKeysTest, RefusesSecretKeysBeforeAnythingElse) {
  const auto generated = GenerateKey("Secret <secret@example.test>", kNow);
  ASSERT_TRUE(generated) << generated.error().detail;
  const std::string& secret = generated->secret;
  const std::string armored = WriteArmor("PGP PRIVATE KEY BLOCK", secret);
  const std::string digits = armored.substr(armored.find("\n\n") + 2, 60);
  const std::string key(TestKey("ed25519"));
  const std::string cut = armored.substr(0, armored.size() / 2);
  const std::pair<std::string_view, std::string> rows[] = {
      {"as gpg writes it", armored},
      {"of old PGP", WriteArmor("PGP SECRET KEY BLOCK", secret)},
      {"as a public key", Public(secret)},
      {"behind a public key", key + armored},
      {"behind a public key, in one block", Public(Bytes("ed25519") + secret)},
      {"behind a public key, as one", key + Public(secret)},
      {"behind a damaged public key, as one", key.substr(0, 100) + "\n" + Public(secret)},
      {"before a damaged public key", Public(secret) + key.substr(0, 100)},
      {"as a message", WriteArmor("PGP MESSAGE", secret)},
      {"cut off", cut},
      {"without its first dashes", armored.substr(3)},
      {"indented", "   " + armored},
      {"binary", secret},
      {"binary, cut off", secret.substr(0, 50)},
      {"too large", armored + std::string(kMaxKeyText, '\n')},
      {"a subkey alone", Public("\xC7\x01\x04")},
  };
  for (const auto& [what, text] : rows) {
    const auto keys = ReadPublicKeys(text, kNow);
    ASSERT_FALSE(keys) << what;
    EXPECT_EQ(keys.error().kind, ErrorKind::kInvalid) << what;
    EXPECT_TRUE(keys.error().message.starts_with("this text contains a secret key")) << what;
    EXPECT_FALSE(keys.error().message.contains(digits)) << what;
    EXPECT_EQ(keys.error().detail, "") << what;
  }
}

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
