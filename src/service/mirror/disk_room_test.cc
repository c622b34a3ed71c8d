#include "service/mirror/disk_room.h"

#include <gtest/gtest.h>
#include <sys/statvfs.h>

namespace koya::service {
namespace {

TEST(DiskRoomTest, PullsEndBeforeTheDiskIsFull) {
  struct statvfs disk{};
  ASSERT_EQ(::statvfs("/", &disk), 0);
  std::uint64_t free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  DiskRoom room{.folder = "/", .least_percent = 50};
  // What is free now, and more, cannot be taken and half of the disk stay free.
  Status checked = room.Check(free);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind, ErrorKind::kStorageFull);
  EXPECT_EQ(checked.error().limit.text(), "mirror.min_free");
  EXPECT_NE(checked.error().message.find("mirror.min_free"), std::string::npos);
  EXPECT_FALSE(room.Check(~std::uint64_t{0}));
}

TEST(DiskRoomTest, NothingIsCheckedWithoutAShareOrAFolder) {
  EXPECT_TRUE((DiskRoom{.folder = "/", .least_percent = 0}).Check(~std::uint64_t{0}));
  EXPECT_TRUE((DiskRoom{.folder = "", .least_percent = 50}).Check(~std::uint64_t{0}));
  EXPECT_TRUE((DiskRoom{.folder = "/no/such/folder", .least_percent = 50}).Check(1));
}

}  // namespace
}  // namespace koya::service
