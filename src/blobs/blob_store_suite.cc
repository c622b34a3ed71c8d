// What every blob store must do. See blob_store_suite_base.h.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/both.h"
#include "base/offload.h"
#include "base/run_task.h"
#include "blobs/blob_store_suite_base.h"

namespace koya {
namespace {

TEST_P(BlobStoreSuite, KeepsWhatWasCommitted) {
  const std::string large(1'300'000, 'k');
  for (const std::string& content : {std::string(), std::string("koya"), large}) {
    for (std::size_t piece : {std::size_t{16} << 10, std::size_t{700'000}, std::size_t{4} << 20}) {
      ASSERT_TRUE(RunTask(Store(this->store(), content, piece)));
      Result<std::string> found = RunTask(Load(this->store(), Digest::Of(content)));
      ASSERT_TRUE(found);
      EXPECT_TRUE(*found == content) << content.size() << " bytes in pieces of " << piece;
    }
  }
}

TEST_P(BlobStoreSuite, AnUncommittedBlobIsInvisible) {
  Digest digest = Digest::Of("staged");
  Result<std::unique_ptr<BlobWriter>> writer = RunTask(Stage(this->store(), "staged", 3));
  ASSERT_TRUE(writer);
  EXPECT_EQ(KindOf(RunTask(this->store().Open(digest))), ErrorKind::kNotFound);
  EXPECT_TRUE(ListAll(this->store()).empty());
  writer->reset();
  EXPECT_EQ(KindOf(RunTask(this->store().Open(digest))), ErrorKind::kNotFound);
  EXPECT_TRUE(ListAll(this->store()).empty());
}

TEST_P(BlobStoreSuite, AnUnknownDigestIsNotFound) {
  EXPECT_EQ(KindOf(RunTask(this->store().Open(Digest::Of("never")))), ErrorKind::kNotFound);
}

TEST_P(BlobStoreSuite, StagedBytesAreReadableAndReadOnly) {
  Result<std::unique_ptr<BlobWriter>> writer = RunTask(Stage(this->store(), "staged bytes", 5));
  ASSERT_TRUE(writer);
  std::array<char, 64> buffer{};
  int fd = (*writer)->staged_file();
  ssize_t count = ::pread(fd, buffer.data(), buffer.size(), 0);
  ASSERT_EQ(count, 12);
  EXPECT_EQ(std::string_view(buffer.data(), 12), "staged bytes");
  EXPECT_EQ(::pwrite(fd, "x", 1, 0), -1);
}

Task<void> FollowWhileWriting(BlobStore& store) {
  ASSIGN_OR_CO_RETURN(std::unique_ptr<BlobWriter> writer, store.Create());
  std::string written;
  const int followed = writer->staged_file();
  for (std::size_t size : {1U, 1000U, 300'000U, 7U}) {
    std::string piece(size, static_cast<char>('a' + size % 26));
    CO_RETURN_IF_ERROR(writer->Write(std::as_bytes(std::span(piece))));
    written += piece;
    std::string seen(written.size() + 1, '\0');
    EXPECT_EQ(::pread(followed, seen.data(), seen.size(), 0), static_cast<ssize_t>(written.size()));
    seen.pop_back();
    EXPECT_TRUE(seen == written);
  }
  ASSIGN_OR_CO_RETURN(BlobInfo info, writer->Finish());
  EXPECT_EQ(info.digest, Digest::Of(written));
  EXPECT_EQ(writer->staged_file(), followed);
  co_return co_await writer->Commit();
}

TEST_P(BlobStoreSuite, AGrowingBlobCanBeFollowed) {
  Status followed = RunTask(FollowWhileWriting(this->store()));
  EXPECT_TRUE(followed) << followed.error().message;
}

Task<int> CountWhole(WorkerPool& pool, int descriptor, std::string content) {
  auto read = [descriptor, &content]() -> Result<int> {
    int whole = 0;
    for (int i = 0; i < 20; ++i) {
      std::string seen(content.size(), '\0');
      ssize_t count = ::pread(descriptor, seen.data(), seen.size(), 0);
      if (count == static_cast<ssize_t>(seen.size()) && seen == content) ++whole;
    }
    return whole;
  };
  co_return co_await Offload(pool, read);
}

TEST_P(BlobStoreSuite, StagedBytesCanBeReadWhileTheyAreCommitted) {
  const std::string content(300'000, 'c');
  WorkerPool readers(1);
  for (int i = 0; i < 2; ++i) {  // it is new, then it is there already
    Result<std::unique_ptr<BlobWriter>> writer = RunTask(Stage(this->store(), content, 100'000));
    ASSERT_TRUE(writer);
    auto both =
        RunTask(Both((*writer)->Commit(), CountWhole(readers, (*writer)->staged_file(), content)));
    EXPECT_TRUE(both.first);
    EXPECT_EQ(both.second, 20);
    EXPECT_EQ(RunTask(CountWhole(readers, (*writer)->staged_file(), content)), 20);
  }
}

Task<void> CommitTogether(BlobStore& store, std::vector<std::string> contents) {
  std::vector<std::unique_ptr<BlobWriter>> staged;
  std::vector<BlobWriter*> writers;
  for (const std::string& content : contents) {
    ASSIGN_OR_CO_RETURN(std::unique_ptr<BlobWriter> writer, co_await Stage(store, content, 100));
    writers.push_back(writer.get());
    staged.push_back(std::move(writer));
  }
  co_return co_await store.CommitAll(std::move(writers));
}

TEST_P(BlobStoreSuite, CommitsSeveralAtOnce) {
  ASSERT_TRUE(RunTask(CommitTogether(this->store(), {"one", "two", "one"})));
  EXPECT_EQ(ListAll(this->store()).size(), 2u);
  EXPECT_EQ(RunTask(Load(this->store(), Digest::Of("one"))), "one");
  EXPECT_EQ(RunTask(Load(this->store(), Digest::Of("two"))), "two");
  EXPECT_TRUE(RunTask(CommitTogether(this->store(), {})));
}

TEST_P(BlobStoreSuite, WhatIsStoredIsWhole) {
  ASSERT_TRUE(RunTask(Store(this->store(), "whole")));
  Result<std::shared_ptr<Blob>> blob = RunTask(this->store().Open(Digest::Of("whole")));
  ASSERT_TRUE(blob);
  EXPECT_FALSE((*blob)->growth());
}

TEST_P(BlobStoreSuite, CommittingStoredBytesAgainSucceeds) {
  ASSERT_TRUE(RunTask(Store(this->store(), "shared")));
  ASSERT_TRUE(RunTask(Store(this->store(), "shared")));
  EXPECT_EQ(ListAll(this->store()).size(), 1u);
  EXPECT_EQ(RunTask(Load(this->store(), Digest::Of("shared"))), "shared");
}

TEST_P(BlobStoreSuite, ReadsAnywhereAndEndsWithZero) {
  ASSERT_TRUE(RunTask(Store(this->store(), "0123456789")));
  Result<std::shared_ptr<Blob>> blob = RunTask(this->store().Open(Digest::Of("0123456789")));
  ASSERT_TRUE(blob);
  EXPECT_EQ((*blob)->size(), 10u);
  std::array<std::byte, 4> into{};
  for (auto [offset, count] : {std::pair{0u, 4u}, {7u, 3u}, {10u, 0u}, {99u, 0u}}) {
    Result<std::size_t> read = RunTask((*blob)->ReadAt(offset, into));
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, count) << "at " << offset;
    if (count > 0) {
      EXPECT_EQ(static_cast<char>(into[0]), static_cast<char>('0' + offset));
    }
  }
}

TEST_P(BlobStoreSuite, ADescriptorReadsTheBlob) {
  ASSERT_TRUE(RunTask(Store(this->store(), "descriptor")));
  Result<std::shared_ptr<Blob>> blob = RunTask(this->store().Open(Digest::Of("descriptor")));
  ASSERT_TRUE(blob);
  std::optional<int> fd = (*blob)->file_descriptor();
  if (!fd) GTEST_SKIP() << "this backend's blobs are not files";
  std::array<char, 16> buffer{};
  EXPECT_EQ(::pread(*fd, buffer.data(), buffer.size(), 4), 6);
  EXPECT_EQ(std::string_view(buffer.data(), 6), "riptor");
}

TEST_P(BlobStoreSuite, RemovesOnlyWhatIsOldEnough) {
  Digest digest = Digest::Of("old");
  ASSERT_TRUE(RunTask(Store(this->store(), "old")));
  EXPECT_EQ(RunTask(this->store().RemoveIfOlder(digest, std::chrono::hours(1))), false);
  EXPECT_TRUE(RunTask(this->store().Open(digest)));
  EXPECT_EQ(RunTask(this->store().RemoveIfOlder(digest, std::chrono::seconds(0))), true);
  EXPECT_EQ(KindOf(RunTask(this->store().Open(digest))), ErrorKind::kNotFound);
  EXPECT_EQ(RunTask(this->store().RemoveIfOlder(digest, std::chrono::seconds(0))), false);
}

TEST_P(BlobStoreSuite, RemovesManyAtOnceOfThoseThatAreOldEnough) {
  std::vector<Digest> digests;
  for (const char* content : {"one", "two", "three"}) {
    ASSERT_TRUE(RunTask(Store(this->store(), content)));
    digests.push_back(Digest::Of(content));
  }
  ASSERT_TRUE(RunTask(Store(this->store(), "not asked for")));
  std::vector<Digest> asked = digests;
  asked.push_back(Digest::Of("never stored"));
  Result<std::vector<Digest>> older =
      RunTask(this->store().FindOlder(asked, std::chrono::hours(1)));
  EXPECT_TRUE(older && older->empty());
  older = RunTask(this->store().FindOlder(asked, std::chrono::seconds(0)));
  EXPECT_TRUE(older && std::ranges::is_permutation(*older, digests));
  EXPECT_EQ(ListAll(this->store()).size(), 4u);
  Result<std::vector<Digest>> removed =
      RunTask(this->store().RemoveAllIfOlder(asked, std::chrono::hours(1)));
  ASSERT_TRUE(removed);
  EXPECT_TRUE(removed->empty());
  EXPECT_EQ(ListAll(this->store()).size(), 4u);
  removed = RunTask(this->store().RemoveAllIfOlder(asked, std::chrono::seconds(0)));
  ASSERT_TRUE(removed);
  std::ranges::sort(*removed);
  std::ranges::sort(digests);
  EXPECT_EQ(*removed, digests);
  EXPECT_EQ(ListAll(this->store()).size(), 1u);
  removed = RunTask(this->store().RemoveAllIfOlder(asked, std::chrono::seconds(0)));
  ASSERT_TRUE(removed);
  EXPECT_TRUE(removed->empty());
  EXPECT_TRUE(RunTask(this->store().RemoveAllIfOlder({}, std::chrono::seconds(0)))->empty());
}

TEST_P(BlobStoreSuite, AnOpenBlobOutlivesItsRemoval) {
  ASSERT_TRUE(RunTask(Store(this->store(), "kept open")));
  Digest digest = Digest::Of("kept open");
  Result<std::shared_ptr<Blob>> blob = RunTask(this->store().Open(digest));
  ASSERT_TRUE(blob);
  EXPECT_EQ(RunTask(this->store().RemoveIfOlder(digest, std::chrono::seconds(0))), true);
  EXPECT_EQ(RunTask(ReadAll(*blob)), "kept open");
}

TEST_P(BlobStoreSuite, ListsEveryBlobOnceByDigest) {
  std::set<std::string> wanted;
  for (int i = 0; i < 300; ++i) {
    std::string content = "blob " + std::to_string(i);
    ASSERT_TRUE(RunTask(Store(this->store(), content)));
    wanted.insert(Digest::Of(content).hex() + " " + std::to_string(content.size()));
  }
  const std::vector<std::string> ordered(wanted.begin(), wanted.end());
  for (std::size_t limit : {1, 7, 299, 300, 1000}) {
    EXPECT_EQ(ListAll(this->store(), limit), ordered) << limit;
  }
  Result<std::vector<BlobInfo>> page = RunTask(this->store().List(std::nullopt, 3));
  ASSERT_TRUE(page);
  ASSERT_EQ(page->size(), 3u);
  const std::vector<std::string> rest(ordered.begin() + 3, ordered.end());
  EXPECT_EQ(RunTask(this->store().List(page->back().digest, 1000))->size(), rest.size());
}

Awaitable<void> StoreAndCount(BlobStore& store, std::string content, int* stored) {
  if (co_await Store(store, std::move(content), 70'000)) ++*stored;
}

TEST_P(BlobStoreSuite, ManyMayCommitTheSameBytesAtOnce) {
  boost::asio::io_context loop(1);
  int stored = 0;
  std::exception_ptr failure;
  for (int i = 0; i < 40; ++i) {
    std::string content(300'000, static_cast<char>('a' + i % 4));
    boost::asio::co_spawn(loop, StoreAndCount(this->store(), std::move(content), &stored),
                          [&failure](std::exception_ptr error) { failure = error; });
  }
  loop.run();
  EXPECT_FALSE(failure);
  EXPECT_EQ(stored, 40);
  EXPECT_EQ(ListAll(this->store()).size(), 4u);
}

// State of one test: whether the committing thread has ended.
struct CommitsEnded {
  bool ended = false;
  int removals = 0;
};

Awaitable<void> RemoveUntilEnded(BlobStore& store, Digest digest, CommitsEnded& commits) {
  while (!commits.ended) {
    Result<bool> removed = co_await store.RemoveIfOlder(digest, std::chrono::hours(1));
    EXPECT_TRUE(removed.has_value());
    if (removed && *removed) ++commits.removals;
    co_await boost::asio::post(boost::asio::use_awaitable);
  }
}

Awaitable<void> AgeAndCommit(BlobStoreBackend& backend, std::string content, int rounds,
                             CommitsEnded& commits) {
  const Digest digest = Digest::Of(content);
  for (int i = 0; i < rounds; ++i) {
    backend.SetAge(digest, std::chrono::hours(2));
    // A removal begins now, or while the bytes are committed.
    if (i % 2 == 0) co_await boost::asio::post(boost::asio::use_awaitable);
    Status stored = co_await Store(backend.store(), content);
    EXPECT_TRUE(stored.has_value());
    co_await boost::asio::post(boost::asio::use_awaitable);
    Result<std::string> found = co_await Load(backend.store(), digest);
    EXPECT_TRUE(found.has_value()) << "round " << i;
  }
  commits.ended = true;
}

TEST_P(BlobStoreSuite, CollectionNeverTakesAFreshCommit) {
  boost::asio::io_context loop(1);
  std::exception_ptr failure;
  CommitsEnded commits;
  auto note = [&](std::exception_ptr error) {
    failure = failure ? failure : error;
    if (error) commits.ended = true;
  };
  const Digest digest = Digest::Of("fresh");
  boost::asio::co_spawn(loop, AgeAndCommit(this->backend(), "fresh", 200, commits), note);
  boost::asio::co_spawn(loop, RemoveUntilEnded(this->store(), digest, commits), note);
  loop.run();
  EXPECT_FALSE(failure);
  EXPECT_GT(commits.removals, 0) << "nothing was collected at all";
}

}  // namespace
}  // namespace koya
