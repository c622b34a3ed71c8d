#include "service/providers/release_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "archive/archive_limits.h"
#include "archive/gzip.h"
#include "archive/packed_file.h"
#include "archive/zip_writer.h"
#include "base/offload.h"
#include "base/text.h"
#include "domain/provider_record.h"
#include "domain/release_file.h"
#include "inspect/provider/schema_reader.h"
#include "service/common/blob_io.h"
#include "service/providers/docs_reading.h"

namespace koya::service {
namespace {

namespace provider = inspect::provider;

constexpr std::size_t kPieceOfSchema = 128U << 10;
// JSON that says the same thousands of times packs far better than a module does, and the limit of
// bytes ends a bomb.
constexpr std::uint64_t kSchemaRatio = 2000;

// What lies in the file as it goes into the parser.
class SchemaBytes {
 public:
  SchemaBytes(const DocsSource& source, std::uint64_t most)
      : file_(source.descriptor, source.size),
        budget_(
            {.unpacked_bytes = most, .ratio = kSchemaRatio, .unpacked_name = "limits.schema_bytes"},
            source.size),
        cursor_(file_) {}

  Status Begin() {
    if (file_.size() < 2) return {};
    std::array<std::byte, 2> magic{};
    RETURN_IF_ERROR(file_.ReadAt(0, magic));
    if (magic == std::array{std::byte{0x1F}, std::byte{0x8B}}) gzip_.emplace(file_, budget_);
    return {};
  }
  // Empty at the end.
  Result<std::string_view> Take() {
    ASSIGN_OR_RETURN(std::span<const std::byte> part,
                     gzip_ ? gzip_->ReadBytes(kPieceOfSchema) : cursor_.ReadBytes(kPieceOfSchema));
    return std::string_view(reinterpret_cast<const char*>(part.data()), part.size());
  }

 private:
  PackedFile file_;
  ArchiveBudget budget_;
  FileCursor cursor_;
  std::optional<GzipReader> gzip_;
};

// The zip that grows while the document is read. The reader hands on fewer items than a zip takes,
// and names that can be kept.
class SchemaPack {
 public:
  SchemaPack(std::unique_ptr<BlobWriter> blob, SchemaFindings& findings)
      : blob_(std::move(blob)),
        sink_([this](std::span<const std::byte> bytes) { return blob_->Write(bytes); }),
        zip_(sink_),
        findings_(findings) {}

  Status Add(const provider::SchemaItem& item) {
    const std::string_view kind = provider::SchemaKindName(item.kind);
    ASSIGN_OR_RETURN(PackedPart part, zip_.Add(fmt::format("{}/{}", kind, findings_.items.size()),
                                               provider::EncodeSchemaItem(item)));
    findings_.items.push_back({.kind = std::string(kind),
                               .name = item.name,
                               .deprecated = item.deprecated,
                               .part = part});
    return {};
  }
  Status Finish() {
    if (findings_.items.empty()) return {};
    RETURN_IF_ERROR(zip_.Finish());
    ASSIGN_OR_RETURN(BlobInfo info, blob_->Finish());
    findings_.packed.emplace(StagedBlob{std::move(blob_), info});
    return {};
  }

 private:
  std::unique_ptr<BlobWriter> blob_;
  ByteSink sink_;
  ZipWriter zip_;
  SchemaFindings& findings_;
};

Result<provider::SchemaSummary> ReadAll(SchemaBytes& bytes, provider::SchemaReader& reader) {
  RETURN_IF_ERROR(bytes.Begin());
  while (true) {
    ASSIGN_OR_RETURN(std::string_view part, bytes.Take());
    if (part.empty()) return reader.Finish();
    RETURN_IF_ERROR(reader.Feed(part));
  }
}

// Whether it is the document that is at fault, and not this server.
bool IsOfTheDocument(const Error& error) {
  return error.kind == ErrorKind::kInvalid || error.kind == ErrorKind::kRefused ||
         error.kind == ErrorKind::kTooLarge;
}

}  // namespace

Result<SchemaFindings> ReadSchema(BlobStore& blobs, const DocsSource& source,
                                  const std::string& type, std::uint64_t bytes) {
  SchemaFindings findings;
  ASSIGN_OR_RETURN(std::unique_ptr<BlobWriter> blob, blobs.Create());
  SchemaPack pack(std::move(blob), findings);
  SchemaBytes document(source, bytes);
  const provider::SchemaOptions options{.type = type, .bytes = bytes};
  provider::SchemaReader reader(
      options, [&pack](const provider::SchemaItem& item) { return pack.Add(item); });
  auto warn = [&](std::string text) {
    findings.warnings.push_back({std::string(source.name), 0, std::move(text)});
  };
  Result<provider::SchemaSummary> summary = ReadAll(document, reader);
  if (!summary && !IsOfTheDocument(summary.error())) return Failure(std::move(summary).error());
  if (!summary && !summary.error().limit.empty()) {
    findings.problems.push_back(ProblemOf(summary.error()));
    return findings;
  }
  if (!summary) warn("the schema cannot be read to its end: " + summary.error().message);
  if (summary) {
    for (std::string& each : summary->warnings) warn(std::move(each));
  }
  RETURN_IF_ERROR(pack.Finish());
  return findings;
}

namespace {

void Append(std::vector<ReadWarning> found, std::vector<ReadWarning>& warnings) {
  warnings.insert(warnings.end(), std::move_iterator(found.begin()),
                  std::move_iterator(found.end()));
}

void TellProblems(const DraftFile& file, const std::vector<std::string>& found,
                  std::vector<std::string>& problems) {
  for (const std::string& each : found) problems.push_back(fmt::format("{}: {}", file.name, each));
}

bool Has(const ReleaseReader::Signed& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

Task<void> ReleaseReader::ReadDocsOf(const DraftRecord& draft, const DraftFile& file,
                                     ReleaseReading& reading) {
  ASSIGN_OR_CO_RETURN(LocalBlob local, co_await OpenLocalBlob(blobs_, pool_, file.digest));
  const DocsSource source{file.name, local.descriptor, local.size};
  auto read = [this, &source] { return ReadDocs(source, limits_.docs); };
  ASSIGN_OR_CO_RETURN(DocsFindings found, co_await Offload(pool_, read));
  TellProblems(file, found.problems, reading.problems);
  Append(std::move(found.warnings), reading.extras.warnings);
  if (found.pages.empty()) co_return Status();
  reading.extras.docs = ReleaseDocs{.archive = {.digest = file.digest, .size = file.size},
                                    .pages = std::move(found.pages)};
  co_return Status();
}

Task<void> ReleaseReader::ReadSchemaOf(const DraftRecord& draft, const DraftFile& file,
                                       ReleaseReading& reading) {
  ASSIGN_OR_CO_RETURN(LocalBlob local, co_await OpenLocalBlob(blobs_, pool_, file.digest));
  const DocsSource source{file.name, local.descriptor, local.size};
  auto read = [&] {
    return ReadSchema(blobs_, source, draft.address.type(), limits_.schema_bytes);
  };
  ASSIGN_OR_CO_RETURN(SchemaFindings found, co_await Offload(pool_, read));
  TellProblems(file, found.problems, reading.problems);
  Append(std::move(found.warnings), reading.extras.warnings);
  if (!found.packed) co_return Status();
  reading.extras.schema = ReleaseSchema{
      .archive = {.digest = found.packed->info.digest, .size = found.packed->info.size},
      .items = std::move(found.items)};
  reading.schema = std::move(found.packed);
  co_return Status();
}

Task<ReleaseReading> ReleaseReader::Read(DraftRecord draft, Signed is_signed) {
  ReleaseReading reading;
  for (const DraftFile& file : draft.files) {
    auto parsed = ParseReleaseFile(file.name, draft.address, draft.version);
    if (!parsed || !file.problems.empty()) continue;
    if (parsed->kind == ReleaseFile::Kind::kDocs) {
      CO_RETURN_IF_ERROR(co_await ReadDocsOf(draft, file, reading));
      if (reading.extras.docs) reading.extras.docs->archive.is_signed = Has(is_signed, file.name);
    }
    if (parsed->kind == ReleaseFile::Kind::kSchema && !reading.extras.schema) {
      CO_RETURN_IF_ERROR(co_await ReadSchemaOf(draft, file, reading));
      if (reading.extras.schema) {
        reading.extras.schema->archive.is_signed = Has(is_signed, file.name);
      }
    }
  }
  co_return reading;
}

}  // namespace koya::service
