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

TEST(StagedBlob, StoresATextInOneGo) {
  MemoryBlobStore blobs;
  for (std::string text : {"", "sums", "sums"}) {
    Result<BlobInfo> info = RunTask(StoreText(blobs, text));
    ASSERT_TRUE(info);
    EXPECT_EQ(info->size, text.size());
    EXPECT_EQ(RunTask(Load(blobs, info->digest)), text);
  }
}

}  // namespace
}  // namespace koya
