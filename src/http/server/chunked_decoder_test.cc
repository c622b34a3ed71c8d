#include "http/server/chunked_decoder.h"

#include <gtest/gtest.h>

#include <string>

namespace koya::http {
namespace {

struct Decoded {
  std::string data;
  std::size_t consumed = 0;
  bool finished = false;
  bool malformed = false;
};

// Feeds `input` in pieces of `step` bytes.
Decoded DecodeInSteps(std::string_view input, std::size_t step) {
  ChunkedDecoder decoder;
  Decoded all;
  for (std::size_t start = 0; start < input.size() && !all.finished; start += step) {
    std::string_view piece = input.substr(start, step);
    while (!piece.empty() && !all.finished) {
      ChunkedDecoder::Step taken = decoder.Decode(piece);
      all.data += taken.data;
      all.consumed += taken.consumed;
      all.finished = taken.finished;
      all.malformed = taken.malformed;
      if (all.malformed) return all;
      piece.remove_prefix(taken.consumed);
    }
  }
  return all;
}

TEST(ChunkedDecoder, TakesTheCodingOffHoweverItArrives) {
  const std::string coded =
      "5\r\nhello\r\n1;name=value;other=\"x y\"\r\n \r\n005\r\nworld\r\n0\r\n"
      "Trailer: one\r\nOther: two\r\n\r\n";
  const std::string input = coded + "GET /next";
  for (std::size_t step = 1; step <= input.size(); ++step) {
    Decoded all = DecodeInSteps(input, step);
    EXPECT_TRUE(all.finished) << step;
    EXPECT_EQ(all.data, "hello world") << step;
    EXPECT_EQ(all.consumed, coded.size()) << step;
  }
}

TEST(ChunkedDecoder, TakesAnEmptyBody) {
  Decoded all = DecodeInSteps("0\r\n\r\n", 64);
  EXPECT_TRUE(all.finished);
  EXPECT_EQ(all.data, "");
}

TEST(ChunkedDecoder, WaitsForTheRest) {
  for (std::string_view part : {"5", "5\r\nhel", "5\r\nhello\r\n", "0\r\n", "0\r\n\r"}) {
    Decoded all = DecodeInSteps(part, 64);
    EXPECT_FALSE(all.finished) << part;
    EXPECT_FALSE(all.malformed) << part;
  }
}

TEST(ChunkedDecoder, RefusesEverythingElse) {
  const std::string kBad[] = {
      "\r\n",
      "x\r\n",
      "-1\r\n",
      "+1\r\n",
      "0x1\r\n",
      " 1\r\n",
      "1 \r\n",
      "1\n",
      "1\ra",
      "1;a\n",
      "1;\x01\r\n",
      "1\r\nab",
      "1\r\na\n",
      "1\r\na\rb",
      "0\r\n\n",
      "0\r\n folded\r\n\r\n",
      "0\r\nA: b\n",
      "0\r\nA: \x01\r\n",
      "1000000000000000\r\n",
      "1;" + std::string(300, 'a') + "\r\n",
      "0\r\nA: " + std::string(5000, 'a') + "\r\n",
  };
  for (const std::string& input : kBad) {
    EXPECT_TRUE(DecodeInSteps(input, 64).malformed) << testing::PrintToString(input);
    EXPECT_TRUE(DecodeInSteps(input, 1).malformed) << testing::PrintToString(input);
  }
}

}  // namespace
}  // namespace koya::http
