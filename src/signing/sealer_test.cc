#include "signing/sealer.h"

#include <gtest/gtest.h>

#include <array>

namespace koya::signing {
namespace {

constexpr std::string_view kSecret = "0123456789abcdef";
constexpr std::string_view kContext = "signing-key/acme/ABCD";

void ExpectClosed(const Sealer& sealer, std::string_view context, std::string_view sealed,
                  std::string_view what) {
  const auto opened = sealer.Unseal(context, sealed);
  ASSERT_FALSE(opened) << what;
  EXPECT_EQ(opened.error().kind, ErrorKind::kCorrupt) << what;
  EXPECT_TRUE(opened.error().message.contains("server.secret may have been replaced")) << what;
  EXPECT_TRUE(opened.error().detail.contains(context)) << what;
}

TEST(SealerTest, OpensWhatItSealed) {
  const Sealer sealer(kSecret);
  const std::array<std::string, 4> plains = {"", "x", std::string("\0\xFF\n", 3),
                                             std::string(100'000, 'k')};
  for (const std::string& plain : plains) {
    const std::string sealed = sealer.Seal(kContext, plain);
    const auto opened = Sealer(kSecret).Unseal(kContext, sealed);  // as after a restart
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ(*opened, plain);
  }
}

TEST(SealerTest, IsAnotherTextEachTimeAndBase64) {
  const Sealer sealer(kSecret);
  const std::string first = sealer.Seal(kContext, "plain");
  EXPECT_NE(first, sealer.Seal(kContext, "plain"));
  EXPECT_EQ(first.size() % 4, 0U);
  EXPECT_EQ(first.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                    "0123456789+/="),
            std::string::npos);
  EXPECT_FALSE(first.contains("plain"));
}

TEST(SealerTest, StaysClosedForAnotherSecretOrContext) {
  const std::string sealed = Sealer(kSecret).Seal(kContext, "plain");
  ExpectClosed(Sealer("0123456789abcdeg"), kContext, sealed, "another secret");
  ExpectClosed(Sealer("0123456789abcdef0"), kContext, sealed, "a longer secret");
  ExpectClosed(Sealer(kSecret), "signing-key/other/ABCD", sealed, "another context");
  ExpectClosed(Sealer(kSecret), "", sealed, "no context");
}

TEST(SealerTest, TheSecretBeforeOpensAndDoesNotSeal) {
  const Sealer before(kSecret), both("a new secret, long", kSecret), after("a new secret, long");
  const std::string old = before.Seal(kContext, "plain");
  EXPECT_EQ(both.Unseal(kContext, old).value(), "plain");
  ExpectClosed(after, kContext, old, "without the one before");
  const std::string sealed = both.Seal(kContext, "plain");
  EXPECT_EQ(after.Unseal(kContext, sealed).value(), "plain");
  ExpectClosed(before, kContext, sealed, "with the one before only");
  ExpectClosed(both, "another", old, "another context");
}

TEST(SealerTest, RenewsWhatWasSealedWithTheSecretBefore) {
  const Sealer before(kSecret), both("a new secret, long", kSecret), after("a new secret, long");
  const auto renewed = both.Renew(kContext, before.Seal(kContext, "plain"));
  ASSERT_TRUE(renewed && *renewed);
  EXPECT_EQ(after.Unseal(kContext, **renewed).value(), "plain");
  EXPECT_EQ(both.Renew(kContext, **renewed).value(), std::nullopt) << "it is that already";
  EXPECT_FALSE(both.Renew(kContext, Sealer("of somebody else").Seal(kContext, "plain")));
}

TEST(SealerTest, NoticesEveryChange) {
  const Sealer sealer(kSecret);
  const std::string sealed = sealer.Seal(kContext, "plain text");
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string flipped = sealed;
    flipped[i] = flipped[i] == 'A' ? 'B' : 'A';
    ExpectClosed(sealer, kContext, flipped, "flipped");
    ExpectClosed(sealer, kContext, sealed.substr(0, i), "cut off");
  }
  ExpectClosed(sealer, kContext, sealed + "AAAA", "longer");
  ExpectClosed(sealer, kContext, sealed + "\n", "with a line feed");
  ExpectClosed(sealer, kContext, "not base64!", "not base64");
}

}  // namespace
}  // namespace koya::signing
