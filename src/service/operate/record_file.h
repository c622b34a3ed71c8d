// Files of records: gzip-compressed JSON lines (wire/record_lines.h), and sums over their tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/archive_limits.h"
#include "archive/gzip.h"
#include "archive/packed_file.h"
#include "base/byte_sink.h"
#include "base/result.h"
#include "base/sha256.h"
#include "catalog/record_catalog.h"
#include "wire/backup.h"

namespace koya::service {

// Counts and hashes the rows of each table. One thread.
class RecordSums {
 public:
  // A line with its line end. Rows belong to the table before them.
  void AddLine(std::string_view line);
  // Rows of all tables.
  std::uint64_t rows() const { return rows_; }
  // Every table in order. REQUIRES: called once, last.
  std::vector<wire::BackupTable> Finish();

 private:
  void EndTable();

  std::vector<wire::BackupTable> tables_;
  Sha256Hasher hasher_;
  std::uint64_t rows_ = 0;
};

// Writes all records of a catalog as such a file. Blocks. Fails: as the catalog and `sink`.
Status WriteRecordFile(RecordCatalog& records, const ByteSink& sink);

// The sums that a file of the catalog's records would have now. Blocks.
Result<std::vector<wire::BackupTable>> SumRecords(RecordCatalog& records);

// Reads a gzip-compressed file of lines. Blocking; one thread. Memory: one line.
class LineFile {
 public:
  // Does not own the descriptor.
  LineFile(int descriptor, std::uint64_t size);
  // The next line with its line end, valid until the next call; nullopt at the end. Fails:
  // kCorrupt: the file is damaged or ends in the middle of a line.
  Result<std::optional<std::string_view>> ReadLine();

 private:
  static constexpr std::size_t kLongestLine = 256 << 20;

  const PackedFile file_;
  ArchiveBudget budget_;
  GzipReader reader_;
  std::string buffer_;
  std::size_t begin_ = 0;  // of the next line in the buffer
};

// The records of a file for RecordCatalog::WriteRecords, summed on the way. All must outlive the
// source.
RecordCatalog::Source RecordsOf(LineFile& lines, RecordSums& sums);

// The first table whose sums differ: "the table account has 3 rows, not 4". nullopt: none does.
std::optional<std::string> FindDifference(const std::vector<wire::BackupTable>& expected,
                                          const std::vector<wire::BackupTable>& found);

}  // namespace koya::service
