#include "service/modules/module_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/module_package.h"
#include "base/sha256.h"
#include "base/text.h"
#include "catalog/module_catalog.h"
#include "domain/digest.h"
#include "inspect/changes.h"
#include "inspect/contents.h"
#include "inspect/line_diff.h"
#include "service/common/reading.h"
#include "service/common/verdict_document.h"
#include "service/modules/module_metadata.h"
#include "wire/comparison.h"

namespace koya::service {
namespace {

// SourceDiffer is a collector that compares the files of two archives of a module. Memory: the
// texts of the first archive up to a limit, one text of the second, and the document. One thread at
// a time.
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

// Bytes of a text in JSON.
std::size_t JsonBytes(std::string_view text) {
  std::size_t bytes = text.size();
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) bytes += 5;
    if (c == '"' || c == '\\') ++bytes;
  }
  return bytes;
}

constexpr std::size_t kLineBytes = 24;  // {"op":" ","text":""},
constexpr std::size_t kFileBytes = 120;
constexpr std::size_t kHunkBytes = 60;

// The lines of hunks, as long as they fit into `most` bytes. Returns the bytes.
std::size_t AppendHunks(const std::vector<inspect::DiffHunk>& hunks, std::size_t most,
                        wire::FileDiff& diff) {
  std::size_t bytes = 0;
  for (const inspect::DiffHunk& hunk : hunks) {
    wire::DiffHunk out{hunk.from_line, hunk.to_line, {}};
    bytes += kHunkBytes;
    for (const inspect::DiffedLine& line : hunk.lines) {
      bytes += kLineBytes * (line.is_unended ? 4 : 1) + JsonBytes(line.text);
      diff.cut = diff.cut || bytes > most;
      if (diff.cut) break;
      out.lines.push_back({std::string(1, static_cast<char>(line.sign)), std::string(line.text)});
      if (line.is_unended) out.lines.push_back({"\\", " No newline at end of file"});
    }
    if (!out.lines.empty()) diff.hunks.push_back(std::move(out));
    if (diff.cut) break;
  }
  return std::min(bytes, most);
}

ModuleFileVisitor SourceDiffer::Visitor(void (SourceDiffer::*take)(std::string path, File file)) {
  return {.wanted = [](std::string_view) { return kLongestText; },
          .see = [this](std::span<const std::byte> piece) { hasher_.Update(piece); },
          .take =
              [this, take](std::string path, std::uint64_t size, std::string bytes) {
                File file{.digest = Digest(hasher_.Finish())};
                hasher_.Restart();
                // The beginning may end within a character.
                file.cut = bytes.size() < size;
                file.binary = bytes.contains('\0') || (!file.cut && !IsUtf8(bytes));
                if (!file.cut && !file.binary) file.text = std::move(bytes);
                (this->*take)(std::move(path), std::move(file));
              }};
}

ModuleFileVisitor SourceDiffer::Before() { return Visitor(&SourceDiffer::TakeBefore); }
ModuleFileVisitor SourceDiffer::After() { return Visitor(&SourceDiffer::TakeAfter); }

void SourceDiffer::TakeBefore(std::string path, File file) {
  if (file.text.size() > text_left_) {
    file.cut = true;
    file.text = {};
  }
  text_left_ -= file.text.size();
  file.text.shrink_to_fit();
  before_.insert_or_assign(std::move(path), std::move(file));
}

void SourceDiffer::TakeAfter(std::string path, File file) {
  const auto found = before_.find(path);
  if (found == before_.end()) {
    Add(std::move(path), nullptr, &file);
    return;
  }
  if (found->second.digest != file.digest) Add(std::move(path), &found->second, &file);
  before_.erase(found);
}

void SourceDiffer::Add(std::string path, const File* before, const File* after) {
  bytes_ += kFileBytes + JsonBytes(path);
  if (diff_.files.size() == kMostFiles || bytes_ + kMostHunkBytes > kMostBytes) {
    diff_.cut = true;
    return;
  }
  wire::FileDiff& diff = diff_.files.emplace_back();
  diff.path = std::move(path);
  diff.status = before == nullptr ? "added" : after == nullptr ? "removed" : "changed";
  for (const File* each : {before, after}) {
    if (each == nullptr) continue;
    diff.binary = diff.binary || each->binary;
    diff.cut = diff.cut || each->cut;
  }
  if (!diff.binary && !diff.cut) AddHunks(before, after, diff);
  if (diff.binary) diff.cut = false;
  diff_.cut = diff_.cut || diff.cut;
}

void SourceDiffer::AddHunks(const File* before, const File* after, wire::FileDiff& diff) {
  std::uint64_t steps = std::min(kFileSteps, steps_left_);
  const std::uint64_t given = steps;
  const std::optional<inspect::LineDiff> lines =
      inspect::DiffLines(before == nullptr ? std::string_view() : before->text,
                         after == nullptr ? std::string_view() : after->text, steps);
  steps_left_ -= given - steps;
  if (!lines) {
    diff.cut = true;
    return;
  }
  diff.added = lines->added;
  diff.removed = lines->removed;
  hunk_bytes_ +=
      AppendHunks(lines->hunks, std::min(kMostFileBytes, kMostHunkBytes - hunk_bytes_), diff);
}

wire::SourceDiff SourceDiffer::Finish(std::string from, std::string to) {
  for (const auto& [path, file] : before_) Add(path, &file, nullptr);
  before_.clear();
  std::ranges::sort(diff_.files, {}, &wire::FileDiff::path);
  diff_.from = std::move(from);
  diff_.to = std::move(to);
  return std::move(diff_);
}

constexpr unsigned kAskAgain = 5;  // seconds

Error Busy(std::string message) {
  return {ErrorKind::kUnavailable, std::move(message), "", kAskAgain};
}

constexpr ContentsRequest kNewest{.freshness = ContentsRequest::Freshness::kNewest};

}  // namespace

Task<ModuleArchive> ModuleComparison::FindArchive(ModuleAddress address, Version version) {
  ASSIGN_OR_CO_RETURN(ModuleVersionRecord record,
                      co_await catalog_.FindVersion(std::move(address), std::move(version)));
  co_return ArchiveOf(record);
}

Task<SharedContents> ModuleComparison::Read(ModuleArchive archive, Reading reading,
                                            std::uint64_t beside) {
  std::string name =
      fmt::format("{} {}", archive.subject.address.ToString(), archive.subject.version.ToString());
  ContentsRequest wish = kNewest;
  wish.beside = beside;
  Result<SharedContents> contents =
      co_await insides_.FindContents(std::move(archive), std::move(reading), wish);
  if (!contents && contents.error().kind == ErrorKind::kNotFound) {
    co_return Fail(ErrorKind::kCorrupt,
                   fmt::format("the archive of {} is missing from this server's storage: publish "
                               "it again, or have its operator restore it from a backup",
                               name),
                   std::move(contents).error().detail);
  }
  if (!contents && contents.error().kind == ErrorKind::kUnavailable &&
      contents.error().retry_after == 0) {
    contents.error().retry_after = kAskAgain;
  }
  co_return contents;
}

Task<SharedComparison> ModuleComparison::Work(ModuleArchive from, ModuleArchive to,
                                              Reading reading) {
  ConcurrencySlot turn(working_, bounds_.at_once);
  if (!turn.got()) {
    co_return Failure(
        Busy("versions of other modules are being compared: try again in a few seconds"));
  }
  const Version from_version = from.subject.version;
  const Version to_version = to.subject.version;
  ASSIGN_OR_CO_RETURN(std::uint64_t older, co_await insides_.Measure(from, kNewest));
  ASSIGN_OR_CO_RETURN(std::uint64_t newer, co_await insides_.Measure(to, kNewest));
  const std::uint64_t beside = reading.claimed();
  CO_RETURN_IF_ERROR(co_await reading.Claim(beside + older + newer));
  ASSIGN_OR_CO_RETURN(SharedContents before,
                      co_await Read(std::move(from), reading, beside + newer));
  ASSIGN_OR_CO_RETURN(SharedContents after, co_await Read(std::move(to), reading, beside + older));
  auto compare = [&]() -> Result<SharedComparison> {
    inspect::Verdict verdict = inspect::Compare(*before, from_version, *after, to_version);
    return std::make_shared<const wire::Comparison>(
        DescribeVerdict(verdict, from_version, to_version));
  };
  co_return co_await reading.Do(std::move(compare));
}

struct ModuleComparison::Pair {
  ModuleArchive from;
  ModuleArchive to;
  std::string key;
};

Task<ModuleComparison::Pair> ModuleComparison::FindPair(ModuleAddress address, Version from,
                                                        Version to) {
  ASSIGN_OR_CO_RETURN(ModuleArchive before, co_await FindArchive(address, std::move(from)));
  ASSIGN_OR_CO_RETURN(ModuleArchive after, co_await FindArchive(address, std::move(to)));
  // The digests: a version that was withdrawn meanwhile is another question.
  std::string key =
      fmt::format("{} {} {}", address.Key(), before.digest.ToString(), after.digest.ToString());
  key += fmt::format(" {} {}", before.subject.version.ToString(), after.subject.version.ToString());
  co_return Pair{std::move(before), std::move(after), std::move(key)};
}

Error ModuleComparison::Late(const Pair& pair) const {
  return Busy(fmt::format(
      "comparing {} and {} takes longer than {} s: it continues, try again in a few seconds",
      pair.from.subject.version.ToString(), pair.to.subject.version.ToString(),
      std::chrono::ceil<std::chrono::seconds>(bounds_.patience).count()));
}

Task<SharedComparison> ModuleComparison::Compare(ModuleAddress address, Version from, Version to,
                                                 Reading reading) {
  ASSIGN_OR_CO_RETURN(Pair pair,
                      co_await FindPair(std::move(address), std::move(from), std::move(to)));
  const auto deadline = std::chrono::steady_clock::now() + bounds_.patience;
  Error late = Late(pair);
  Task<SharedComparison> work = Work(std::move(pair.from), std::move(pair.to), reading.Lasting());
  co_return co_await flights_.Do(std::move(pair.key), std::move(work), deadline, std::move(late));
}

Task<SharedSourceDiff> ModuleComparison::WorkOnSources(ModuleArchive from, ModuleArchive to,
                                                       Reading reading) {
  // Configurations are packed to a tenth; what a small archive has more than that is not compared.
  constexpr std::uint64_t kUnpacked = 32;
  constexpr std::uint64_t kLeastText = std::uint64_t{1} << 20;
  constexpr std::uint64_t kMostText = std::uint64_t{16} << 20;
  ConcurrencySlot turn(working_, bounds_.at_once);
  if (!turn.got()) {
    co_return Failure(
        Busy("versions of other modules are being compared: try again in a few seconds"));
  }
  const std::uint64_t text = std::clamp(kUnpacked * from.size, kLeastText, kMostText);
  CO_RETURN_IF_ERROR(
      co_await reading.Claim(reading.claimed() + text + SourceDiffer::kWorkingBytes));
  std::string from_version = from.subject.version.ToString();
  std::string to_version = to.subject.version.ToString();
  SourceDiffer differ(text);
  ModuleFileVisitor before = differ.Before();
  CO_RETURN_IF_ERROR(co_await insides_.VisitFiles(std::move(from), reading, std::move(before)));
  ModuleFileVisitor after = differ.After();
  CO_RETURN_IF_ERROR(co_await insides_.VisitFiles(std::move(to), reading, std::move(after)));
  auto finish = [&]() -> Result<SharedSourceDiff> {
    return std::make_shared<const wire::SourceDiff>(
        differ.Finish(std::move(from_version), std::move(to_version)));
  };
  co_return co_await reading.Do(std::move(finish));
}

Task<SharedSourceDiff> ModuleComparison::CompareSources(ModuleAddress address, Version from,
                                                        Version to, Reading reading) {
  ASSIGN_OR_CO_RETURN(Pair pair,
                      co_await FindPair(std::move(address), std::move(from), std::move(to)));
  const auto deadline = std::chrono::steady_clock::now() + bounds_.patience;
  Error late = Late(pair);
  Task<SharedSourceDiff> work =
      WorkOnSources(std::move(pair.from), std::move(pair.to), reading.Lasting());
  co_return co_await source_flights_.Do(std::move(pair.key), std::move(work), deadline,
                                        std::move(late));
}

}  // namespace koya::service
