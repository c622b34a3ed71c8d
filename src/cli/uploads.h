// Uploads of the commands that publish: the files of a release to a draft, several at once, and
// attachments.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "cli/api/api_client.h"
#include "cli/api/provider_client.h"
#include "cli/release_folder.h"
#include "cli/text/output.h"
#include "cli/text/upload_progress.h"
#include "wire/attachment.h"

namespace CLI {
class App;
}

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

// ---- attachments: local files that are named for their kind (domain/attachment.h)

// The flag --attach. `paths` receives its values, and must outlive the command.
void AddAttachFlag(CLI::App& command, std::vector<std::string>& paths);

// Adds the files at `paths` to those that were found. A file that is among them already is not
// added again. Fails: kInvalid: a file that is not there, empty or misnamed, or two of one name.
Status AddAttachments(const std::vector<std::string>& paths, std::vector<FolderFile>& attachments);

// Sends an attachment of `version` ("acme/vpc/aws 1.0.0"), which is published. Fails: as
// ApiClient::Call; the message says that the version is published.
Status SendAttachment(ApiClient& api, const RequestLine<wire::Bytes, wire::Attachment>& line,
                      const std::string& version, const std::filesystem::path& path,
                      Output& output);

}  // namespace koya::cli
