#include "service/operate/record_file.h"

#include <fmt/format.h>

#include <limits>
#include <span>
#include <utility>

#include "domain/digest.h"
#include "wire/record_lines.h"

namespace koya::service {
namespace {

// Bytes of lines that are compressed at once.
constexpr std::size_t kBatch = 256 << 10;
constexpr std::size_t kPiece = 256 << 10;

// Records are our own: they are no bomb, however well they compress.
constexpr ArchiveLimits kNoLimits{.unpacked_bytes = std::numeric_limits<std::int64_t>::max(),
                                  .ratio = 1 << 20};

Failure DamagedRecords(std::string_view why) {
  return Fail(ErrorKind::kCorrupt, fmt::format("the file is damaged: {}", why));
}

}  // namespace

void RecordSums::AddLine(std::string_view line) {
  if (!wire::IsTableLine(line)) {
    hasher_.Update(line);
    ++rows_;
    if (!tables_.empty()) ++tables_.back().rows;
    return;
  }
  EndTable();
  Result<RecordItem> item = wire::ParseRecordLine(line.substr(0, line.size() - 1));
  const RecordTable* table = item ? std::get_if<RecordTable>(&*item) : nullptr;
  tables_.push_back({.name = table == nullptr ? "" : table->name});
}

void RecordSums::EndTable() {
  if (!tables_.empty()) tables_.back().sha256 = Digest(hasher_.Finish()).hex();
  hasher_.Restart();
}

std::vector<wire::BackupTable> RecordSums::Finish() {
  EndTable();
  return std::move(tables_);
}

Status WriteRecordFile(RecordCatalog& records, const ByteSink& sink) {
  GzipWriter gzip(sink);
  std::string batch;
  Status read = records.ReadRecords([&](const RecordItem& item) -> Status {
    wire::AppendRecordLine(item, batch);
    if (batch.size() < kBatch) return {};
    Status written = gzip.Write(std::as_bytes(std::span(batch)));
    batch.clear();
    return written;
  });
  RETURN_IF_ERROR(std::move(read));
  RETURN_IF_ERROR(gzip.Write(std::as_bytes(std::span(batch))));
  return gzip.Finish();
}

Result<std::vector<wire::BackupTable>> SumRecords(RecordCatalog& records) {
  RecordSums sums;
  std::string line;
  Status read = records.ReadRecords([&](const RecordItem& item) -> Status {
    line.clear();
    wire::AppendRecordLine(item, line);
    sums.AddLine(line);
    return {};
  });
  RETURN_IF_ERROR(std::move(read));
  return sums.Finish();
}

LineFile::LineFile(int descriptor, std::uint64_t size)
    : file_(descriptor, size), budget_(kNoLimits, size), reader_(file_, budget_) {}

Result<std::optional<std::string_view>> LineFile::ReadLine() {
  std::size_t searched = begin_;
  while (true) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != buffer_.npos) {
      const std::string_view line = std::string_view(buffer_).substr(begin_, end + 1 - begin_);
      begin_ = end + 1;
      return line;
    }
    buffer_.erase(0, begin_);
    begin_ = 0;
    searched = buffer_.size();
    if (searched > kLongestLine) return DamagedRecords("a line is too long");
    Result<std::span<const std::byte>> bytes = reader_.ReadBytes(kPiece);
    if (!bytes) return DamagedRecords(bytes.error().message);
    if (bytes->empty() && !buffer_.empty()) return DamagedRecords("its last line is cut off");
    if (bytes->empty()) return std::nullopt;
    buffer_.append(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }
}

RecordCatalog::Source RecordsOf(LineFile& lines, RecordSums& sums) {
  return [&lines, &sums]() -> Result<std::optional<RecordItem>> {
    ASSIGN_OR_RETURN(std::optional<std::string_view> line, lines.ReadLine());
    if (!line) return std::nullopt;
    sums.AddLine(*line);
    ASSIGN_OR_RETURN(RecordItem item, wire::ParseRecordLine(line->substr(0, line->size() - 1)));
    return item;
  };
}

std::optional<std::string> FindDifference(const std::vector<wire::BackupTable>& expected,
                                          const std::vector<wire::BackupTable>& found) {
  for (std::size_t i = 0; i < expected.size() || i < found.size(); ++i) {
    if (i >= found.size()) return fmt::format("the table {} is missing", expected[i].name);
    if (i >= expected.size()) return fmt::format("the table {} is not expected", found[i].name);
    if (expected[i] == found[i]) continue;
    if (expected[i].name != found[i].name) {
      return fmt::format("the table {} stands where {} is expected", found[i].name,
                         expected[i].name);
    }
    if (expected[i].rows != found[i].rows) {
      return fmt::format("the table {} has {} rows, not {}", found[i].name, found[i].rows,
                         expected[i].rows);
    }
    return fmt::format("rows of the table {} differ", found[i].name);
  }
  return std::nullopt;
}

}  // namespace koya::service
