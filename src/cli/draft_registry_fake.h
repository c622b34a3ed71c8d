// A registry that takes drafts of acme/demo 1.2.0 like a server, as far as the command line can
// see: for tests of publishing. Each answer can be replaced.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/run_program_fake.h"
#include "domain/digest.h"
#include "http/scripted_server_fake.h"
#include "wire/provider_publishing.h"
#include "wire/providers.h"

namespace koya::cli {

class DraftRegistry {
 public:
  using Answer = http::ScriptedAnswer;
  using Request = http::ScriptedRequest;
  // Answers instead of the registry when it returns an answer; sees every request first.
  using Intervene = std::function<std::optional<Answer>(const Request&)>;

  explicit DraftRegistry(Intervene intervene = {})
      : intervene_(std::move(intervene)),
        server_([this](const Request& request) { return Respond(request); }) {}

  std::string url() const { return server_.url(); }
  // "PUT files/x.zip", "POST commit": requests below …/drafts/ID, and other requests whole.
  std::vector<std::string> calls() const {
    std::vector<std::string> out;
    for (const Request& request : server_.requests()) {
      std::size_t cut = request.target.find(kDraft);
      out.push_back(
          request.method + " " +
          (cut == std::string::npos ? request.target : request.target.substr(cut + kDraft.size())));
    }
    return out;
  }
  std::size_t Count(std::string_view call) const {
    std::size_t count = 0;
    for (const std::string& each : calls()) count += each.starts_with(call) ? 1 : 0;
    return count;
  }
  std::vector<Request> requests() const { return server_.requests(); }

  // What commits answer; set before the first.
  std::optional<wire::Comparison> comparison;

  // A draft that an earlier run left; `upload`: what that run called its files.
  void HoldDraft(const std::map<std::string, std::string>& files, std::string upload = "") {
    std::lock_guard lock(mutex_);
    draft_open_ = true;
    files_ = files;
    upload_ = std::move(upload);
  }
  // What the last draft was opened for.
  std::string upload() const {
    std::lock_guard lock(mutex_);
    return upload_;
  }
  // Publishes what the draft holds, as a commit does.
  void Publish() {
    std::lock_guard lock(mutex_);
    draft_open_ = false;
    published_ = files_;
  }
  std::map<std::string, std::string> published() const {
    std::lock_guard lock(mutex_);
    return published_;
  }

  static wire::PublishedProvider Published(const std::map<std::string, std::string>& files) {
    wire::PublishedProvider out{.address = "acme/demo",
                                .version = "1.2.0",
                                .source = "registry.example.com/acme/demo",
                                .protocols = {"6.0"},
                                .shasums_digest = {},
                                .key_fingerprint = "0123456789ABCDEF0123456789ABCDEF01234567",
                                .packages = {}};
    std::string sums;  // as a server makes them
    for (const auto& [name, content] : files) {
      sums += Digest::Of(content).hex() + "  " + name + "\n";
    }
    out.shasums_digest = Digest::Of(sums).ToString();
    for (const auto& [name, content] : files) {
      if (name.ends_with("SHA256SUMS")) out.shasums_digest = Digest::Of(content).ToString();
      if (!name.ends_with(".zip")) continue;
      std::string platform = name.substr(name.find("1.2.0_") + 6);
      platform.resize(platform.size() - 4);
      Digest digest = Digest::Of(content);
      out.packages.push_back(
          {platform, name, digest.ToString(), content.size(), {"zh:" + digest.hex(), "h1:x="}});
    }
    return out;
  }

 private:
  static constexpr std::string_view kRelease = "/api/v1/providers/acme/demo/1.2.0";
  static constexpr std::string_view kRead = "/v1/providers/acme/demo/1.2.0";
  static constexpr std::string_view kDraft = "/drafts/d1/";

  static Answer Json(unsigned status, std::string body) {
    return Answer::Json(status, std::move(body));
  }
  static Answer NotFound() { return Json(404, PlainErrors("there is no such thing")); }

  Answer Respond(const Request& request) {
    if (intervene_) {
      if (std::optional<Answer> answer = intervene_(request)) return *std::move(answer);
    }
    std::lock_guard lock(mutex_);
    std::string_view target = request.target;
    if (target.starts_with(kRead)) return Read(target.substr(kRead.size()));
    if (!target.starts_with(kRelease)) return NotFound();
    target.remove_prefix(kRelease.size());
    if (target == "/drafts") return Drafts(request);
    if (!draft_open_) return NotFound();
    if (target == "/drafts/d1") {
      if (request.method == "DELETE") draft_open_ = false;
      return request.method == "DELETE" ? Answer{204, {}, "", {}}
                                        : Json(200, wire::Encode(Draft(true)));
    }
    if (!target.starts_with(kDraft)) return NotFound();
    return InDraft(request, target.substr(kDraft.size()));
  }

  Answer Read(std::string_view rest) const {
    if (published_.empty()) return NotFound();
    wire::PublishedProvider all = Published(published_);
    if (rest.empty()) return Json(200, wire::Encode(Details(all)));
    for (const wire::PublishedPackage& package : all.packages) {
      std::size_t cut = package.platform.find('_');
      if (rest !=
          "/download/" + package.platform.substr(0, cut) + "/" + package.platform.substr(cut + 1)) {
        continue;
      }
      return Json(200, EncodeProviderDownload(Download(all, package)));
    }
    return NotFound();
  }

  static wire::ProviderDetails Details(const wire::PublishedProvider& all) {
    wire::ProviderDetails details{.ns = "acme",
                                  .type = "demo",
                                  .version = "1.2.0",
                                  .owner = "ci",
                                  .source = all.source,
                                  .published_at = "2026-11-21T16:41:10Z",
                                  .deprecation = "",
                                  .protocols = all.protocols,
                                  .platforms = {},
                                  .shasums_digest = all.shasums_digest,
                                  .key_fingerprint = all.key_fingerprint,
                                  .versions = {}};
    for (const wire::PublishedPackage& package : all.packages) {
      std::size_t cut = package.platform.find('_');
      details.platforms.push_back(
          {package.platform.substr(0, cut), package.platform.substr(cut + 1)});
    }
    return details;
  }

  static wire::ProviderDownload Download(const wire::PublishedProvider& all,
                                         const wire::PublishedPackage& package) {
    wire::ProviderDownload document{.protocols = all.protocols,
                                    .os = "x",
                                    .arch = "y",
                                    .filename = package.filename,
                                    .download_url = "https://h/p.zip",
                                    .shasums_url = "https://h/s",
                                    .shasums_signature_url = "https://h/s.sig",
                                    .shasum = package.digest.substr(7),
                                    .keys = {},
                                    .packages = {}};
    for (const wire::PublishedPackage& each : all.packages) {
      document.packages[each.platform] = {each.hashes, each.size};
    }
    return document;
  }

  wire::Draft Draft(bool with_files) const {
    wire::Draft draft{.id = "d1",
                      .address = "acme/demo",
                      .version = "1.2.0",
                      .created = "2026-11-21T16:41:10Z",
                      .expires = "2026-11-22T16:41:10Z",
                      .upload = upload_,
                      .files = {}};
    for (const auto& [name, content] : files_) {
      if (with_files) {
        draft.files.push_back({name, Digest::Of(content).ToString(), content.size(), {}});
      }
    }
    return draft;
  }

  Answer Drafts(const Request& request) {
    if (request.method == "GET") {
      std::vector<wire::Draft> drafts;
      if (draft_open_) drafts.push_back(Draft(false));
      return Json(200, wire::Encode(wire::DraftList{drafts}));
    }
    draft_open_ = true;
    files_.clear();
    upload_ = wire::Decode<wire::DraftRequest>(request.body).value().upload;
    return Json(201, wire::Encode(Draft(true)));
  }

  Answer InDraft(const Request& request, std::string_view what) {
    constexpr std::string_view kFiles = "files/";
    if (what.starts_with(kFiles)) {
      std::string name(what.substr(kFiles.size()));
      files_[name] = request.body;
      return Json(200, wire::Encode<wire::DraftFile>(
                           {name, Digest::Of(request.body).ToString(), request.body.size(), {}}));
    }
    if (what == "check") {
      wire::PublishedProvider would = Published(files_);
      would.dry_run = true;
      would.comparison = comparison;
      return Json(200, wire::Encode(would));
    }
    if (what != "commit") return NotFound();
    draft_open_ = false;
    published_ = files_;
    wire::PublishedProvider all = Published(published_);
    all.comparison = comparison;
    return Json(201, wire::Encode(all));
  }

  Intervene intervene_;
  mutable std::mutex mutex_;  // for what follows
  bool draft_open_ = false;
  std::map<std::string, std::string> files_;      // of the draft
  std::string upload_;                            // its name
  std::map<std::string, std::string> published_;  // empty: nothing is
  http::ScriptedServer server_;
};

}  // namespace koya::cli
