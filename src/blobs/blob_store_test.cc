#include "blobs/blob_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/run_task.h"
#include "blobs/blob_texts_fake.h"
#include "blobs/memory/memory_blob_store.h"

namespace koya {
namespace {

// Claims `size` bytes and holds `text`.
class FarBlob final : public Blob {
 public:
  FarBlob(std::string text, std::uint64_t size) : text_(std::move(text)), size_(size) {}
  std::uint64_t size() const override { return size_; }
  std::optional<int> file_descriptor() const override { return std::nullopt; }
  Task<std::size_t> ReadAt(std::uint64_t offset, std::span<std::byte> into) override {
    std::string_view rest =
        std::string_view(text_).substr(std::min<std::size_t>(offset, text_.size()));
    std::size_t count = std::min(rest.size(), into.size());
    std::ranges::copy(std::as_bytes(std::span(rest.substr(0, count))), into.begin());
    co_return count;
  }

 private:
  std::string text_;
  std::uint64_t size_;
};

Task<std::string> ReadAll(ByteSource& body) {
  std::string text;
  while (true) {
    ASSIGN_OR_CO_RETURN(std::span<const std::byte> bytes, co_await body.Read());
    if (bytes.empty()) co_return text;
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
}

TEST(BlobSourceTest, GivesAllBytesInPieces) {
  std::string content(700'000, 'x');
  content.back() = 'y';
  BlobSource body(std::make_shared<FarBlob>(content, content.size()));
  auto text = RunTask(ReadAll(body));
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, content);
}

TEST(BlobSourceTest, AShortBlobIsAFailureNotAnEnd) {
  BlobSource body(std::make_shared<FarBlob>("short", 100));
  auto text = RunTask(ReadAll(body));
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind, ErrorKind::kCorrupt);
}

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
