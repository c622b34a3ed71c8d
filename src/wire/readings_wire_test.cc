#include <gtest/gtest.h>

#include "wire/readings.h"

namespace koya::wire {
namespace {

TEST(ReadingsWireTest, StepsReadBack) {
  EXPECT_EQ(Decode<StepRequest>(Encode(StepRequest{"published/3"})), (StepRequest{"published/3"}));
  EXPECT_EQ(Decode<StepRequest>(""), StepRequest());
  EXPECT_EQ(Decode<StepRequest>("{}"), StepRequest());
  for (const char* body : {"[]", R"({"after":1})", "{"}) {
    EXPECT_FALSE(Decode<StepRequest>(body)) << body;
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
