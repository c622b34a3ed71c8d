// For tests: another registry with one provider, acme/demo, its docs, and one module, acme/vpc/aws.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "archive/archive_builder_fake.h"
#include "domain/host_name.h"
#include "domain/platform.h"
#include "domain/version.h"
#include "signing/openpgp.h"
#include "signing/sha256sums.h"
#include "upstream/module_source.h"
#include "upstream/provider_source.h"

namespace koya::service {

// "" without one. Reads only, since several threads ask a registry at once.
inline std::string TextOf(const std::map<std::string, std::string>& texts, const std::string& key) {
  const auto found = texts.find(key);
  return found == texts.end() ? std::string() : found->second;
}

// Its releases are signed; it can be made to fail.
class FakeUpstream final : public upstream::ProviderSource {
 public:
  static constexpr UnixSeconds kNow = 1'795'279'270;

  std::string Zip(const std::string& version, const Platform& platform) {
    return koya::Zip({{.name = "terraform-provider-demo_v" + version,
                       .content = platform.ToString() + salt + std::string(5000, 'x')}});
  }

  Result<upstream::FetchedVersions> Versions(const HostName&, const ProviderAddress&,
                                             const upstream::Validators& held,
                                             const upstream::Deadline&) override {
    ++asked_versions;
    if (before_versions) before_versions();
    if (failure) return std::unexpected(*failure);
    upstream::FetchedVersions fetched{.validators = {.etag = "\"v\"", .last_modified = ""}};
    if (held.etag == "\"v\"" && unchanged) {
      fetched.unchanged = true;
      return fetched;
    }
    for (const std::string& version : versions) {
      fetched.document.versions.push_back(
          {version, {"5.0"}, {{"darwin", "arm64"}, {"linux", "amd64"}}, discovered[version]});
    }
    return fetched;
  }

  Result<upstream::FetchedDownload> Download(const HostName&, const ProviderAddress&,
                                             const Version& version, const Platform& platform,
                                             const upstream::Deadline&) override {
    ++asked_downloads;
    if (before_download) before_download();
    if (failure) return std::unexpected(*failure);
    std::vector<signing::SumsLine> lines;
    upstream::FetchedDownload download{
        .protocols = {"5.0"}, .os = platform.os(), .arch = platform.arch()};
    for (const char* each : {"darwin_arm64", "linux_amd64"}) {
      std::string name = fmt::format("terraform-provider-demo_{}_{}.zip", version.ToString(), each);
      Digest digest = Digest::Of(Zip(version.ToString(), *Platform::Parse(each)));
      if (each == platform.ToString()) {
        download.filename = name;
        download.shasum = digest.hex();
        if (!no_url)
          download.download_url = "https://archives.example/" + version.ToString() + "/" + each;
      }
      if (package_size > 0) {
        download.packages[each] = {{"zh:" + digest.hex()}, package_size};
        if (!h1.empty()) download.packages[each].hashes.push_back(h1);
      }
      lines.push_back({digest, std::move(name)});
    }
    if (!indexed_shasum.empty()) download.shasum = indexed_shasum;
    for (const auto& [name, text] : attachments) {
      download.attachments.push_back({name, "https://attachments.example/" + name, std::nullopt});
      if (states_digests) download.attachments.back().sha256 = Digest::Of(text);
    }
    if (mirrored) {
      download.from_mirror = true;
      download.hashes = {"zh:" + download.shasum};
      return download;
    }
    download.sums = signing::WriteSums(lines);
    download.signature = signing::SignDetached(download.sums, key_.secret, kNow).value();
    download.keys = {{.key_id = key_.public_key.key_id, .ascii_armor = key_.public_key.armor}};
    return download;
  }

  Result<wire::ForeignDetails> Details(const HostName&, const ProviderAddress&,
                                       const Version& version, const upstream::Deadline&) override {
    ++asked_details;
    if (details_failure) return std::unexpected(*details_failure);
    return wire::ForeignDetails{TextOf(published, version.ToString()), details_source};
  }

  Status FetchAttachment(const upstream::ArchiveTransfer& transfer) {
    ++asked_attachments;
    if (attachment_failure) return std::unexpected(*attachment_failure);
    if (failure) return std::unexpected(*failure);
    const std::string& text = attachments.at(transfer.url.substr(transfer.url.rfind('/') + 1));
    if (text.size() > transfer.max_bytes) {
      return FailLimit(ErrorKind::kTooLarge, transfer.max_bytes_name, "it is too large");
    }
    return transfer.sink(std::as_bytes(std::span(text)));
  }

  Status FetchArchive(const upstream::ArchiveTransfer& transfer) override {
    if (transfer.url.starts_with("https://attachments.example/")) return FetchAttachment(transfer);
    ++asked_archives;
    if (archive_failure) return std::unexpected(*archive_failure);
    if (failure) return std::unexpected(*failure);
    std::string rest = transfer.url.substr(std::string("https://archives.example/").size());
    std::string version = rest.substr(0, rest.find('/'));
    std::string bytes = Zip(version, *Platform::Parse(rest.substr(rest.find('/') + 1)));
    if (spoil) bytes.back() ^= 1;
    most_bytes = transfer.max_bytes;
    if (before_archive) before_archive();
    if (bytes.size() > transfer.max_bytes) return Fail(ErrorKind::kTooLarge, "it is too large");
    RETURN_IF_ERROR(transfer.on_start(bytes.size()));
    for (std::size_t at = 0; at < bytes.size(); at += 100) {
      auto piece = std::as_bytes(std::span(bytes)).subspan(at);
      RETURN_IF_ERROR(transfer.sink(piece.first(std::min<std::size_t>(100, piece.size()))));
      if (at == 0 && hold) hold();
      if (fail_now) return Fail(ErrorKind::kUpstreamTimeout, "it was too slow");
      if (at == 0 && until_stopped) return WaitForStop(transfer.patience.stop);
    }
    return {};
  }

  std::vector<std::string> versions{"1.0.0", "1.1.0"};
  std::map<std::string, std::string> discovered;  // by version, in lists
  std::map<std::string, std::string> published;   // likewise, in details
  std::string details_source;                     // in details
  // Texts of every package, by name.
  std::map<std::string, std::string> attachments;
  bool states_digests = false;  // of attachments
  std::optional<Error> attachment_failure;
  std::atomic<int> asked_attachments = 0;
  void Attach(std::string name, std::string text) {
    attachments[std::move(name)] = std::move(text);
  }
  std::optional<Error> details_failure;  // of details only
  std::optional<Error> failure;
  bool no_url = false;                   // as of a network mirror that lacks just this platform
  bool mirrored = false;                 // it is a network mirror, which has no documents
  std::optional<Error> archive_failure;  // of archives only
  bool unchanged = true;
  bool spoil = false;                  // the archive's last byte
  std::string salt;                    // another one makes other bytes: a re-release
  std::string indexed_shasum;          // what the document says, whatever SHA256SUMS says
  std::function<void()> hold;          // called after the first piece of an archive
  std::atomic<bool> fail_now = false;  // archives that are under way
  std::function<void()> before_versions;
  std::function<void()> before_download;
  std::function<void()> before_archive;
  bool until_stopped = false;  // archives end after their first piece, with the caller's patience
  std::promise<void> archive_began;           // then
  std::uint64_t package_size = 0;             // that it reports of each platform; 0: none
  std::string h1;                             // that it reports with that
  std::atomic<std::uint64_t> most_bytes = 0;  // that the caller of an archive would take
  std::atomic<int> asked_versions = 0;
  std::atomic<int> asked_downloads = 0;
  std::atomic<int> asked_details = 0;
  std::atomic<int> asked_archives = 0;

 private:
  Status WaitForStop(const std::stop_token& stop) {
    std::promise<void> stopped;
    std::stop_callback on_stop(stop, [&stopped] { stopped.set_value(); });
    archive_began.set_value();
    stopped.get_future().wait();
    return upstream::GivenUp();
  }

  signing::GeneratedKey key_ = signing::GenerateKey("Upstream", kNow).value();
};

// registry.example.org is asked at docs.example.org; no other registry has docs. It can be made to
// fail.
class FakeDocs final : public upstream::DocsSource {
 public:
  static wire::ForeignDoc Doc(std::string kind, std::string name, std::string language = "") {
    std::string place = language + "/" + kind + "/" + name;
    return {.kind = std::move(kind),
            .name = std::move(name),
            .language = std::move(language),
            .title = "a title",
            .subcategory = "Things",
            .description = "a description",
            .place = std::move(place)};
  }

  std::optional<HostName> HostOf(const HostName& registry) const override {
    if (registry.ascii() != "registry.example.org") return std::nullopt;
    return *HostName::Parse("docs.example.org");
  }

  Result<upstream::FetchedDocs> List(const HostName&, const ProviderAddress&, const Version&,
                                     const upstream::Validators& held,
                                     const upstream::Deadline&) override {
    ++asked_lists;
    if (failure) return std::unexpected(*failure);
    upstream::FetchedDocs fetched{.list = {}, .validators = {.etag = "\"d\"", .last_modified = ""}};
    if (held.etag == "\"d\"" && unchanged) {
      fetched.unchanged = true;
      return fetched;
    }
    fetched.list.docs = docs;
    return fetched;
  }

  Result<std::string> Page(const HostName&, const ProviderAddress&, const Version&,
                           const wire::ForeignDoc& page, const upstream::Deadline&) override {
    ++asked_pages;
    if (before_page) before_page();
    if (failure) return std::unexpected(*failure);
    const auto text = texts.find(page.place);
    if (text == texts.end()) return FailNotFound("the page is not there any more");
    return text->second;
  }

  // By language, kind and name, as sources give them.
  std::vector<wire::ForeignDoc> docs = {Doc("overview", "index"), Doc("resources", "gone"),
                                        Doc("resources", "thing"),
                                        Doc("resources", "thing", "python")};
  std::map<std::string, std::string> texts = {
      {"/overview/index", "# Demo\n[thing](resources/thing.md) [gone](resources/other.md)\n"},
      {"/resources/thing", "---\nsubcategory: Clouds\n---\n# demo_thing\n<script>x</script>\n"},
      {"python/resources/thing", "# In Python\n"}};
  std::optional<Error> failure;
  bool unchanged = false;
  std::function<void()> before_page;
  std::atomic<int> asked_lists = 0;
  std::atomic<int> asked_pages = 0;
};

// Its packages are tars with a top folder; it can be made to fail, and to take its time.
class FakeModules final : public upstream::ModuleSource {
 public:
  Result<upstream::FetchedModuleVersions> Versions(const HostName&, const ModuleAddress&,
                                                   const upstream::Validators& held,
                                                   const upstream::Deadline&) override {
    ++asked_versions;
    if (failure) return std::unexpected(*failure);
    upstream::FetchedModuleVersions fetched{.validators = {.etag = "\"v\"", .last_modified = ""}};
    if (held.etag == "\"v\"" && unchanged) {
      fetched.unchanged = true;
      return fetched;
    }
    for (const std::string& version : versions) {
      fetched.versions.push_back(*Version::Parse(version));
    }
    fetched.discovered = discovered;
    return fetched;
  }

  Result<wire::ForeignDetails> Details(const HostName&, const ModuleAddress&,
                                       const Version& version, const upstream::Deadline&) override {
    ++asked_details;
    return wire::ForeignDetails{TextOf(published, version.ToString()), details_source};
  }

  Result<upstream::LocatedModule> Locate(const HostName&, const ModuleAddress&,
                                         const Version& version,
                                         const upstream::Deadline&) override {
    http::Url url = *http::ParseUrl("https://" + archive_host + "/" + version.ToString());
    upstream::LocatedModule located{archive_host, upstream::PackedLocation{.url = std::move(url)}};
    ++asked_locations;
    return located;
  }

  Result<upstream::FetchedModule> Fetch(const upstream::LocatedModule& located,
                                        const upstream::ModuleDelivery& delivery) override {
    ++asked_packages;
    if (before_bytes) before_bytes(located.authority);
    std::string version = std::get<upstream::PackedLocation>(located.location).url.path.substr(1);
    if (before_fetch) before_fetch();
    if (failure) return std::unexpected(*failure);
    std::string bytes = package ? *package : Package(version);
    if (delivery.on_start) RETURN_IF_ERROR(delivery.on_start(bytes.size()));
    if (delivery.on_bytes) RETURN_IF_ERROR(delivery.on_bytes(bytes.size()));
    EXPECT_EQ(::pwrite(delivery.file, bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
    return upstream::FetchedModule{
        .size = bytes.size(),
        .folder = folder,
        .source = fmt::format("https://git.example/vpc?ref=v{}", version),
        .warnings = {}};
  }

  std::string Package(const std::string& version) const {
    return TarGz({{.name = "vpc/main.tf", .content = "# " + version + salt},
                  {.name = "vpc/modules/subnet/main.tf", .content = "# subnet"},
                  {.name = "vpc/LINK", .type = '2', .link = "main.tf"}});
  }

  std::vector<std::string> versions = {"1.1.0", "1.0.0"};
  std::map<std::string, std::string> discovered;  // by version, in the list
  std::map<std::string, std::string> published;   // likewise, in details
  std::string details_source;                     // in details
  std::string folder = "*";
  std::optional<std::string> package;
  std::optional<Error> failure;
  std::function<void()> before_fetch;
  std::function<void(std::string_view authority)> before_bytes;
  std::string archive_host = "archives.example";
  bool unchanged = false;
  std::string salt;  // another one makes other bytes of every version
  std::atomic<int> asked_versions = 0;
  std::atomic<int> asked_locations = 0;
  std::atomic<int> asked_details = 0;
  std::atomic<int> asked_packages = 0;
};

}  // namespace koya::service
