// Detached OpenPGP signatures: which forms are taken, and what checking them says.
#include <gtest/gtest.h>

#include "signing/armor.h"
#include "signing/openpgp.h"
#include "signing/openpgp_fake.h"
#include "signing/packets.h"

namespace koya::signing {
namespace {

using State = CheckedSignature::State;

std::string Binary(std::string_view name) {
  auto binary = BinarySignature(TestSignature(name));
  if (!binary) ADD_FAILURE() << name << ": " << binary.error().message;
  return binary.value_or("");
}

std::vector<CheckedSignature> Check(std::string_view data, std::string_view signature,
                                    std::initializer_list<std::string_view> keys,
                                    UnixSeconds now = kNow) {
  std::vector<std::string> armors;
  for (const std::string_view key : keys) armors.emplace_back(TestKey(key));
  auto checked = CheckSignatures(data, signature, armors, now);
  if (!checked) ADD_FAILURE() << checked.error().message;
  return checked.value_or(std::vector<CheckedSignature>());
}

struct Good {
  std::string_view signature;
  std::string_view key;
  std::string_view hash;
  bool weak_hash = false;
  bool key_expired = false;
  bool key_revoked = false;
  bool key_may_sign = true;
  bool signature_expired = false;
};

TEST(OpenPgpSignaturesTest, TellsGoodOnesAndTheirFlags) {
  const Good rows[] = {
      {"ed25519", "ed25519", "SHA256"},
      {"ed25519 text", "ed25519", "SHA256"},
      {"rsa2048", "rsa2048", "SHA512"},
      {"rsa2048 SHA224", "rsa2048", "SHA224"},
      {"rsa2048 SHA384", "rsa2048", "SHA384"},
      {"rsa1024", "rsa1024", "SHA512"},
      {"p256", "p256", "SHA256"},
      {"p384", "p384", "SHA384"},
      {"p521", "p521", "SHA512"},
      {"brainpool", "brainpool", "SHA256"},
      {"secp", "secp", "SHA256"},
      {"dsa", "dsa", "SHA256"},
      {"ed25519 SHA1", "ed25519", "SHA1", true},
      {"rsa2048 SHA1", "rsa2048", "SHA1", true},
      {"rsa2048 MD5", "rsa2048", "MD5", true},
      {"rsa2048 RIPEMD160", "rsa2048", "RIPEMD160", true},
      {"expired", "expired", "SHA256", false, true},
      // By the renewed key; its old copy is at hand.
      {"expired afterwards", "expired", "SHA256", false, true},
      {"revoked", "revoked", "SHA256", false, false, true},
      {"subkey", "subkeys", "SHA256"},
      {"subkey", "subkey revoked", "SHA256", false, false, true},
      {"expired subkey", "subkeys", "SHA512", false, true},
      {"nosign", "nosign", "SHA256", false, false, false, false},
      {"ed25519 until 2024-04", "ed25519", "SHA256", false, false, false, true, true},
  };
  for (const Good& row : rows) {
    const auto checked = Check(kDocument, Binary(row.signature), {"p384", row.key});
    ASSERT_EQ(checked.size(), 1U) << row.signature;
    const CheckedSignature& one = checked.front();
    EXPECT_EQ(one.state, State::kGood) << row.signature;
    EXPECT_EQ(one.fingerprint, ReadPublicKeys(TestKey(row.key), kNow)->front().fingerprint);
    EXPECT_EQ(one.hash, row.hash) << row.signature;
    EXPECT_EQ(one.weak_hash, row.weak_hash) << row.signature;
    EXPECT_EQ(one.key_expired, row.key_expired) << row.signature;
    EXPECT_EQ(one.key_revoked, row.key_revoked) << row.signature;
    EXPECT_EQ(one.key_may_sign, row.key_may_sign) << row.signature;
    EXPECT_EQ(one.signature_expired, row.signature_expired) << row.signature;
  }
}

TEST(OpenPgpSignaturesTest, NamesSubkeysAndTheirPrimaryKeys) {
  const auto checked = Check(kDocument, Binary("subkey"), {"subkeys"});
  EXPECT_EQ(checked.front().key_id, "233A4B292F5D5E25");
  EXPECT_EQ(checked.front().fingerprint, "448EDD4A89C11809BBEE0F533185FFFD2A7A502D");
}

TEST(OpenPgpSignaturesTest, ExpiryIsAtTheMomentGiven) {
  EXPECT_FALSE(Check(kDocument, Binary("expired"), {"expired"}, kKeyExpiry - 1)[0].key_expired);
  EXPECT_TRUE(Check(kDocument, Binary("expired"), {"expired"}, kKeyExpiry)[0].key_expired);
  constexpr UnixSeconds kThirtyDays = 30 * 86400;
  const std::string signature = Binary("ed25519 until 2024-04");
  EXPECT_FALSE(
      Check(kDocument, signature, {"ed25519"}, kSignedAt + kThirtyDays - 1)[0].signature_expired);
  EXPECT_TRUE(
      Check(kDocument, signature, {"ed25519"}, kSignedAt + kThirtyDays + 5)[0].signature_expired);
}

TEST(OpenPgpSignaturesTest, ChecksEverySigner) {
  const std::string signature = Binary("ed25519 and p256");
  const auto both = Check(kDocument, signature, {"p256", "ed25519"});
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].state, State::kGood);
  EXPECT_EQ(both[1].state, State::kGood);
  EXPECT_NE(both[0].fingerprint, both[1].fingerprint);
  const auto one = Check(kDocument, signature, {"p256"});
  ASSERT_EQ(one.size(), 2U);
  EXPECT_EQ(one[0].state, State::kUnknownKey);
  EXPECT_EQ(one[0].key_id, "F9484A6141CBF361");
  EXPECT_EQ(one[0].fingerprint, "");
  EXPECT_EQ(one[1].state, State::kGood);
}

TEST(OpenPgpSignaturesTest, KnowsNoKeyThatIsNotGiven) {
  for (const std::string_view name : {"ed25519", "rsa2048", "p256", "subkey"}) {
    EXPECT_EQ(Check(kDocument, Binary(name), {})[0].state, State::kUnknownKey);
    EXPECT_EQ(Check(kDocument, Binary(name), {"dsa", "p384"})[0].state, State::kUnknownKey);
  }
}

TEST(OpenPgpSignaturesTest, IsBadOverOtherData) {
  for (const std::string_view name :
       {"ed25519", "rsa2048", "p256", "dsa", "ed25519 SHA1", "ed25519 text"}) {
    const std::string_view key = name.substr(0, name.find(' '));
    const std::string signature = Binary(name);
    for (std::size_t i = 0; i < kDocument.size(); i += 7) {
      std::string other(kDocument);
      other[i] ^= 1;
      const auto checked = Check(other, signature, {key});
      EXPECT_EQ(checked[0].state, State::kBad) << name << " at " << i;
      EXPECT_FALSE(checked[0].fingerprint.empty());
    }
    EXPECT_EQ(Check("", signature, {key})[0].state, State::kBad) << name;
    EXPECT_EQ(Check(std::string(kDocument) + "\n", signature, {key})[0].state, State::kBad) << name;
  }
}

TEST(OpenPgpSignaturesTest, OnlyTextSignaturesForgiveLineEnds) {
  std::string crlf;
  for (const char c : kDocument) crlf += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(Check(crlf, Binary("ed25519 text"), {"ed25519"})[0].state, State::kGood);
  EXPECT_EQ(Check(crlf, Binary("ed25519"), {"ed25519"})[0].state, State::kBad);
}

// Whichever bit is changed in the signed bytes or in the signature's numbers. The bit count that a
// number claims matters only for its byte count, to clients as well.
TEST(OpenPgpSignaturesTest, IsNeverGoodWhenChanged) {
  const std::vector<std::string> armors = {std::string(TestKey("ed25519"))};
  const std::string signature = Binary("ed25519");
  const std::string_view body = ReadPackets(signature)->front().body;
  FieldReader fields(body);
  fields.Number(4);
  fields.Bytes(fields.Number(2));
  const std::size_t header = signature.size() - body.size();
  const std::size_t hashed_end = signature.size() - fields.rest().size();
  fields.Bytes(fields.Number(2));
  const std::size_t hint = signature.size() - fields.rest().size();
  const std::size_t r_bits = hint + 3;
  const std::size_t s_bits = r_bits + 34;
  for (std::size_t i = header; i < signature.size(); ++i) {
    if (i >= hashed_end && i < hint) continue;  // not signed, and only a hint
    if (i == r_bits || i == s_bits) continue;
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string changed = signature;
      changed[i] = static_cast<char>(static_cast<unsigned char>(changed[i]) ^ 1U << bit);
      const auto checked = CheckSignatures(kDocument, changed, armors, kNow);
      if (checked) {
        EXPECT_NE(checked->at(0).state, State::kGood) << i << "/" << bit;
      }
    }
  }
}

TEST(OpenPgpSignaturesTest, BinaryIsKeptAndArmorTakenOff) {
  const std::string binary = Binary("ed25519");
  const auto again = BinarySignature(binary);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, binary);
  EXPECT_EQ(BinarySignature("\n" + std::string(TestSignature("ed25519")) + "\n").value_or(""),
            binary);
  EXPECT_EQ(Binary("ed25519 and p256").size(), Binary("ed25519").size() + Binary("p256").size());
}

struct RefusedSignature {
  std::string_view what;
  std::string bytes;
  std::string_view message_part;
};

TEST(OpenPgpSignaturesTest, WhatIsNoSignatureIsToBeSignedAgainAndNotExported) {
  const std::string binary = Binary("ed25519");
  for (const std::string& bytes : {std::string("signed, Anna"), binary.substr(0, binary.size() - 1),
                                   binary + "x", std::string(TestKey("ed25519"))}) {
    const auto refused = BinarySignature(bytes);
    ASSERT_FALSE(refused);
    const std::string& message = refused.error().message;
    EXPECT_TRUE(message.contains("sign SHA256SUMS again, detached and binary")) << message;
    EXPECT_FALSE(message.contains("export")) << message;
  }
}

TEST(OpenPgpSignaturesTest, RefusesWhatIsNoSignature) {
  const std::string binary = Binary("ed25519");
  const std::string key = ReadArmor(TestKey("ed25519"))->front().bytes;
  const std::string certification(ReadPackets(key)->at(2).whole);
  std::string version3 = binary;
  version3[2] = 3;
  std::string many;
  for (int i = 0; i < 33; ++i) many += binary;
  const RefusedSignature rows[] = {
      {"nothing", "", "is empty"},
      {"words", "signed, Anna", "does not begin as one"},
      {"base64 without armor", "iHUEABYKAB0WIQQ", "does not begin as one"},
      {"cleartext-signed", std::string(TestSignature("cleartext")), "cleartext-signed"},
      {"inline-signed, armored", std::string(TestSignature("inline")), "is not a signature"},
      {"inline-signed", ReadArmor(TestSignature("inline"))->front().bytes, "OpenPGP packet"},
      {"encrypted, armored", std::string(TestSignature("encrypted")), "is not a signature"},
      {"encrypted", ReadArmor(TestSignature("encrypted"))->front().bytes, "of kind 1"},
      {"a key, armored", std::string(TestKey("ed25519")), "is not a signature"},
      {"a key", key, "of kind 6"},
      {"a key under another name", WriteArmor(kSignatureLabel, key), "of kind 6"},
      {"a key's signature", certification, "over a key"},
      {"two blocks", std::string(TestSignature("p256")) + std::string(TestSignature("p256")),
       "2 armored blocks"},
      {"an empty block", WriteArmor(kSignatureLabel, ""), "is empty"},
      {"cut off", binary.substr(0, binary.size() - 1), "is cut off"},
      {"one byte", binary.substr(0, 1), "is cut off"},
      {"a signature and more", binary + "x", "does not begin as one"},
      {"a signature and padding", binary + std::string(4, '\0'), "does not begin as one"},
      {"version 3", version3, "of version 3"},
      {"an empty packet", std::string("\xC2\x00", 2), "is damaged"},
      {"an undated one", std::string("\xC2\x0A\x04\x00\x16\x08\0\0\0\0\0\0", 12), "is damaged"},
      {"many", many, "33 OpenPGP packets"},
      {"too large", binary + std::string(kMaxSignature, 'x'), "the limit is 65536"},
  };
  for (const RefusedSignature& row : rows) {
    const auto refused = BinarySignature(row.bytes);
    ASSERT_FALSE(refused) << row.what;
    EXPECT_EQ(refused.error().kind, ErrorKind::kInvalid) << row.what;
    EXPECT_TRUE(refused.error().message.contains(row.message_part))
        << row.what << ": " << refused.error().message;
  }
  for (std::size_t size = 0; size < binary.size(); ++size) {
    EXPECT_FALSE(BinarySignature(binary.substr(0, size))) << size;
    EXPECT_FALSE(CheckSignatures(kDocument, binary.substr(0, size), {}, kNow)) << size;
  }
}

TEST(OpenPgpSignaturesTest, ChecksBinaryAgainstReadableKeysOnly) {
  const std::vector<std::string> good = {std::string(TestKey("ed25519"))};
  const auto armored = CheckSignatures(kDocument, TestSignature("ed25519"), good, kNow);
  ASSERT_FALSE(armored);
  EXPECT_EQ(armored.error().kind, ErrorKind::kInvalid);
  const std::vector<std::string> bad = {good[0], "no key"};
  const auto no_key = CheckSignatures(kDocument, Binary("ed25519"), bad, kNow);
  ASSERT_FALSE(no_key);
  EXPECT_TRUE(no_key.error().message.contains("no OpenPGP key")) << no_key.error().message;
}

}  // namespace
}  // namespace koya::signing
