// BoringFolder is a copy of the bucket of a boring-registry:
// modules/NS/NAME/SYSTEM/NS-NAME-SYSTEM-VERSION.tar.gz, providers/NS/TYPE/terraform-provider-…, and
// providers/NS/signing-keys.json.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/import/source.h"

namespace koya::cli {

class BoringFolder final : public ImportSource {
 public:
  // Fails: kInvalid: neither modules/ nor providers/ is in `folder`.
  static Result<std::unique_ptr<ImportSource>> Open(const std::filesystem::path& folder);

  const std::string& name() const override { return name_; }
  // Modules have the digests of their archives, which are read for that.
  Result<std::vector<wire::ListedPackage>> ListPackages() override;
  Result<std::vector<wire::ListedVersion>> ListVersions(
      const wire::ListedPackage& package) override;
  std::optional<UnixSeconds> FindReleaseTime(const wire::ListedPackage& package,
                                             const Version& version) override;
  Result<FetchedArchive> FetchModule(const ModuleAddress& address, const Version& version, int file,
                                     const std::filesystem::path& scratch) override;
  Result<SourceRelease> FetchRelease(const ProviderAddress& address,
                                     const Version& version) override;
  Status FetchPackage(const ProviderAddress& address, const Version& version,
                      const SourcePackage& package, ByteSink sink) override;

 private:
  explicit BoringFolder(std::filesystem::path folder)
      : folder_(std::move(folder)), name_("boring-registry") {}
  std::filesystem::path ArchiveOf(const ModuleAddress& address, const std::string& version) const;
  std::filesystem::path FolderOf(const ProviderAddress& address) const;

  const std::filesystem::path folder_;
  const std::string name_;
};

}  // namespace koya::cli
