// The suite over a real store (live_store_fake.h says how to name one); over memory without one.
#include <atomic>
#include <string>

#include "base/encoding.h"
#include "base/sha256.h"
#include "blobs/blob_store_suite_base.h"
#include "blobs/s3/live_store_fake.h"
#include "blobs/s3/s3_store_fixture_fake.h"
#include "blobs/s3/storage_marker.h"
#include "blobs/s3/storage_sweep.h"

namespace koya {
namespace {

struct LiveObjects {
  static std::string FreshPrefix() {
    static std::atomic<int> count = 0;
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    return "suite-" + std::to_string(now) + "-" + std::to_string(++count);
  }
  LiveObjects() {
    if (!store) return;
    EXPECT_TRUE(store->MakeBucket("koya-suite"));
    auto made = store->Connect(store->Options("koya-suite", FreshPrefix()));
    EXPECT_TRUE(made);
    live = *std::move(made);
  }
  ObjectClient& client() {
    if (live) return *live;
    return memory;
  }
  std::optional<s3::LiveStore> store = s3::LiveStore::Find();
  FakeObjectClient memory;
  std::unique_ptr<S3Client> live;
};

INSTANTIATE_TEST_SUITE_P(Live, BlobStoreSuite,
                         ::testing::Values(&MakeBackend<S3Backend<LiveObjects>>));

class LiveFillTest : public ::testing::Test {
 protected:
  LiveObjects objects_;
  TestLedger ledger_;
  TestS3Server writer_{objects_.client(), ledger_, QuickTestOptions()};
  TestS3Server reader_{objects_.client(), ledger_, QuickTestOptions()};
};

TEST_F(LiveFillTest, AColdBlobOfManyPartsArrives) {
  std::string content(12'345'678, 'x');
  for (std::size_t i = 0; i < content.size(); i += 997)
    content[i] = static_cast<char>('a' + i % 26);
  ASSERT_TRUE(RunTask(Store(writer_.blobs(), content, 1 << 20)));
  Result<std::string> read = reader_.Read(content);
  ASSERT_TRUE(read) << read.error().detail;
  EXPECT_TRUE(*read == content);
  EXPECT_EQ(reader_.blobs().counts().fills, 1U);
  EXPECT_EQ(reader_.blobs().counts().store_bytes, content.size());
}

TEST_F(LiveFillTest, AnObjectThatWasRemovedIsLost) {
  ASSERT_TRUE(RunTask(Store(writer_.blobs(), "koya")));
  Result<BlobObject> object = RunTask(ledger_.FindStored(Digest::Of("koya")));
  ASSERT_TRUE(object);
  ASSERT_TRUE(RunTask(objects_.client().Delete(object->name)));
  EXPECT_EQ(KindOf(reader_.Read("koya")), ErrorKind::kCorrupt);
  ASSERT_TRUE(RunTask(Store(writer_.blobs(), "koya")));
  EXPECT_EQ(reader_.Read("koya"), "koya");
}

TEST_F(LiveFillTest, WithoutTheLedgerItIsFoundByListing) {
  ASSERT_TRUE(RunTask(Store(writer_.blobs(), "koya")));
  ledger_.SetFailure(Error{ErrorKind::kUnavailable, "the catalog is down", {}});
  EXPECT_EQ(reader_.Read("koya"), "koya");
}

TEST_F(LiveFillTest, TheMarkerIsWrittenAndTakenOver) {
  const StorageMarker ours{"9f3a", "https://registry.example.com"};
  const StorageMarker theirs{"0000", "https://b.example.com"};
  ASSERT_TRUE(RunTask(CheckMarker(objects_.client(), theirs)));
  EXPECT_EQ(KindOf(RunTask(CheckMarker(objects_.client(), ours))), ErrorKind::kRefused);
  ASSERT_TRUE(RunTask(AdoptStorage(objects_.client(), ours)));
  EXPECT_TRUE(RunTask(CheckMarker(objects_.client(), ours)));
}

TEST_F(LiveFillTest, ASweepRemovesWhatHasLeft) {
  ASSERT_TRUE(RunTask(Store(writer_.blobs(), "koya")));
  Result<BlobObject> object = RunTask(ledger_.FindStored(Digest::Of("koya")));
  ASSERT_TRUE(object);
  ASSERT_EQ(RunTask(writer_.blobs().RemoveIfOlder(object->digest, std::chrono::seconds(0))), true);
  ledger_.Advance(std::chrono::hours(2));
  LogCapture capture;
  Logger log(capture.writer(), LogLevel::kInfo);
  StorageSweep sweep(objects_.client(), ledger_, log);
  const SweepTimes times{std::chrono::hours(1), std::chrono::hours(1)};
  Result<SweepReport> report = RunTask(sweep.Run(times, {}));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->removed, 1U) << capture.Text();
  EXPECT_EQ(KindOf(RunTask(objects_.client().SizeOf(object->name, RetryTimeout::kClient))),
            ErrorKind::kNotFound);
}

}  // namespace
}  // namespace koya
