#include "auth/browser_tokens.h"

#include <gtest/gtest.h>

#include <vector>

namespace koya::auth {
namespace {

constexpr std::string_view kDeviceSecret = "a secret of the server, 1";
constexpr UnixSeconds kDeviceNow = 1'795'279'270;
constexpr UnixSeconds kYear = std::chrono::seconds(DeviceMarks::kLife).count();

TEST(DeviceMarkTest, TellsABrowserForAYear) {
  const DeviceMarks marks(kDeviceSecret);
  const std::string mark = marks.Make("Ada@example.com", kDeviceNow);
  EXPECT_EQ(mark.size(), 75U);
  const auto device = marks.Read(mark, "ada@EXAMPLE.com", kDeviceNow);
  ASSERT_TRUE(device);
  EXPECT_EQ(device->size(), 22U);
  EXPECT_EQ(marks.Read(mark, "ada@example.com", kDeviceNow + kYear - 1), device);
  EXPECT_EQ(DeviceMarks(kDeviceSecret).Read(mark, "ada@example.com", kDeviceNow), device);
  EXPECT_NE(marks.Read(marks.Make("ada", kDeviceNow), "ada", kDeviceNow),
            marks.Read(marks.Make("ada", kDeviceNow), "ada", kDeviceNow));
}

TEST(DeviceMarkTest, OfOthersAlteredOrEndedIsNone) {
  const DeviceMarks marks(kDeviceSecret);
  const std::string mark = marks.Make("ada", kDeviceNow);
  EXPECT_FALSE(marks.Read(mark, "ada", kDeviceNow + kYear));
  EXPECT_FALSE(marks.Read(mark, "bob", kDeviceNow));
  EXPECT_FALSE(marks.Read(mark, "", kDeviceNow));
  EXPECT_FALSE(marks.Read(mark, "ada ", kDeviceNow));
  EXPECT_FALSE(DeviceMarks("a secret of the server, 2").Read(mark, "ada", kDeviceNow));
  for (const std::string& bad : {std::string(), mark + "A", mark.substr(1), mark + "=",
                                 std::string(75, 'A'), std::string(75, '*')}) {
    EXPECT_FALSE(marks.Read(bad, "ada", kDeviceNow)) << bad;
  }
  for (std::size_t i = 0; i < mark.size(); ++i) {
    std::string altered = mark;
    altered[i] = altered[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(marks.Read(altered, "ada", kDeviceNow)) << i;
  }
}

TEST(DeviceMarkTest, TheSecretBeforeIsReadAndNotMadeWith) {
  constexpr std::string_view kNext = "a secret of the server, 2";
  const std::string before = DeviceMarks(kDeviceSecret).Make("ada", kDeviceNow);
  const DeviceMarks marks(kNext, kDeviceSecret);
  EXPECT_EQ(marks.Read(before, "ada", kDeviceNow),
            DeviceMarks(kDeviceSecret).Read(before, "ada", kDeviceNow));
  EXPECT_FALSE(marks.Read(before, "bob", kDeviceNow));
  EXPECT_FALSE(marks.Read(before, "ada", kDeviceNow + kYear));
  EXPECT_FALSE(DeviceMarks(kNext).Read(before, "ada", kDeviceNow)) << "\"\" is no secret";
  EXPECT_FALSE(DeviceMarks(kNext, "a third").Read(before, "ada", kDeviceNow));
  EXPECT_FALSE(DeviceMarks(kNext).Read(DeviceMarks("").Make("ada", kDeviceNow), "ada", kDeviceNow));
  EXPECT_TRUE(DeviceMarks(kNext).Read(marks.Make("ada", kDeviceNow), "ada", kDeviceNow));
}

}  // namespace
}  // namespace koya::auth
