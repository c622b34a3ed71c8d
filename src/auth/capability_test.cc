#include "auth/capability.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/encoding.h"
#include "domain/digest.h"

namespace koya::auth {
namespace {

using Kind = CapabilityBearer::Kind;

constexpr std::string_view kServerSecret = "0123456789abcdef";
constexpr std::string_view kPath = "/download/acme/vpc/aws/1.0.0.tar.gz";
constexpr UnixSeconds kEnd = 1770000000;
constexpr UnixSeconds kNow = kEnd - 600;

CapabilityBearer TestBearer(Kind kind = Kind::kToken) {
  return CapabilityBearer::Of(kind, Digest::Of("koya_test"));
}

// The two parameters of the URL that the tests begin with.
std::string GoodEnd() { return fmt::format("expires={}", kEnd); }
std::string GoodSig() {
  const std::string query = CapabilitySigner(kServerSecret).Sign(kPath, TestBearer(), kEnd);
  return query.substr(query.find('&') + 1);
}

struct VerifyRow {
  std::string_view what;
  std::string query;
  std::string_view words = "";  // of the refusal
  std::string_view path = kPath;
  UnixSeconds now = kNow;
};

void ExpectTaken(const std::vector<VerifyRow>& rows) {
  const CapabilitySigner signer(kServerSecret);
  for (const VerifyRow& row : rows) {
    const auto bearer = signer.Verify(row.path, row.query, row.now);
    ASSERT_TRUE(bearer) << row.what << ": " << bearer.error().message;
    ASSERT_TRUE(*bearer) << row.what;
    EXPECT_EQ(**bearer, TestBearer()) << row.what;
  }
}

void ExpectForbidden(const std::vector<VerifyRow>& rows) {
  const CapabilitySigner signer(kServerSecret);
  for (const VerifyRow& row : rows) {
    const auto bearer = signer.Verify(row.path, row.query, row.now);
    ASSERT_FALSE(bearer) << row.what;
    EXPECT_EQ(bearer.error().kind, ErrorKind::kForbidden) << row.what;
    EXPECT_TRUE(bearer.error().message.contains(row.words))
        << row.what << ": " << bearer.error().message;
  }
}

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (char c : text) escaped += fmt::format("%{:02x}", static_cast<unsigned char>(c));
  return escaped;
}

// Servers of several versions share a catalog and sign for each other.
TEST(CapabilityTest, IsWrittenAsEveryServerWritesIt) {
  const CapabilitySigner signer(kServerSecret);
  EXPECT_EQ(signer.Sign(kPath, TestBearer(), kEnd),
            "expires=1770000000&sig="
            "AUVg2XlaIGxBUaRKJugM6qjbmc0kC_hX6pTb8s1-fGqGcGS9fu-pVqB3LpcH-8UC6A");
  EXPECT_EQ(signer.Sign(kPath, TestBearer(Kind::kSession), kEnd),
            "expires=1770000000&sig="
            "AkVg2XlaIGxBUaRKJugM6qiK9x3uoKl0wQbyfZ3aktvnyXXUqBozWmG7QItpjZR8sw");
}

TEST(CapabilityTest, SaysWhoAsks) {
  const CapabilitySigner signer(kServerSecret);
  for (Kind kind : {Kind::kToken, Kind::kSession}) {
    for (std::string_view path : {"/", "", "/a b/é.zip", "/x?expires=1&sig=2"}) {
      const auto bearer =
          signer.Verify(path, signer.Sign(path, TestBearer(kind), kEnd), kNow).value();
      EXPECT_EQ(bearer, TestBearer(kind)) << path;
    }
  }
  EXPECT_NE(TestBearer(Kind::kToken), TestBearer(Kind::kSession));
  EXPECT_NE(TestBearer(), CapabilityBearer::Of(Kind::kToken, Digest::Of("koya_other")));
}

TEST(CapabilityTest, TakesWhatClientsMakeOfIt) {
  const std::string end = GoodEnd(), sig = GoodSig(), sig_value = sig.substr(4);
  ExpectTaken({
      {"as given", end + "&" + sig},
      {"the other order", sig + "&" + end},
      {"a checksum before", "checksum=sha256:ab&" + end + "&" + sig},
      {"a checksum behind", end + "&" + sig + "&checksum=sha256:ab"},
      {"between", end + "&archive=tar.gz&" + sig},
      {"others repeated", "a=1&a=2&" + end + "&" + sig + "&a"},
      {"others that are broken", "%zz&=&" + end + "&" + sig + "&=x&%"},
      {"empty pairs", "&&" + end + "&&" + sig + "&&"},
      {"names that are longer", "signature=x&expiress=1&xsig=&" + end + "&" + sig},
      {"names in other letters", "Sig=x&EXPIRES=1&" + end + "&" + sig},
      {"another name's value", "x=sig&y=expires=1&" + end + "&" + sig},
      {"an escaped sig", end + "&sig=" + Escaped(sig_value)},
      {"an escaped end", "expires=" + Escaped(end.substr(8)) + "&" + sig},
      {"one escaped character", end + "&sig=%41" + sig_value.substr(1)},
      {"the last second", end + "&" + sig, "", kPath, kEnd},
      {"a clock that is ahead", end + "&" + sig, "", kPath, kEnd + 5},
      {"a clock that is behind", end + "&" + sig, "", kPath, kEnd - 8 * 86400},
  });
}

TEST(CapabilityTest, IsForOnePathAndOneEnd) {
  const std::string end = GoodEnd(), sig = GoodSig(), good = end + "&" + sig;
  constexpr std::string_view kAltered = "was altered, or is of another path or server";
  ExpectForbidden({
      {"another path", good, kAltered, "/download/acme/vpc/aws/1.0.1.tar.gz"},
      {"another case", good, kAltered, "/download/Acme/vpc/aws/1.0.0.tar.gz"},
      {"a path cut off", good, kAltered, kPath.substr(0, kPath.size() - 1)},
      {"a longer path", good, kAltered, "/download/acme/vpc/aws/1.0.0.tar.gz/"},
      {"no path", good, kAltered, ""},
      {"a later end", "expires=1770000001&" + sig, kAltered},
      {"an earlier end", "expires=1769999999&" + sig, kAltered},
      {"no end at all", "expires=0&" + sig, kAltered},
      {"the latest end", "expires=9223372036854775807&" + sig, kAltered},
      {"a later end when it is over", "expires=1770001000&" + sig, kAltered, kPath, kEnd + 10},
      {"of another server", CapabilitySigner("0123456789abcdeg").Sign(kPath, TestBearer(), kEnd),
       kAltered},
      {"of a longer secret", CapabilitySigner("0123456789abcdef0").Sign(kPath, TestBearer(), kEnd),
       kAltered},
      {"over", good, "this URL expired at 2026-02-02T02:40:00Z", kPath, kEnd + 6},
      {"long over", good, "expired at 2026-02-02T02:40:00Z", kPath, kEnd + 400 * 86400},
      {"too far ahead", good, "longer than any that a server creates", kPath, kEnd - 8 * 86400 - 1},
  });
}

TEST(CapabilityTest, RefusesWhatIsNotAsThisServerWritesIt) {
  const std::string end = GoodEnd(), sig = GoodSig(), sig_value = sig.substr(4);
  constexpr std::string_view kNotAsWritten = "of this URL is malformed";
  std::vector<VerifyRow> rows = {
      {"no sig", end, "no parameter \"sig\""},
      {"no end", sig, "no parameter \"expires\""},
      {"a name without its case", end + "&Sig=" + sig_value, "no parameter \"sig\""},
      {"an escaped name", end + "&%73ig=" + sig_value, "no parameter \"sig\""},
      {"the end twice", end + "&" + end + "&" + sig, "\"expires\" appears in this URL more than"},
      {"the sig twice", end + "&" + sig + "&" + sig, "\"sig\" appears in this URL more than once"},
      {"an empty one too", end + "&sig=&" + sig, "\"sig\" appears in this URL more than once"},
      {"one without value too", "expires&" + end + "&" + sig, "more than once"},
      {"a sig only, twice", sig + "&" + sig, "more than once"},
      {"both empty", "expires=&sig=", kNotAsWritten},
      {"names only", "expires&sig", kNotAsWritten},
      {"a huge sig", end + "&sig=" + std::string(100'000, 'A'), kNotAsWritten},
      {"a huge escaped sig", end + "&sig=" + Escaped(std::string(100'000, 'A')), kNotAsWritten},
  };
  for (std::string bad : {"-1",
                          "-1770000000",
                          "+1770000000",
                          "01770000000",
                          "00",
                          "1770000000.0",
                          "177000000O",
                          "x",
                          " 1770000000",
                          "1770000000 ",
                          "0x69800000",
                          "9223372036854775808",
                          "18446744073709551616",
                          "99999999999999999999999999",
                          "%",
                          "%3",
                          "%3x1770000000",
                          "%2B1770000000",
                          "1770000000%00",
                          "1770000000%20",
                          "1,770,000,000",
                          "1770000000=",
                          "١٧٧٠"}) {
    rows.push_back({"a bad end", "expires=" + bad + "&" + sig, kNotAsWritten});
  }
  for (const std::string& bad :
       {"=" + sig_value, sig_value + "=", sig_value + "A", "A" + sig_value, sig_value + "%",
        sig_value + "%0A", sig_value.substr(1), "+" + sig_value.substr(1),
        "/" + sig_value.substr(1), "%" + sig_value.substr(1), "%zz" + sig_value.substr(1),
        sig_value.substr(0, 65) + "%3D", " " + sig_value.substr(1), std::string(66, '=')}) {
    rows.push_back({"a bad sig", end + "&sig=" + bad, kNotAsWritten});
  }
  ExpectForbidden(rows);
}

TEST(CapabilityTest, RefusesEveryOtherSig) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const std::string end = GoodEnd(), sig = GoodSig();
  for (std::size_t i = 4; i < sig.size(); ++i) {
    std::vector<VerifyRow> rows = {{"cut off", end + "&" + sig.substr(0, i), "is malformed"}};
    for (char other : kAlphabet) {  // the last one's stray bits among them
      if (other == sig[i]) continue;
      std::string changed = sig;
      changed[i] = other;
      rows.push_back({"changed", end + "&" + changed});
    }
    ExpectForbidden(rows);
  }
}

TEST(CapabilityTest, RefusesAKindThatNobodyKnows) {
  const CapabilitySigner signer(kServerSecret);
  for (int kind : {0, 3, 0x81, 0xFF}) {
    const auto unknown = TestBearer(static_cast<Kind>(kind));
    ExpectForbidden({{"unknown", signer.Sign(kPath, unknown, kEnd), "is malformed"}});
  }
}

TEST(CapabilityTest, IsNoCapabilityWithoutItsParameters) {
  const CapabilitySigner signer(kServerSecret);
  for (std::string_view query :
       {"", "&", "checksum=sha256:ab", "expire=1", "xsig=1&sigx", "Sig=1&Expires=2", "=sig",
        "x=expires=1", "%73ig=1", "sig%3D1", "archive=zip&&"}) {
    const auto bearer = signer.Verify(kPath, query, kNow);
    ASSERT_TRUE(bearer) << query;
    EXPECT_EQ(*bearer, std::nullopt) << query;
  }
}

TEST(CapabilityTest, TheSecretBeforeIsGoodAndSignsNoMore) {
  constexpr std::string_view kNew = "a new secret, long";
  const CapabilitySigner before(kServerSecret), both(kNew, kServerSecret), after(kNew);
  const std::string old = before.Sign(kPath, TestBearer(), kEnd);
  EXPECT_EQ(both.Verify(kPath, old, kNow).value(), TestBearer());
  EXPECT_FALSE(after.Verify(kPath, old, kNow));
  EXPECT_FALSE(both.Verify("/other", old, kNow));
  EXPECT_FALSE(both.Verify(kPath, old, kEnd + 6)) << "it ends all the same";
  const std::string today = both.Sign(kPath, TestBearer(), kEnd);
  EXPECT_EQ(today, after.Sign(kPath, TestBearer(), kEnd));
  EXPECT_EQ(after.Verify(kPath, today, kNow).value(), TestBearer());
  EXPECT_FALSE(before.Verify(kPath, today, kNow));
}

TEST(CapabilityTest, NoRefusalRepeatsWhatWasSent) {
  const CapabilitySigner signer(kServerSecret);
  const std::string sig = GoodSig();
  for (const std::string& query : {"expires=77777777&" + sig, "expires=77777777x&" + sig, sig,
                                   GoodEnd() + "&sig=77777777", sig + "&" + sig}) {
    const auto bearer = signer.Verify(kPath, query, kNow);
    ASSERT_FALSE(bearer) << query;
    const std::string told = bearer.error().message + bearer.error().detail;
    EXPECT_FALSE(told.contains("77777777")) << told;
    EXPECT_FALSE(told.contains(sig.substr(4))) << told;
  }
}

TEST(CapabilityTest, TellsWhomItWasMadeForWhenItHasEnded) {
  const CapabilitySigner signer(kServerSecret, "the secret before");
  const std::string query = GoodEnd() + "&" + GoodSig();
  EXPECT_FALSE(signer.Verify(kPath, query, kEnd + 3600));
  EXPECT_EQ(signer.SignedFor(kPath, query), TestBearer());
  const CapabilitySigner before("the secret before");
  EXPECT_EQ(signer.SignedFor(kPath, before.Sign(kPath, TestBearer(), 1)), TestBearer());
  const CapabilitySigner other("another secret of a server");
  for (const std::string& bad :
       {other.Sign(kPath, TestBearer(), kEnd), signer.Sign("/another", TestBearer(), kEnd),
        fmt::format("expires={}&{}", kEnd + 1, GoodSig()), query + "&" + GoodEnd(), GoodEnd(),
        GoodSig(), query + "A", std::string()}) {
    EXPECT_EQ(signer.SignedFor(kPath, bad), std::nullopt) << bad;
  }
}

TEST(CapabilityExpiryTest, LivesAtLeastAsLongAsSaid) {
  struct Row {
    std::chrono::seconds ttl;
    UnixSeconds step;
  };
  using namespace std::chrono_literals;
  for (const Row& row : std::vector<Row>{{1s, 1},
                                         {5s, 1},
                                         {29s, 1},
                                         {30s, 2},
                                         {1min, 4},
                                         {10min, 40},
                                         {15min, 60},
                                         {1h, 60},
                                         {kLongestCapability, 60}}) {
    for (UnixSeconds now = kNow; now < kNow + 130; ++now) {
      const UnixSeconds end = CapabilitySigner::ExpiryFor(now, row.ttl);
      EXPECT_EQ(end % row.step, 0) << row.ttl.count();
      EXPECT_GE(end, now + row.ttl.count()) << row.ttl.count();
      EXPECT_LT(end, now + row.ttl.count() + row.step) << row.ttl.count();
    }
  }
}

TEST(CapabilityExpiryTest, IsTheSameForAMinute) {
  using namespace std::chrono_literals;
  const UnixSeconds end = CapabilitySigner::ExpiryFor(kEnd + 1, 15min);
  EXPECT_EQ(end, kEnd + 960);
  for (UnixSeconds now = kEnd + 1; now <= kEnd + 60; ++now) {
    EXPECT_EQ(CapabilitySigner::ExpiryFor(now, 15min), end) << now;
  }
  EXPECT_EQ(CapabilitySigner::ExpiryFor(kEnd + 61, 15min), end + 60);
}

TEST(CapabilityExpiryTest, TheLongestLifeIsTaken) {
  const CapabilitySigner signer(kServerSecret);
  const UnixSeconds end = CapabilitySigner::ExpiryFor(kNow, kLongestCapability);
  EXPECT_TRUE(signer.Verify(kPath, signer.Sign(kPath, TestBearer(), end), kNow));
  const UnixSeconds never = std::numeric_limits<UnixSeconds>::max();
  ExpectForbidden({{"for ever", signer.Sign(kPath, TestBearer(), never), "longer than any"}});
}

}  // namespace
}  // namespace koya::auth
