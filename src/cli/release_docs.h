// Adds docs and a schema to the files of a release.
#pragma once

#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "cli/release_folder.h"
#include "domain/provider_address.h"
#include "wire/provider_docs.h"

namespace koya::cli {

struct DocsQuestion {
  std::filesystem::path docs;    // --docs; empty: those of the folder, if any
  std::filesystem::path schema;  // --schema; likewise
  const ProviderAddress& address;
  std::filesystem::path temporary_folder;
};

// Owns the packed docs until they are sent.
struct ReleaseDocs {
  UniqueFd packed;
};

// Adds the files to `folder`. Fails: kInvalid: the folder already has such a file, or as PackDocs;
// kTooLarge, kStorageFull.
Result<ReleaseDocs> AddDocs(const DocsQuestion& question, ReleaseFolder& folder);

// True if the release has docs or a schema.
bool HasDocs(const ReleaseFolder& folder);

// "docs/a.md:3: …", safe to print.
std::string DocsWarningText(const wire::ReadWarning& warning);

}  // namespace koya::cli
