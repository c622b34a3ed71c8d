#include "service/providers/release_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/offload.h"
#include "domain/provider_record.h"
#include "domain/release_file.h"
#include "service/common/blob_reading.h"
#include "service/providers/docs_reading.h"
#include "service/providers/schema_reading.h"

namespace koya::service {
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
