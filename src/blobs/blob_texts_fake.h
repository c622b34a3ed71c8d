// For tests: texts as blobs.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/run_task.h"
#include "blobs/blob_store.h"

namespace koya {

inline std::span<const std::byte> AsBytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// The writer of `content`, given in pieces of `piece` bytes, finished but not committed.
inline Task<std::unique_ptr<BlobWriter>> Stage(BlobStore& store, std::string content,
                                               std::size_t piece) {
  ASSIGN_OR_CO_RETURN(std::unique_ptr<BlobWriter> writer, store.Create());
  for (std::string_view rest = content; !rest.empty();) {
    std::string_view part = rest.substr(0, piece);
    CO_RETURN_IF_ERROR(writer->Write(AsBytes(part)));
    rest.remove_prefix(part.size());
  }
  ASSIGN_OR_CO_RETURN(BlobInfo info, writer->Finish());
  EXPECT_EQ(info.digest, Digest::Of(content));
  EXPECT_EQ(info.size, content.size());
  EXPECT_EQ(writer->size(), content.size());
  co_return writer;
}

inline Task<void> Store(BlobStore& store, std::string content, std::size_t piece = 1000) {
  ASSIGN_OR_CO_RETURN(std::unique_ptr<BlobWriter> writer, co_await Stage(store, content, piece));
  co_return co_await writer->Commit();
}

inline Task<std::string> ReadAll(std::shared_ptr<Blob> blob) {
  std::string content;
  std::vector<std::byte> buffer(64 * 1024);
  while (true) {
    ASSIGN_OR_CO_RETURN(std::size_t count, co_await blob->ReadAt(content.size(), buffer));
    if (count == 0) co_return content;
    content.append(reinterpret_cast<const char*>(buffer.data()), count);
  }
}

inline Task<std::string> Load(BlobStore& store, Digest digest) {
  ASSIGN_OR_CO_RETURN(std::shared_ptr<Blob> blob, co_await store.Open(digest));
  co_return co_await ReadAll(blob);
}

template <class T>
ErrorKind KindOf(const Result<T>& result) {
  EXPECT_FALSE(result.has_value());
  return result ? ErrorKind::kInternal : result.error().kind;
}

}  // namespace koya
