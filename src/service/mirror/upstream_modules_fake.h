// For tests: another registry with one module, acme/vpc/aws.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "archive/archive_builder_fake.h"
#include "upstream/module_source.h"

namespace koya::service {

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
    return fetched;
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
  std::atomic<int> asked_packages = 0;
};

}  // namespace koya::service
