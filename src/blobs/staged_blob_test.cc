#include "blobs/staged_blob.h"

#include <gtest/gtest.h>

#include "blobs/blob_texts_fake.h"
#include "blobs/memory/memory_blob_store.h"

namespace koya {
namespace {

TEST(StagedBlob, ATextIsNotStoredBeforeItIsCommitted) {
  MemoryBlobStore blobs;
  Result<StagedBlob> staged = StageText(blobs, "sums");
  ASSERT_TRUE(staged);
  EXPECT_EQ(staged->info.digest, Digest::Of("sums"));
  EXPECT_EQ(staged->info.size, 4U);
  EXPECT_EQ(KindOf(RunTask(blobs.Open(Digest::Of("sums")))), ErrorKind::kNotFound);
  ASSERT_TRUE(RunTask(staged->writer->Commit()));
  EXPECT_EQ(RunTask(Load(blobs, Digest::Of("sums"))), "sums");
}

}  // namespace
}  // namespace koya
