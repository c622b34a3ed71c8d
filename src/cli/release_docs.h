// The docs and the schema of a release, added to what its folder holds.
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
  std::filesystem::path docs;    // --docs; empty: those of the folder, if it has any
  std::filesystem::path schema;  // --schema; the same
  const ProviderAddress& address;
  std::filesystem::path temporary_folder;
};

// Keeps what was packed until it is sent.
struct ReleaseDocs {
  UniqueFd packed;
};

// Fails: kInvalid: the folder has such a file already, or as PackDocs; kTooLarge, kStorageFull.
Result<ReleaseDocs> AddDocs(const DocsQuestion& question, ReleaseFolder& folder);

// Whether docs or a schema would be sent.
bool HasDocs(const ReleaseFolder& folder);

// "docs/a.md:3: …", fit to be printed.
std::string DocsWarningText(const wire::ReadWarning& warning);

}  // namespace koya::cli
