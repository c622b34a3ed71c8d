// What the suites about releases and archives of other registries share. See catalog_suite_base.h.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catalog/upstream_catalog.h"
#include "catalog/upstream_samples_fake.h"
#include "domain/use.h"

namespace koya {

class UpstreamSuiteBase : public CatalogSuiteBase {
 protected:
  // The stored release after the pin.
  UpstreamRelease Pin(const UpstreamRelease& release, bool add_platforms = false) {
    Result<UpstreamRelease> kept = RunTask(upstream_releases().PinRelease(release, add_platforms));
    EXPECT_TRUE(kept) << kept.error().message << kept.error().detail;
    return kept ? *kept : SampleUpstreamRelease("failed.example/a/b", "9.9.9");
  }
  Result<UpstreamRelease> Find(std::string_view key, std::string_view version) {
    return RunTask(upstream_releases().FindUpstreamRelease(Remote(key), V(version)));
  }
  Status Hold(std::string_view key, std::string_view version, const UpstreamPackage& package) {
    return RunTask(upstream_releases().HoldPackage(Remote(key), V(version), package));
  }
  // Pins a release with one package, which is held.
  void PinHeld(std::string_view key, std::string_view version, const UpstreamPackage& package) {
    UpstreamRelease release = SampleUpstreamRelease(key, version);
    release.packages = {package};
    EXPECT_EQ(Pin(release).packages, std::vector{package});
  }
  UpstreamModuleVersion PinModule(const UpstreamModuleVersion& version) {
    Result<UpstreamModuleVersion> kept = RunTask(upstream_modules().PinModule(version));
    EXPECT_TRUE(kept) << kept.error().message << kept.error().detail;
    return kept ? *kept : SampleUpstreamModule("failed.example/a/b/c", "9.9.9");
  }
  Result<UpstreamModuleVersion> FindModule(std::string_view key, std::string_view version) {
    return RunTask(upstream_modules().FindUpstreamModule(RemoteModule(key), V(version)));
  }
  static Texts Spelled(const Result<std::vector<Version>>& versions) {
    Texts texts;
    EXPECT_TRUE(versions) << versions.error().message << versions.error().detail;
    for (const Version& version : *versions) texts.push_back(version.ToString());
    return texts;
  }
  // "registry.example.com/acme/demo 1.0.0" for each release of a page.
  Texts List(std::optional<std::pair<UpstreamProvider, Version>> after, std::uint64_t limit) {
    Texts texts;
    auto releases = RunTask(upstream_releases().ListUpstreamReleases(std::move(after), limit));
    EXPECT_TRUE(releases) << releases.error().message << releases.error().detail;
    if (!releases) return texts;
    for (const UpstreamRelease& release : *releases) {
      texts.push_back(release.provider.Key() + " " + release.version.ToString());
      EXPECT_EQ(Find(release.provider.Key(), release.version.ToString()), release);
    }
    return texts;
  }
  Texts ListModules(std::optional<std::pair<UpstreamModule, Version>> after, std::uint64_t limit) {
    Texts texts;
    auto modules = RunTask(upstream_modules().ListUpstreamModuleArchives(std::move(after), limit));
    EXPECT_TRUE(modules) << modules.error().message << modules.error().detail;
    if (!modules) return texts;
    for (const UpstreamModuleVersion& module : *modules) {
      texts.push_back(module.module.Key() + " " + module.version.ToString());
      EXPECT_EQ(FindModule(module.module.Key(), module.version.ToString()), module);
    }
    return texts;
  }
  // What goes so that at most `max_bytes` stay, when everything can come back from `hosts`.
  std::vector<Digest> Evict(std::uint64_t max_bytes, std::vector<std::string_view> hosts,
                            EvictionRule rule = {}) {
    rule.max_bytes = max_bytes;
    for (std::string_view host : hosts) rule.hosts.push_back(Host(host));
    std::vector<Digest> digests;
    auto evicted = RunTask(upstream_holdings().EvictHeld(std::move(rule)));
    EXPECT_TRUE(evicted) << evicted.error().message << evicted.error().detail;
    if (!evicted) return digests;
    for (const EvictedBlob& blob : *evicted) digests.push_back(blob.digest);
    return digests;
  }
  static constexpr std::string_view kHost = "registry.example.com";
  // How many seconds after kSuiteNow the held package of a release was used last.
  UnixSeconds UsedAt(std::string_view key, std::string_view version) {
    return Find(key, version)->packages[0].used_at - kSuiteNow;
  }
  std::uint64_t HeldBytes() { return RunTask(upstream_holdings().HeldBytes()).value(); }
  std::uint64_t Release(const Digest& digest) {
    return RunTask(upstream_holdings().ReleaseHeld(Tester(), digest, "damaged")).value();
  }
  Status Touch(const Digest& digest, UnixSeconds at) {
    return RunTask(upstream_holdings().TouchHeld({{digest, at}}));
  }
  Texts Topics() { return this->TopicsSince({}); }
};

}  // namespace koya
