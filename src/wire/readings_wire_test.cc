#include <gtest/gtest.h>

#include "wire/readings.h"

namespace koya::wire {
namespace {

TEST(ReadingsWireTest, StepsReadBack) {
  EXPECT_EQ(DecodeReadingRequest(EncodeReadingRequest("published/3")), "published/3");
  EXPECT_EQ(DecodeReadingRequest(""), "");
  for (const char* body : {"[]", R"({"after":1})", "{"}) {
    EXPECT_FALSE(DecodeReadingRequest(body)) << body;
  }
  const ReadingReport report{.next = "mirrored/3",
                             .read = 2,
                             .left = 1,
                             .problems = {{"a.example/acme/vpc/aws", "1.0.0", "no gzip"}}};
  EXPECT_EQ(Decode<ReadingReport>(Encode(report)), report);
  EXPECT_EQ(Encode<ReadingReport>({}), R"({"next":null,"read":0,"left":0,"problems":[]})");
}

}  // namespace
}  // namespace koya::wire
