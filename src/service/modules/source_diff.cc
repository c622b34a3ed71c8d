#include "service/modules/source_diff.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "archive/module_files.h"
#include "base/text.h"
#include "inspect/line_diff.h"

namespace koya::service {
namespace {

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

}  // namespace

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

}  // namespace koya::service
