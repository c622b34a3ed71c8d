#include "base/secrets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

namespace koya {
namespace {

TEST(EqualSecretsTest, AreTheSameBytesAllOfThem) {
  const std::string zeros(3, '\0');
  for (const std::string& same : {std::string(), std::string("a"), zeros, std::string(1000, 'x')}) {
    EXPECT_TRUE(EqualSecrets(same, std::string(same))) << same.size();
  }
  const std::string secret = "0123456789abcdef";
  for (std::size_t i = 0; i < secret.size(); ++i) {
    std::string other = secret;
    other[i] = static_cast<char>(other[i] ^ 0x80);
    EXPECT_FALSE(EqualSecrets(secret, other)) << i;
    EXPECT_FALSE(EqualSecrets(secret, secret.substr(0, i))) << i;
    EXPECT_FALSE(EqualSecrets(secret.substr(0, i), secret)) << i;
  }
  EXPECT_FALSE(EqualSecrets(secret, secret + "0"));
  EXPECT_FALSE(EqualSecrets(zeros, zeros + '\0'));
  EXPECT_FALSE(EqualSecrets("a", "A"));
}

TEST(EqualSecretsTest, ComparesBytesToo) {
  const std::array<std::byte, 2> one = {std::byte{1}, std::byte{2}};
  std::array<std::byte, 2> other = one;
  EXPECT_TRUE(EqualSecrets(one, other));
  other[1] = std::byte{3};
  EXPECT_FALSE(EqualSecrets(one, other));
  EXPECT_FALSE(EqualSecrets(one, std::span(one).first(1)));
}

TEST(WipeSecretTest, LeavesNothingWhereItWas) {
  std::array<std::byte, 4> bytes;
  bytes.fill(std::byte{7});
  WipeSecret(bytes);
  EXPECT_EQ(std::ranges::count(bytes, std::byte{0}), 4);

  std::string text(100, 'k');
  text.resize(40);
  const char* const place = text.data();
  WipeSecret(text);
  EXPECT_EQ(text, "");
  ASSERT_EQ(text.data(), place) << "the same memory";
  std::ptrdiff_t left = -1;  // of the secret's bytes
  text.resize_and_overwrite(100, [&left](const char* bytes, std::size_t size) {
    left = std::count(bytes, bytes + size, 'k');
    return 0;
  });
  EXPECT_EQ(left, 0);
}

TEST(WipeSecretTest, TakesWhatIsEmpty) {
  std::string text;
  WipeSecret(text);
  EXPECT_EQ(text, "");
  WipeSecret(std::span<std::byte>());
}

TEST(WipeAtEndTest, AreWipedWhereTheirScopeEnds) {
  std::string secret(100, 's');
  const char* const kept = secret.data();
  {
    const WipeAtEnd wipe(secret);
    EXPECT_EQ(secret.size(), 100U);
  }
  EXPECT_TRUE(secret.empty());
  EXPECT_EQ(std::string_view(kept, 100), std::string(100, '\0'));
}

}  // namespace
}  // namespace koya
