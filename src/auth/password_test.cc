#include "auth/password.h"

#include <gtest/gtest.h>
#include <sodium.h>
#include <sys/resource.h>

#include <ctime>
#include <fstream>
#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace koya::auth {
namespace {

constexpr std::string_view kPassword = "correct horse battery staple";

// "another password", made by another program at a lower cost, as by an earlier version.
constexpr std::string_view kCheaper =
    "$argon2id$v=19$m=19456,t=2,p=1$S295YVRlc3RTYWx0MDAwMQ"
    "$ve+poRME6EYEzmK0h54mS7FgALHUTRPkqsx7FEYA27c";

// Bounds this process's address space to `more` bytes than it has, until the end of the scope.
class NarrowMemory {
 public:
  explicit NarrowMemory(rlim_t more) {
    getrlimit(RLIMIT_AS, &before_);
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit narrow{pages * 4096 + more, before_.rlim_max};
    setrlimit(RLIMIT_AS, &narrow);
  }
  ~NarrowMemory() { setrlimit(RLIMIT_AS, &before_); }
  NarrowMemory(const NarrowMemory&) = delete;
  NarrowMemory& operator=(const NarrowMemory&) = delete;

 private:
  rlimit before_{};
};

// Of kPassword; made once, since that takes its time.
const std::string& OneHash() {
  static const std::string kHash = HashPassword(kPassword).value();
  return kHash;
}

// That with its cost written otherwise.
std::string WithCost(std::string_view cost) {
  return "$argon2id$v=19$" + std::string(cost) + OneHash().substr(27);
}

void ExpectRefused(const std::optional<std::string>& hash, std::string_view text, ErrorKind kind) {
  const Status verified = VerifyPassword(hash, text);
  ASSERT_FALSE(verified) << text;
  EXPECT_EQ(verified.error().kind, kind) << text;
}

TEST(PasswordTest, VerifiesWhatItHashed) {
  const std::vector<std::string> passwords = {std::string(kPassword), "", "合言葉は秘密です",
                                              std::string("with\0zero", 9), std::string(1024, 'x')};
  for (const std::string& password : passwords) {
    const std::string hash = HashPassword(password).value();
    EXPECT_TRUE(VerifyPassword(hash, password)) << password;
    ExpectRefused(hash, password + "x", ErrorKind::kUnauthenticated);
  }
}

TEST(PasswordTest, KeepsTheFormThatOthersReadAndTheCostThatIsSaid) {
  const std::string hash = OneHash();
  EXPECT_TRUE(std::regex_match(
      hash,
      std::regex(R"(\$argon2id\$v=19\$m=32768,t=3,p=1\$[0-9A-Za-z+/]{22}\$[0-9A-Za-z+/]{43})")))
      << hash;
  EXPECT_EQ(crypto_pwhash_str_verify(hash.c_str(), kPassword.data(), kPassword.size()), 0);
  EXPECT_NE(hash, HashPassword(kPassword).value()) << "a salt of its own";
  EXPECT_FALSE(NeedsRehash(hash));
}

TEST(PasswordTest, TakesNoOther) {
  const std::string hash = OneHash();
  for (std::string other :
       {std::string(), std::string("correct horse battery stapl"),
        std::string("correct horse battery staple "), std::string(" correct horse battery staple"),
        std::string("Correct horse battery staple"), std::string("correct horse battery staple\n"),
        std::string("correct horse battery staple\0", 29), std::string("\xff\xfe"), hash}) {
    ExpectRefused(hash, other, ErrorKind::kUnauthenticated);
  }
}

TEST(PasswordTest, NobodyHasNoPasswordAndIsToldTheSame) {
  const std::string hash = OneHash();
  const Status wrong = VerifyPassword(hash, "wrong");
  for (std::string_view text : {"", "wrong", "correct horse battery staple"}) {
    const Status visitor = VerifyPassword(std::nullopt, text);
    ASSERT_FALSE(visitor) << text;
    EXPECT_EQ(visitor.error(), wrong.error()) << text;
  }
}

// Measures processor time, which other processes do not affect as they do the clock; without the
// dummy work the answer for an unknown user would take a thousandth of the time.
TEST(PasswordTest, NobodyTakesTheSameWork) {
  auto work = [](const std::optional<std::string>& hash) {
    const std::clock_t begin = std::clock();
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(VerifyPassword(hash, "wrong"));
    return static_cast<double>(std::clock() - begin);
  };
  const std::string hash = OneHash();
  const double known = work(hash), unknown = work(std::nullopt);
  EXPECT_GT(unknown, known / 4);
  EXPECT_LT(unknown, known * 4);
}

TEST(PasswordTest, AHashOfAnotherCostIsVerifiedAndMadeAnew) {
  EXPECT_TRUE(VerifyPassword(std::string(kCheaper), "another password"));
  ExpectRefused(std::string(kCheaper), kPassword, ErrorKind::kUnauthenticated);
  EXPECT_TRUE(NeedsRehash(std::string(kCheaper)));
}

TEST(PasswordTest, TellsDamageFromAWrongPassword) {
  const std::string hash = OneHash();
  for (std::string bad :
       {std::string(), std::string("$argon2id$"), std::string(kPassword), hash.substr(1),
        hash.substr(0, 40), "$argon2i" + hash.substr(9), "$2y$10$" + hash, hash + "$",
        hash + std::string(200, 'A'), WithCost("m=x,t=3,p=1"), WithCost("m=32768,t=3,p=2"),
        WithCost("m=32768,t=0,p=1"), WithCost("m=7,t=3,p=1"), WithCost("m=-32768,t=3,p=1"),
        WithCost("m=32768,t=17,p=1"), WithCost("m=262145,t=3,p=1"),
        WithCost("m=4294967295,t=3,p=1"), WithCost("m=4294967296,t=3,p=1"),
        WithCost("t=3,m=32768,p=1")}) {
    ExpectRefused(bad, kPassword, ErrorKind::kCorrupt);
    EXPECT_TRUE(NeedsRehash(bad)) << bad;
  }
}

TEST(PasswordTest, WithoutMemoryNoPasswordIsCalledWrong) {
  const std::string hash = OneHash();
  const NarrowMemory narrow(rlim_t{16} << 20U);
  const Status verified = VerifyPassword(hash, kPassword);
  const Result<std::string> hashed = HashPassword(kPassword);
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error().kind, ErrorKind::kUnavailable);
  ASSERT_FALSE(hashed);
  EXPECT_EQ(hashed.error().kind, ErrorKind::kUnavailable);
}

TEST(NewPasswordTest, TakesLongTextsOfAnyKind) {
  for (std::string_view good :
       {"correct horse battery staple", "a dozen here", "ひみつの言葉はここにある",
        "aaaaaaaaaaa\xc3\xa9", "            ", "alice-in-wonderland2", "\"quotes' & <marks>"}) {
    EXPECT_TRUE(CheckNewPassword(good, "alice-in-wonderland")) << good;
  }
  EXPECT_TRUE(CheckNewPassword(std::string(1024, 'x'), "alice"));
}

TEST(NewPasswordTest, RefusesTheRestAndRepeatsNothingOfIt) {
  struct Row {
    std::string text;
    std::string_view words;
  };
  const std::vector<Row> rows = {
      {"", "is too short: it needs at least 12 characters"},
      {"11 bytes ok", "is too short"},
      {"ひみつの言葉はここです", "is too short"},
      {"aaaaaaaaaa\xc3\xa9", "is too short"},
      {std::string(1025, 'x'), "is longer than 1024 bytes"},
      {"correct horse\n", "is not UTF-8 text, or contains control characters"},
      {"correct\thorse", "control characters"},
      {"correct\rhorse", "control characters"},
      {std::string("correct\0horse", 13), "control characters"},
      {"correct\x7fhorse", "control characters"},
      {"correct\x1b[0mhorse", "control characters"},
      {"correct horse\xff", "is not UTF-8 text"},
      {"correct horse\xc3", "is not UTF-8 text"},
      {"alice-in-wonderland", "is the user's name"},
      {"Alice-In-Wonderland", "is the user's name"},
  };
  for (const Row& row : rows) {
    const Status taken = CheckNewPassword(row.text, "alice-in-wonderland");
    ASSERT_FALSE(taken) << row.text;
    EXPECT_EQ(taken.error().kind, ErrorKind::kInvalid) << row.text;
    EXPECT_TRUE(taken.error().message.contains(row.words)) << taken.error().message;
    EXPECT_FALSE(taken.error().message.contains("orse")) << taken.error().message;
  }
}

}  // namespace
}  // namespace koya::auth
