#include "service/mirror/mirror_space.h"

#include <gtest/gtest.h>
#include <sys/statvfs.h>

namespace koya::service {
namespace {

TEST(DiskRoomTest, PullsEndBeforeTheDiskIsFull) {
  struct statvfs disk{};
  ASSERT_EQ(::statvfs("/", &disk), 0);
  std::uint64_t free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  DiskQuota room{.folder = "/", .least_percent = 50};
  // Using all free space cannot leave half of the disk free.
  Status checked = room.Check(free);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind, ErrorKind::kStorageFull);
  EXPECT_EQ(checked.error().limit.text(), "mirror.min_free");
  EXPECT_NE(checked.error().message.find("mirror.min_free"), std::string::npos);
  EXPECT_FALSE(room.Check(~std::uint64_t{0}));
}

TEST(DiskRoomTest, WhatArrivesIsWatchedWhateverWasAnnounced) {
  int looked = 0;
  DiskSpace disk{.blocks = 1000, .free_blocks = 600, .block_size = 1};
  auto look = [&](const std::filesystem::path&) {
    ++looked;
    return std::optional(disk);
  };
  DiskQuota room{.folder = "/", .least_percent = 50, .look_every = 100, .look = look};
  EXPECT_TRUE(room.Check(100));
  EXPECT_FALSE(room.Check(101));
  DiskReservation arrival(room);
  looked = 0;
  for (int i = 0; i < 99; ++i) EXPECT_TRUE(arrival.Add(1));
  EXPECT_EQ(looked, 0);
  EXPECT_TRUE(arrival.Add(1));
  EXPECT_EQ(looked, 1);
  disk.free_blocks = 499;  // taken by others
  EXPECT_TRUE(arrival.Add(99));
  Status full = arrival.Add(1);
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().kind, ErrorKind::kStorageFull);
}

TEST(DiskRoomTest, NothingIsCheckedWithoutAShareOrAFolder) {
  EXPECT_TRUE((DiskQuota{.folder = "/", .least_percent = 0}).Check(~std::uint64_t{0}));
  EXPECT_TRUE((DiskQuota{.folder = "", .least_percent = 50}).Check(~std::uint64_t{0}));
  EXPECT_TRUE((DiskQuota{.folder = "/no/such/folder", .least_percent = 50}).Check(1));
}

}  // namespace
}  // namespace koya::service
