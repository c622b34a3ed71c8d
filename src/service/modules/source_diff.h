// SourceDiffer is a collector that compares the files of two archives of a module. Memory: the
// texts of the first archive up to a limit, one text of the second, and the document. One thread at
// a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.h"
#include "domain/digest.h"
#include "wire/comparison.h"

namespace koya {
struct ModuleFileVisitor;
}

namespace koya::service {

class SourceDiffer {
 public:
  static constexpr std::size_t kLongestText = std::size_t{1} << 20;  // of a file that is compared
  static constexpr std::size_t kMostFiles = 5'000;
  // Bytes of JSON: of the document, of all hunks, of the hunks of one file.
  static constexpr std::size_t kMostBytes = 2'000'000;
  static constexpr std::size_t kMostHunkBytes = 1'400'000;
  static constexpr std::size_t kMostFileBytes = 400'000;
  // Of the comparison of lines, of a file and in all.
  static constexpr std::uint64_t kFileSteps = 2'000'000;
  static constexpr std::uint64_t kMostSteps = 16'000'000;
  // Memory beside the texts.
  static constexpr std::uint64_t kWorkingBytes = std::uint64_t{24} << 20;

  // `most_text`: the most bytes of texts of the first archive; changed files beyond have no hunks.
  explicit SourceDiffer(std::uint64_t most_text) : text_left_(most_text) {}

  // Visit all files of the first archive, and then of the second, before Finish. They refer to
  // this.
  ModuleFileVisitor Before();
  ModuleFileVisitor After();
  wire::SourceDiff Finish(std::string from, std::string to);

 private:
  struct File {
    Digest digest;
    bool binary = false;
    bool cut = false;  // `text` is missing: the file is too long, or there are too many
    std::string text = {};
  };
  ModuleFileVisitor Visitor(void (SourceDiffer::*take)(std::string path, File file));
  void TakeBefore(std::string path, File file);
  void TakeAfter(std::string path, File file);
  // Null: the file is missing there.
  void Add(std::string path, const File* before, const File* after);
  void AddHunks(const File* before, const File* after, wire::FileDiff& diff);

  Sha256Hasher hasher_;
  std::map<std::string, File> before_;  // those that the second archive has not had yet
  wire::SourceDiff diff_;
  std::uint64_t text_left_;
  std::uint64_t steps_left_ = kMostSteps;
  std::size_t bytes_ = 0;       // of the document
  std::size_t hunk_bytes_ = 0;  // of all hunks
};

}  // namespace koya::service
