#include "base/sha256.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "base/hex.h"

namespace koya {
namespace {

TEST(Sha256Test, GivesTheStandardsRows) {  // FIPS 180-4, NIST's example values
  EXPECT_EQ(HexEncode(Sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(HexEncode(Sha256("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(HexEncode(Sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256Test, PiecesAreOneText) {
  Sha256Hasher hasher;
  for (std::string_view piece : {"a", "", "bc"}) hasher.Update(piece);
  EXPECT_EQ(hasher.Finish(), Sha256("abc"));
}

TEST(Sha256Test, ARestartedHasherKnowsNothingOfBefore) {
  Sha256Hasher hasher;
  hasher.Update("half of a text");
  hasher.Restart();
  hasher.Update("abc");
  EXPECT_EQ(hasher.Finish(), Sha256("abc"));
  hasher.Restart();
  EXPECT_EQ(hasher.Finish(), Sha256(""));
}

// The hasher of whole texts is the thread's, and a text that has a hasher of its own is not its.
TEST(Sha256Test, TextsAndThreadsAreKeptApart) {
  Sha256Hasher hasher;
  hasher.Update("a");
  const Sha256Bytes between = Sha256("quite another text");
  hasher.Update("bc");
  EXPECT_EQ(hasher.Finish(), Sha256("abc"));
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([between] {
      for (int round = 0; round < 1000; ++round) {
        ASSERT_EQ(Sha256("quite another text"), between);
        ASSERT_NE(Sha256(std::to_string(round)), between);
      }
    });
  }
}

}  // namespace
}  // namespace koya
