#include "peers/peer_keys.h"

#include <gtest/gtest.h>

namespace koya::peers {
namespace {

constexpr std::string_view kSecret = "one secret of a cluster";
constexpr std::string_view kOther = "another secret altogether";
constexpr UnixSeconds kAsked = 1'795'279'270;
constexpr std::string_view kPath = "/internal/fills/sha256/00";

TEST(PeerKeysTest, EveryServerOfASecretHasTheSameKey) {
  auto one = MakePeerCertificate(kSecret);
  auto again = MakePeerCertificate(kSecret);
  auto other = MakePeerCertificate(kOther);
  ASSERT_TRUE(one) << one.error().detail;
  EXPECT_EQ(one->pin, again->pin);
  EXPECT_EQ(one->key, again->key);
  EXPECT_NE(one->pin, other->pin);
  EXPECT_TRUE(one->pin.starts_with("sha256//"));
  EXPECT_EQ(one->pin.size(), 8U + 44U);
  EXPECT_TRUE(one->certificate.starts_with("-----BEGIN CERTIFICATE-----"));
  EXPECT_TRUE(one->key.starts_with("-----BEGIN PRIVATE KEY-----"));
}

TEST(PeerKeysTest, ARequestIsGoodForAMinuteEitherWay) {
  PeerKeys keys = PeerKeys::Derive(kSecret).value();
  PeerRequest request{"GET", kPath, 7, kAsked};
  std::string macs = keys.Sign(request);
  EXPECT_EQ(macs.size(), 64U);
  for (UnixSeconds skew : {-60, -1, 0, 1, 60}) {
    EXPECT_TRUE(keys.Accepts(request, macs, kAsked + skew)) << skew;
  }
  for (UnixSeconds skew : {-3600, -61, 61, 86'400}) {
    EXPECT_FALSE(keys.Accepts(request, macs, kAsked + skew)) << skew;
  }
}

TEST(PeerKeysTest, EverythingThatARequestSaysIsBound) {
  PeerKeys keys = PeerKeys::Derive(kSecret).value();
  std::string macs = keys.Sign({"GET", kPath, 7, kAsked});
  const PeerRequest others[] = {
      {"HEAD", kPath, 7, kAsked},
      {"GET", "/internal/fills/sha256/01", 7, kAsked},
      {"GET", kPath, 8, kAsked},
      {"GET", kPath, 7, kAsked + 1},
  };
  for (const PeerRequest& other : others) EXPECT_FALSE(keys.Accepts(other, macs, kAsked));
  PeerRequest request{"GET", kPath, 7, kAsked};
  std::string flipped = macs;
  flipped.back() = flipped.back() == '0' ? '1' : '0';
  for (const std::string& wrong :
       {std::string(), flipped, macs.substr(1), macs + "0", macs + " x", " " + macs,
        flipped + " " + flipped, flipped + " " + flipped + " " + macs, std::string(64, '0')}) {
    EXPECT_FALSE(keys.Accepts(request, wrong, kAsked)) << wrong;
  }
  EXPECT_TRUE(keys.Accepts(request, flipped + " " + macs, kAsked)) << "one that is right suffices";
}

TEST(PeerKeysTest, OnlyASecretOfTheServersCounts) {
  PeerRequest request{"GET", kPath, 0, kAsked};
  PeerKeys before = PeerKeys::Derive(kOther).value();
  PeerKeys turning = PeerKeys::Derive(kSecret, kOther).value();
  PeerKeys after = PeerKeys::Derive(kSecret).value();
  EXPECT_FALSE(before.Accepts(request, after.Sign(request), kAsked));
  EXPECT_FALSE(after.Accepts(request, before.Sign(request), kAsked));
  // While one is replaced by the other, who has both is believed by all, and believes all.
  for (const PeerKeys* each : {&before, &turning, &after}) {
    EXPECT_TRUE(each->Accepts(request, turning.Sign(request), kAsked));
    EXPECT_TRUE(turning.Accepts(request, each->Sign(request), kAsked));
  }
  EXPECT_EQ(turning.certificate().empty(), false);
  EXPECT_EQ(turning.pins(), after.pins() + ";" + before.pins());
}

}  // namespace
}  // namespace koya::peers
