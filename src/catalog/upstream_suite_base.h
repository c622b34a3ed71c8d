// What the suites about releases and archives of other registries share. See catalog_suite_base.h.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catalog/upstream_samples_fake.h"

namespace koya {

template <class Backend>
class UpstreamSuiteBase : public CatalogSuiteBase<Backend> {
 protected:
  using CatalogSuiteBase<Backend>::catalog;

  // What is kept after the pin.
  UpstreamRelease Pin(const UpstreamRelease& release, bool add_platforms = false) {
    Result<UpstreamRelease> kept = RunTask(catalog().PinRelease(release, add_platforms));
    EXPECT_TRUE(kept) << kept.error().message << kept.error().detail;
    return kept ? *kept : SampleUpstreamRelease("failed.example/a/b", "9.9.9");
  }
  Result<UpstreamRelease> Find(std::string_view key, std::string_view version) {
    return RunTask(catalog().FindUpstreamRelease(Remote(key), V(version)));
  }
  Status Hold(std::string_view key, std::string_view version, const UpstreamPackage& package) {
    return RunTask(catalog().HoldPackage(Remote(key), V(version), package));
  }
  // Pins a release with one package, which is held.
  void PinHeld(std::string_view key, std::string_view version, const UpstreamPackage& package) {
    UpstreamRelease release = SampleUpstreamRelease(key, version);
    release.packages = {package};
    EXPECT_EQ(Pin(release).packages, std::vector{package});
  }
  UpstreamModuleVersion PinModule(const UpstreamModuleVersion& version) {
    Result<UpstreamModuleVersion> kept = RunTask(catalog().PinModule(version));
    EXPECT_TRUE(kept) << kept.error().message << kept.error().detail;
    return kept ? *kept : SampleUpstreamModule("failed.example/a/b/c", "9.9.9");
  }
  Result<UpstreamModuleVersion> FindModule(std::string_view key, std::string_view version) {
    return RunTask(catalog().FindUpstreamModule(RemoteModule(key), V(version)));
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
    auto releases = RunTask(catalog().ListUpstreamReleases(std::move(after), limit));
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
    auto modules = RunTask(catalog().ListUpstreamModuleArchives(std::move(after), limit));
    EXPECT_TRUE(modules) << modules.error().message << modules.error().detail;
    if (!modules) return texts;
    for (const UpstreamModuleVersion& module : *modules) {
      texts.push_back(module.module.Key() + " " + module.version.ToString());
      EXPECT_EQ(FindModule(module.module.Key(), module.version.ToString()), module);
    }
    return texts;
  }
  // "… linux_amd64 @USED" for each archive, the used time counted from kSuiteNow.
  Texts LeastUsed(std::uint64_t limit = 100) {
    Texts texts;
    auto archives = RunTask(catalog().LeastUsed(std::nullopt, limit));
    EXPECT_TRUE(archives) << archives.error().message << archives.error().detail;
    if (!archives) return texts;
    for (const HeldArchive& archive : *archives) {
      EXPECT_NE(archive.provider.has_value(), archive.module.has_value());
      EXPECT_EQ(archive.provider.has_value(), archive.platform.has_value());
      std::string text = archive.provider ? archive.provider->Key() : archive.module->Key();
      text += " " + archive.version.ToString();
      if (archive.platform) text += " " + archive.platform->ToString();
      texts.push_back(text + " @" + std::to_string(archive.used_at - kSuiteNow));
    }
    return texts;
  }
  std::uint64_t HeldBytes() { return RunTask(catalog().HeldBytes()).value(); }
  std::uint64_t Release(const Digest& digest) {
    return RunTask(catalog().ReleaseHeld(digest)).value();
  }
  Status Touch(const Digest& digest, UnixSeconds at) {
    return RunTask(catalog().TouchHeld(digest, at));
  }
  bool IsReferenced(const Digest& digest) {
    return RunTask(catalog().IsBlobReferenced(digest)).value();
  }
  Texts Topics() { return this->TopicsSince(0); }
};

}  // namespace koya
