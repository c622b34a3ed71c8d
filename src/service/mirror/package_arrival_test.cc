#include "service/mirror/package_arrival.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/run_task.h"
#include "blobs/blob_texts_fake.h"
#include "blobs/fill.h"
#include "blobs/memory/memory_blob_store.h"

namespace koya::service {
namespace {

class PackageArrivalTest : public ::testing::Test {
 protected:
  static std::string Text() { return std::string(1000, 'p') + "end"; }
  Status Take(std::string_view bytes) { return arrival_.AcceptBytes(AsBytes(bytes)); }
  std::string Readable() {
    auto opened = RunTask(fill_->Open(std::chrono::steady_clock::now(), Error()));
    return opened ? RunTask(ReadAll(opened->blob)).value_or("cut off") : "nothing";
  }

  MemoryBlobStore blobs_;
  DiskQuota room_;
  std::shared_ptr<Fill> fill_ = std::make_shared<Fill>();
  PackageArrival arrival_{blobs_, room_, Digest::Of(Text()), *fill_};
};

TEST_F(PackageArrivalTest, ComesFromOneSource) {
  EXPECT_EQ(arrival_.size(), 0U);
  EXPECT_EQ(Readable(), "nothing");
  ASSERT_TRUE(arrival_.Begin(0, Text().size()));
  ASSERT_TRUE(Take(Text()));
  EXPECT_EQ(arrival_.Finish()->digest, Digest::Of(Text()));
  EXPECT_EQ(Readable(), Text());
}

TEST_F(PackageArrivalTest, GoesOnWhereTheOneBeforeEnded) {
  ASSERT_TRUE(arrival_.Begin(0, Text().size()));
  ASSERT_TRUE(Take(Text().substr(0, 10)));
  ASSERT_TRUE(arrival_.Begin(10, Text().size()));
  ASSERT_TRUE(Take(Text().substr(10, 20)));
  // From its beginning, which need not be said how long it is, in pieces that end where they like.
  ASSERT_TRUE(arrival_.Begin(0, std::nullopt));
  ASSERT_TRUE(Take(Text().substr(0, 7)));
  ASSERT_TRUE(Take(Text().substr(7, 13)));
  EXPECT_EQ(arrival_.size(), 30U);
  ASSERT_TRUE(Take(Text().substr(20, 500)));
  EXPECT_EQ(arrival_.size(), 520U);
  ASSERT_TRUE(Take(Text().substr(520)));
  EXPECT_FALSE(arrival_.contradicted());
  EXPECT_EQ(arrival_.Finish()->digest, Digest::Of(Text()));
  EXPECT_EQ(Readable(), Text());
}

TEST_F(PackageArrivalTest, OtherBytesAreNoticed) {
  ASSERT_TRUE(arrival_.Begin(0, Text().size()));
  ASSERT_TRUE(Take(Text().substr(0, 100)));
  ASSERT_TRUE(arrival_.Begin(0, Text().size()));
  ASSERT_TRUE(Take(Text().substr(0, 50)));
  std::string other = Text().substr(50, 100);
  other[49] = 'x';
  Status taken = Take(other);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().kind, ErrorKind::kUnavailable);
  EXPECT_TRUE(arrival_.contradicted());
  EXPECT_EQ(arrival_.size(), 100U);
}

TEST_F(PackageArrivalTest, AnotherLengthIsNoticed) {
  ASSERT_TRUE(arrival_.Begin(0, Text().size()));
  ASSERT_TRUE(Take(Text().substr(0, 100)));
  EXPECT_FALSE(arrival_.Begin(100, Text().size() + 1));
  EXPECT_TRUE(arrival_.contradicted());
}

TEST_F(PackageArrivalTest, ALengthThatIsShorterThanWhatIsHereIsNoticed) {
  ASSERT_TRUE(arrival_.Begin(0, std::nullopt));
  ASSERT_TRUE(Take(Text().substr(0, 100)));
  EXPECT_FALSE(arrival_.Begin(0, 99));
}

TEST_F(PackageArrivalTest, WrongBytesAreNotHandedOutToTheEnd) {
  std::string wrong = Text();
  wrong.back() ^= 1;
  ASSERT_TRUE(arrival_.Begin(0, wrong.size()));
  ASSERT_TRUE(Take(wrong));
  EXPECT_NE(arrival_.Finish()->digest, Digest::Of(Text()));
  fill_->End(FailUnavailable("wrong"));
  EXPECT_EQ(Readable(), "nothing");
}

TEST_F(PackageArrivalTest, AFullDiskIsTold) {
  DiskQuota full{.folder = "/", .least_percent = 100};
  full.look = [](const std::filesystem::path&) { return DiskSpace{.blocks = 1000}; };
  PackageArrival arrival(blobs_, full, Digest::Of(Text()), *fill_);
  Status begun = arrival.Begin(0, 1);
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().kind, ErrorKind::kStorageFull);
}

}  // namespace
}  // namespace koya::service
