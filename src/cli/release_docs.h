// Packs a provider's docs, as its author keeps them, into the docs file of a release, and adds docs
// and a schema to its files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "cli/release_folder.h"
#include "domain/provider_address.h"
#include "wire/provider_docs.h"

namespace koya::cli {

struct PackedDocs {
  UniqueFd file;  // a zip; equal pages give equal bytes
  std::uint64_t size = 0;
  std::size_t pages = 0;
  std::size_t links = 0;  // symbolic links, which were skipped
};

// Packs the Markdown files of `folder`: the folder of the pages (docs, website/docs), or the
// project that has one; if the project has both, the legacy one, as the public registries do.
// Writes to an unnamed file in `temporary_folder`. Fails: kInvalid: no page, a name that cannot be
// packed, or a file that cannot be read; kTooLarge; kStorageFull.
Result<PackedDocs> PackDocs(const std::filesystem::path& folder,
                            const std::filesystem::path& temporary_folder);

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
