#include "cli/uploads.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include "base/file_io.h"
#include "base/sha256.h"
#include "base/text.h"
#include "cli/api/local_file.h"
#include "domain/attachment.h"
#include "domain/digest.h"
#include "wire/provider_publishing.h"

namespace koya::cli {
namespace {

class Uploader {
 public:
  Uploader(const UploadPlan& plan, UploadProgress& progress) : plan_(plan), progress_(progress) {
    files_.reserve(plan.folder.files.size());
    for (const FolderFile& file : plan.folder.files) files_.push_back(&file);
    for (const FolderFile& file : plan.folder.attachments) files_.push_back(&file);
    // The longest first, so that none is left over when the others are done.
    std::ranges::sort(files_, std::greater(), [](const FolderFile* f) { return f->size; });
  }

  Result<UploadReport> Run() {
    {
      std::vector<std::jthread> workers;
      std::size_t count = std::min(std::max<std::size_t>(plan_.jobs, 1), files_.size());
      for (std::size_t i = 0; i < count; ++i) workers.emplace_back([this, i] { Work(i); });
    }
    if (failure_) return Failure(*std::move(failure_));
    return report_;
  }

 private:
  void Work(std::size_t worker) {
    RegistryClientOptions connection = plan_.connection;
    connection.stop = stop_.get_token();
    ApiClient api(std::move(connection));
    while (!stop_.stop_requested()) {
      std::size_t index = next_++;
      if (index >= files_.size()) return;
      Result<bool> sent = SendUnlessThere(api, worker, *files_[index]);
      std::lock_guard lock(mutex_);
      if (!sent) {
        // Those that follow from the first are no news.
        if (!failure_) failure_ = std::move(sent).error();
        stop_.request_stop();
        return;
      }
      ++(*sent ? report_.sent : report_.there);
    }
  }

  // True when the file was sent, false when the draft has it.
  Result<bool> SendUnlessThere(ApiClient& api, std::size_t worker, const FolderFile& file) {
    ASSIGN_OR_RETURN(LocalFile local, LocalFile::Open(plan_.folder.PathOf(file)));
    progress_.Begin(worker, Label(file.name));
    auto known = std::ranges::find(plan_.draft.files, file.name, &wire::DraftFile::name);
    bool there = false;
    if (known != plan_.draft.files.end() && known->size == local.size()) {
      ASSIGN_OR_RETURN(std::string digest, local.ComputeDigest());
      there = digest == known->digest;
    }
    if (!there) RETURN_IF_ERROR(Upload(api, worker, file.name, local));
    progress_.Finish(worker, file.size);
    return !there;
  }

  Status Upload(ApiClient& api, std::size_t worker, const std::string& name,
                const LocalFile& local) {
    auto on_progress = [&](std::uint64_t sent) { progress_.Show(worker, sent); };
    http::ClientRequest request;
    request.fields.emplace_back("Content-Type", "application/octet-stream");
    request.upload = {local.descriptor(), local.size(), on_progress};
    RETURN_IF_ERROR(api.Call(At(wire::kUploadDraftFile, plan_.release, plan_.draft.id, name),
                             std::move(request)));
    return {};
  }

  // The distinguishing part of the name: "linux_amd64", "SHA256SUMS".
  std::string Label(std::string_view name) const {
    std::string_view end = name.ends_with(".zip") ? ".zip" : "";
    name.remove_suffix(end.size());
    std::size_t cut = name.find('_');                                  // after the type
    if (cut != std::string_view::npos) cut = name.find('_', cut + 1);  // after the version
    return std::string(cut == std::string_view::npos ? name : name.substr(cut + 1));
  }

  const UploadPlan& plan_;
  UploadProgress& progress_;
  std::vector<const FolderFile*> files_;
  std::atomic<std::size_t> next_ = 0;
  std::stop_source stop_;  // requested by the first that fails
  std::mutex mutex_;       // for the two below
  std::optional<Error> failure_;
  UploadReport report_;
};

}  // namespace

Result<UploadReport> UploadRelease(const UploadPlan& plan, UploadProgress& progress) {
  return Uploader(plan, progress).Run();
}

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
