// For tests: the mirror of providers over a real catalog, with an upstream that does what the test
// says.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/manual_clock_fake.h"
#include "base/run_task.h"
#include "base/temp_folder_fake.h"
#include "blobs/blob_texts_fake.h"
#include "blobs/fs/open_files.h"
#include "blobs/memory/memory_blob_store.h"
#include "catalog/catalog_parts_fake.h"
#include "obs/log.h"
#include "obs/log_capture_fake.h"
#include "service/common/change_feed.h"
#include "service/common/last_used_tracker.h"
#include "service/mirror/mirror.h"
#include "service/mirror/mirror_setup.h"
#include "service/mirror/provider_mirror.h"
#include "service/mirror/upstream_fake.h"
#include "service/search/index_queue.h"

namespace koya::service {

class ProviderMirrorFixture : public ::testing::Test {
 protected:
  ProviderMirrorFixture() {
    changes_ = std::make_unique<ChangeFeed>(catalog_);
    uses_ = std::make_unique<LastUsedTracker>(catalog_, log_);
    Settle();
  }

  static UpstreamProvider Demo(std::string_view host = "registry.example.org") {
    return {*HostName::Parse(host), *ProviderAddress::Parse("acme/demo")};
  }
  static std::string File(std::string_view platform = "linux_amd64") {
    return fmt::format("terraform-provider-demo_1.0.0_{}.zip", platform);
  }
  Result<MirroredVersions> List() { return RunTask(mirror_->providers.ListVersions(Demo())); }
  Result<UpstreamRelease> Find(const std::string& version = "1.0.0") {
    return RunTask(mirror_->providers.FindRelease(Demo(), *Version::Parse(version), std::nullopt));
  }
  Result<MirroredFile> Open(const std::string& file = File()) {
    return RunTask(mirror_->providers.OpenFile(Demo(), *Version::Parse("1.0.0"), file));
  }
  // Everything of a file, as a client would see it; "" when it was cut off.
  static std::string Read(const MirroredFile& file) {
    return RunTask(ReadAll(file.blob)).value_or("");
  }
  std::string Expected(std::string_view platform = "linux_amd64") {
    return upstream_.Zip("1.0.0", *Platform::Parse(platform));
  }
  PullPolicy Policy(const std::vector<std::string>& deny = {}) {
    return PullPolicy::Make({}, deny, {*HostName::Parse("registry.example.org")}).value();
  }
  // A new mirror without state in memory, after running fetches have been stored.
  void Settle(MirrorSetup setup = {}) {
    setup.policy = Policy();
    mirror_.reset();
    mirror_ = std::make_unique<Mirror>(MirrorDependencies{catalog_,
                                                          *blobs_,
                                                          *changes_,
                                                          clock_,
                                                          *uses_,
                                                          log_,
                                                          upstream_,
                                                          modules_,
                                                          {},
                                                          nullptr,
                                                          &index_},
                                       std::move(setup));
  }

  TempFolder folder_;
  ManualClock clock_;
  LogCapture captured_;
  Logger log_{captured_.writer(), LogLevel::kInfo};
  WorkerPool blob_workers_{2};
  OpenFiles open_files_{16};
  std::unique_ptr<BlobStore> blobs_ = std::make_unique<MemoryBlobStore>();
  FakeUpstream upstream_;
  FakeModules modules_;
  TestCatalog catalog_;
  std::unique_ptr<ChangeFeed> changes_;
  std::unique_ptr<LastUsedTracker> uses_;
  IndexQueue index_;
  std::unique_ptr<Mirror> mirror_;
};

inline const Error kRegistryDown{ErrorKind::kBadUpstream, "registry.example.org answered 503", {}};

}  // namespace koya::service
