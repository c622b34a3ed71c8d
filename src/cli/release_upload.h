// Uploads the files of a release to a draft, several at once.
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
  const wire::Draft& draft;  // files that it has with the same bytes are skipped
  std::size_t jobs = 4;      // concurrent uploads, each over its own connection
};

struct UploadReport {
  std::size_t sent = 0;
  std::size_t there = 0;  // already in the draft
};

// Stops at the first failure: the other uploads are cancelled; files that have arrived stay in the
// draft. Fails: kInvalid (a local file), and as ApiClient::Call does.
Result<UploadReport> UploadRelease(const UploadPlan& plan, UploadProgress& progress);

}  // namespace koya::cli
