// Sends a release's files into a draft, several at once.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "cli/api/provider_client.h"
#include "cli/release_folder.h"
#include "cli/text/upload_progress.h"

namespace koya::cli {

struct UploadPlan {
  const RegistryClientOptions& connection;
  const ReleaseId& release;
  const ReleaseFolder& folder;
  const wire::Draft& draft;  // files that it has, with the same bytes, are not sent again
  std::size_t jobs = 4;      // how many at once, each over a connection of its own
};

struct UploadReport {
  std::size_t sent = 0;
  std::size_t there = 0;  // in the draft already
};

// Ends at the first failure: the other uploads are broken off, and what has arrived stays in the
// draft. Fails: kInvalid (a local file), and as ProviderClient::UploadFile does.
Result<UploadReport> UploadRelease(const UploadPlan& plan, UploadProgress& progress);

}  // namespace koya::cli
