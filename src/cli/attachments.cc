#include "cli/attachments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "cli/api/local_file.h"
#include "domain/attachment.h"

namespace koya::cli {

void AddAttachFlag(CLI::App& command, std::vector<std::string>& paths) {
  command
      .add_option("--attach", paths,
                  "An attestation or SBOM of this version (.sigstore.json, .intoto.jsonl, "
                  ".spdx.json or .cdx.json); can be repeated")
      ->allow_extra_args(false)
      ->type_name("FILE");
}

Status AddAttachments(const std::vector<std::string>& paths, std::vector<FolderFile>& attachments) {
  for (const std::string& each : paths) {
    const std::filesystem::path path = each;
    std::string name = path.filename().string();
    if (const Result<AttachmentKind> kind = ParseAttachmentName(name); !kind) {
      return FailInvalid("--attach {}: {}", Printable(each), kind.error().message);
    }
    std::error_code failed;
    const bool is_file = std::filesystem::is_regular_file(path, failed);
    const std::uintmax_t size = is_file ? std::filesystem::file_size(path, failed) : 0;
    if (!is_file || failed)
      return FailInvalid("--attach {}: there is no such file", Printable(each));
    if (size == 0) return FailInvalid("--attach {}: the file is empty", Printable(each));
    auto same = std::ranges::find(attachments, name, &FolderFile::name);
    if (same == attachments.end()) {
      attachments.push_back({.name = std::move(name), .size = size, .source = path});
    } else if (same->source.empty() || !std::filesystem::equivalent(same->source, path, failed)) {
      return FailInvalid("--attach {}: another attachment has this name", Printable(each));
    }
  }
  return {};
}

Status SendAttachment(ApiClient& api, const RequestLine<wire::Bytes, wire::Attachment>& line,
                      const std::string& version, const std::filesystem::path& path,
                      Output& output) {
  const std::string name = path.filename().string();
  ASSIGN_OR_RETURN(const LocalFile local, LocalFile::Open(path));
  http::ClientRequest request;
  request.fields.emplace_back("Content-Type", "application/octet-stream");
  request.upload = http::FileUpload{local.descriptor(), local.size(), {}};
  Result<http::ClientResponse> response = api.Call(line, std::move(request));
  if (!response) {
    Error error = std::move(response).error();
    error.message = fmt::format("{} is published, but {} could not be attached: {}", version, name,
                                error.message);
    return Failure(std::move(error));
  }
  output.Print(
      fmt::format("{} {}", response->status == 201 ? "Attached" : "Already attached:", name));
  return {};
}

}  // namespace koya::cli
