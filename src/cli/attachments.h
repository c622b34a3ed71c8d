// Attachments for the commands that publish: local files that are named for their kind
// (domain/attachment.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "cli/release_folder.h"
#include "cli/text/output.h"
#include "wire/attachment.h"

namespace CLI {
class App;
}

namespace koya::cli {

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
