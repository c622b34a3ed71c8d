// Random work on a cache, against a model of it that has no files.
#include <algorithm>
#include <random>

#include "blobs/fs/fs_cache_fake.h"

namespace koya {
namespace {

// Model of the cached and the open blobs. Blobs are named by numbers, which are also their sizes.
class CacheModel {
 public:
  explicit CacheModel(std::uint64_t bound) : bound_(bound) {}

  static std::uint64_t SizeOf(int name) { return static_cast<std::uint64_t>(name * 37 % 300); }

  void Stage(std::uint64_t bytes) {
    staged_ += bytes;
    MakeRoom();
  }
  void EndStaging(std::uint64_t bytes) { staged_ -= bytes; }
  void Place(int name) {
    std::erase(kept_, name);
    kept_.push_back(name);
    MakeRoom();
  }
  bool Use(int name) {
    if (std::erase(kept_, name) == 0) return false;
    kept_.push_back(name);
    return true;
  }
  void Drop(int name) { std::erase(kept_, name); }
  const std::vector<int>& kept() const { return kept_; }
  std::uint64_t total() const { return kept_bytes() + staged_; }
  std::uint64_t kept_bytes() const {
    std::uint64_t sum = 0;
    for (int name : kept_) sum += SizeOf(name);
    return sum;
  }

 private:
  void MakeRoom() {
    if (total() <= bound_) return;
    while (!kept_.empty() && total() > bound_ - bound_ / 10) kept_.erase(kept_.begin());
  }

  const std::uint64_t bound_;
  std::vector<int> kept_;  // the least recently used first
  std::uint64_t staged_ = 0;
};

class CacheModelTest : public FsCacheFixture {
 protected:
  static constexpr int kNames = 40;
  static std::string Of(int name) {
    std::string content = Content(std::to_string(name), CacheModel::SizeOf(name));
    if (content.size() > 3) content.replace(0, 3, Content(std::to_string(name), 3));
    return content;
  }
  // Without readers: then the model knows the order and the bytes exactly.
  void Compare(const FsCache& cache, const CacheModel& model) {
    const std::map<Digest, std::uint64_t> files = InFolder();
    std::map<Digest, std::uint64_t> wanted;
    for (int name : model.kept()) wanted.emplace(Digest::Of(Of(name)), CacheModel::SizeOf(name));
    ASSERT_EQ(files, wanted);
    ASSERT_EQ(cache.counters().entries, files.size());
    ASSERT_EQ(cache.counters().bytes, model.total());
  }
};

TEST_F(CacheModelTest, KeepsWhatTheModelKeeps) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    auto cache = OpenCache();
    CacheModel model(kBound);
    std::vector<std::pair<int, std::unique_ptr<BlobWriter>>> writers;
    for (int step = 0; step < 200; ++step) {
      const int name = static_cast<int>(random() % kNames);
      const std::uint64_t size = CacheModel::SizeOf(name);
      const unsigned act = random() % 8;
      if (act < 3 && writers.size() < 6) {
        auto writer = RunTask(Stage(*cache, Of(name), 1000));
        ASSERT_TRUE(writer);
        writers.emplace_back(name, *std::move(writer));
        model.Stage(size);
      } else if (act < 5 && !writers.empty()) {
        auto [staged, writer] = std::move(writers.back());
        writers.pop_back();
        const std::uint64_t bytes = CacheModel::SizeOf(staged);
        const bool commits = act == 3;
        if (commits) ASSERT_TRUE(RunTask(writer->Commit()));
        const bool is_kept = commits && bytes <= kBound / 4;
        if (is_kept) {
          model.EndStaging(bytes);
          model.Place(staged);
        }
        writer.reset();
        WaitForCleanUp();
        if (!is_kept) model.EndStaging(bytes);
      } else if (act < 7) {
        ASSERT_EQ(CanOpen(*cache, Of(name)), model.Use(name));
      } else {
        cache->Drop(Digest::Of(Of(name)));
        model.Drop(name);
      }
      Compare(*cache, model);
      if (HasFatalFailure()) return;
    }
    writers.clear();
    cache.reset();
    std::filesystem::remove_all(root_);
  }
}

// With readers: the test, not the model, tracks which reader holds which blob.
TEST_F(CacheModelTest, OnlyWhatIsOpenGoesBeyondTheBound) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    auto cache = OpenCache();
    std::vector<std::shared_ptr<Blob>> readers;
    std::vector<std::pair<int, std::unique_ptr<BlobWriter>>> writers;
    for (int step = 0; step < 200; ++step) {
      const int name = static_cast<int>(random() % kNames);
      const unsigned act = random() % 10;
      if (act < 3) {
        ASSERT_TRUE(RunTask(Store(*cache, Of(name))));
      } else if (act < 5 && writers.size() < 5) {
        auto writer = RunTask(Stage(*cache, Of(name), 1000));
        ASSERT_TRUE(writer);
        writers.emplace_back(name, *std::move(writer));
      } else if (act < 8 && readers.size() < 8) {
        Result<std::shared_ptr<Blob>> blob = RunTask(cache->Open(Digest::Of(Of(name))));
        if (blob) readers.push_back(*std::move(blob));
      } else if (!writers.empty() && act == 8) {
        ASSERT_TRUE(RunTask(writers.front().second->Commit()));
        writers.erase(writers.begin());
      } else if (!readers.empty()) {
        ASSERT_TRUE(RunTask(ReadAll(readers.front())));
        readers.erase(readers.begin());
      }
      WaitForCleanUp();
      std::uint64_t open = 0;
      for (const auto& [staged, writer] : writers) open += writer->size();
      std::vector<const Blob*> counted;
      for (const auto& blob : readers) {
        if (!blob->gone() || std::ranges::count(counted, blob.get()) > 0) continue;
        counted.push_back(blob.get());
        open += blob->size();
      }
      std::uint64_t kept = 0;
      const std::map<Digest, std::uint64_t> files = InFolder();
      for (const auto& [digest, size] : files) kept += size;
      ASSERT_LE(kept, kBound);
      ASSERT_TRUE(kept + open <= kBound || kept == 0) << kept << " and " << open;
      ASSERT_EQ(cache->counters().bytes, kept + open);
      ASSERT_EQ(cache->counters().entries, files.size());
    }
    readers.clear();
    writers.clear();
    WaitForCleanUp();
    EXPECT_EQ(cache->counters().bytes, BytesInFolder());
    cache.reset();
    std::filesystem::remove_all(root_);
  }
}

}  // namespace
}  // namespace koya
