// Wraps upstream sources and records how registries answer (upstream_states.h). All requests to
// other registries go through them. Archives come from other hosts than their registries, and are
// not recorded.
#pragma once

#include "upstream/module_source.h"
#include "upstream/provider_source.h"

namespace koya {
class HostName;
class ModuleAddress;
class Platform;
class ProviderAddress;
}  // namespace koya

namespace koya::service {

class UpstreamStates;

class WatchedProviderSource final : public upstream::ProviderSource {
 public:
  // Both must outlive this.
  WatchedProviderSource(upstream::ProviderSource& source, UpstreamStates& states)
      : source_(source), states_(states) {}

  Result<upstream::FetchedVersions> Versions(const HostName& host, const ProviderAddress& address,
                                             const upstream::Validators& held,
                                             const upstream::Deadline& patience) override;
  Result<upstream::FetchedDownload> Download(const HostName& host, const ProviderAddress& address,
                                             const Version& version, const Platform& platform,
                                             const upstream::Deadline& patience) override;
  Status FetchArchive(const upstream::ArchiveTransfer& transfer) override {
    return source_.FetchArchive(transfer);
  }

 private:
  upstream::ProviderSource& source_;
  UpstreamStates& states_;
};

class WatchedModuleSource final : public upstream::ModuleSource {
 public:
  WatchedModuleSource(upstream::ModuleSource& source, UpstreamStates& states)
      : source_(source), states_(states) {}

  Result<upstream::FetchedModuleVersions> Versions(const HostName& host,
                                                   const ModuleAddress& address,
                                                   const upstream::Validators& held,
                                                   const upstream::Deadline& patience) override;
  Result<upstream::LocatedModule> Locate(const HostName& host, const ModuleAddress& address,
                                         const Version& version,
                                         const upstream::Deadline& patience) override;
  Result<upstream::FetchedModule> Fetch(const upstream::LocatedModule& located,
                                        const upstream::ModuleDelivery& delivery) override {
    return source_.Fetch(located, delivery);
  }

 private:
  upstream::ModuleSource& source_;
  UpstreamStates& states_;
};

}  // namespace koya::service
