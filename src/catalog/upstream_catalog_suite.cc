// What every catalog must do: releases and modules of other registries, pinned when they were
// first seen. See catalog_suite_base.h.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "catalog/audit_catalog.h"
#include "catalog/storage_catalog.h"
#include "catalog/upstream_catalog.h"
#include "catalog/upstream_suite_base.h"
#include "domain/archive_kind.h"
#include "domain/audit_record.h"
#include "domain/storage_record.h"
#include "domain/upstream_record.h"

namespace koya {
namespace {

class UpstreamCatalogSuite : public UpstreamSuiteBase {};
INSTANTIATE_CATALOG_SUITE(UpstreamCatalogSuite);

TEST_P(UpstreamCatalogSuite, KeepsEveryFieldOfARelease) {
  UpstreamRelease release =
      SampleUpstreamRelease("xn--wgv71a.example:8443/größe/demo", "1.0.0-rc.1+b");
  release.protocols = {"5.0", "two\nlines 100%0A", "\xff"};
  release.sums->size = 5'000'000'000;
  release.keys = "{\"source\": \"J. Größe 豆腐 'x' :y\"}";
  release.packages[0].filename = "Ä 'name' %41.zip";
  release.packages[0].size = 5'000'000'000;
  release.packages[0].hashes = {"h1:a+/=", "h1:b", ""};
  release.attachments = {SampleUpstreamAttachment("a.cdx.json", "a", "darwin_arm64"),
                         SampleUpstreamAttachment("b.spdx.json", "b")};
  release.attachments[0].file.size = 5'000'000'000;
  release.packages[1] = SampleHeldPackage("linux_amd64", "content", kSuiteNow + 7);
  EXPECT_EQ(this->Pin(release), release);
  auto found = this->Find("xn--wgv71a.example:8443/größe/demo", "1.0.0-rc.1+b");
  ASSERT_TRUE(found) << found.error().message << found.error().detail;
  EXPECT_EQ(*found, release);
  EXPECT_EQ(found->provider.host.display(), Host("xn--wgv71a.example:8443").display());
  EXPECT_EQ(this->Topics(), Texts{"mirror:xn--wgv71a.example:8443/größe/demo"});
}

TEST_P(UpstreamCatalogSuite, AttachmentsThatWereSeenFirstStay) {
  using Attachments = std::vector<UpstreamAttachment>;
  const UpstreamAttachment a = SampleUpstreamAttachment("a.cdx.json", "a");
  const UpstreamAttachment b = SampleUpstreamAttachment("b.spdx.json", "b", "darwin_arm64");
  UpstreamRelease release = SampleUpstreamRelease(kRemote, "1.0.0");
  auto pin = [&](Attachments attachments) {
    release.attachments = std::move(attachments);
    auto kept = RunTask(upstream_releases().PinAttachments(release));
    EXPECT_TRUE(kept) << kept.error().message;
    EXPECT_EQ(kept->attachments, this->Find(kRemote, "1.0.0")->attachments);
    return kept->attachments;
  };
  this->ExpectFails(RunTask(upstream_releases().PinAttachments(release)), ErrorKind::kNotFound,
                    "not stored here");
  this->Pin(release);
  EXPECT_EQ(pin({b}), Attachments{b});
  EXPECT_EQ(pin({a}), (Attachments{a, b})) << "by name";
  EXPECT_TRUE(this->IsReferenced(a.file.digest));
  EXPECT_EQ(this->Topics().size(), 3u);
  EXPECT_EQ(RunTask(storage().SumStorage())->mirrored_attachments, (StoredSum{2, 154}));
  EXPECT_EQ(pin({a, b}), (Attachments{a, b}));
  const UpstreamAttachment other = SampleUpstreamAttachment("a.cdx.json", "other");
  EXPECT_EQ(pin({other}), (Attachments{a, b}));
  EXPECT_EQ(this->Pin(release).attachments, (Attachments{a, b}));
  EXPECT_FALSE(this->IsReferenced(other.file.digest));
  EXPECT_EQ(this->Topics().size(), 3u) << "no document shows another";
}

TEST_P(UpstreamCatalogSuite, AttachmentsOfOtherPackagesAreNotPinned) {
  const UpstreamRelease first = this->Pin(SampleUpstreamRelease(kRemote, "1.0.0", "first"));
  UpstreamRelease other = SampleUpstreamRelease(kRemote, "1.0.0", "other");
  other.attachments = {SampleUpstreamAttachment("a.cdx.json")};
  EXPECT_EQ(this->Pin(other), first);
  EXPECT_EQ(RunTask(upstream_releases().PinAttachments(other)).value(), first);
  EXPECT_FALSE(this->IsReferenced(other.attachments[0].file.digest));
}

TEST_P(UpstreamCatalogSuite, AChangedAttachmentIsRecordedOnce) {
  UpstreamRelease release = SampleUpstreamRelease(kRemote, "1.0.0");
  release.attachments = {SampleUpstreamAttachment("a.cdx.json", "a")};
  this->Pin(release);
  auto entries = [this] {
    return RunTask(this->catalog().audit().ListAudit({.action = "policy.changed"}, 10)).value();
  };
  release.attachments = {SampleUpstreamAttachment("a.cdx.json", "b", "darwin_arm64")};
  EXPECT_TRUE(RunTask(upstream_releases().PinAttachments(release)));
  EXPECT_TRUE(entries().empty()) << "another platform may always have had another one";
  release.attachments = {SampleUpstreamAttachment("a.cdx.json", "b")};
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(RunTask(upstream_releases().PinAttachments(release)));
  }
  ASSERT_EQ(entries().size(), 1u);
  EXPECT_EQ(entries()[0].entry.target, "provider:registry.example.com/acme/demo@1.0.0");
  EXPECT_TRUE(entries()[0].entry.after.contains(Digest::Of("attachment of b").ToString()));
}

TEST_P(UpstreamCatalogSuite, SignersThatAreNotKnownAreRecordedOnce) {
  auto unknown = [this](std::optional<std::pair<UpstreamProvider, Version>> after = {}) {
    return RunTask(upstream_releases().ListUnknownSigners(std::move(after), 10)).value();
  };
  const UpstreamRelease first = this->Pin(SampleUpstreamRelease(kRemote, "1.0.0"));
  const UpstreamRelease second = this->Pin(SampleUpstreamRelease(kRemote, "1.1.0"));
  UpstreamRelease known = SampleUpstreamRelease(kRemote, "1.2.0");
  known.signer = "AB";
  this->Pin(known);
  UpstreamRelease no_signature = SampleUpstreamRelease(kRemote, "1.3.0");
  no_signature.signature.reset();
  this->Pin(no_signature);
  UpstreamRelease empty_signature = SampleUpstreamRelease(kRemote, "1.4.0");
  empty_signature.signature->size = 0;
  this->Pin(empty_signature);
  UpstreamRelease no_keys = SampleUpstreamRelease(kRemote, "1.5.0");
  no_keys.keys = R"({"gpg_public_keys":[]})";
  this->Pin(no_keys);
  EXPECT_EQ(unknown(), (std::vector{first, second}));
  EXPECT_EQ(unknown({{first.provider, first.version}}), std::vector{second});

  const std::size_t changes = this->Topics().size();
  for (const char* signer : {"CD", "EF"}) {
    EXPECT_TRUE(RunTask(upstream_releases().RecordSigner(first.provider, first.version, signer)));
  }
  EXPECT_EQ(this->Find(kRemote, "1.0.0")->signer, "CD");
  EXPECT_EQ(this->Topics().size(), changes + 1);
  EXPECT_EQ(unknown(), std::vector{second});
}

TEST_P(UpstreamCatalogSuite, AReleaseMayHaveNothingButPackages) {
  UpstreamRelease release = SampleUpstreamRelease(kRemote, "1.0.0");
  release.protocols = {};
  release.sums.reset();
  release.signature.reset();
  release.keys = "";
  release.fit_for_origin = false;
  std::ranges::reverse(release.packages);
  UpstreamRelease kept = this->Pin(release);
  EXPECT_EQ(kept.packages[0].platform, On("darwin_arm64")) << "by platform";
  std::ranges::reverse(kept.packages);
  EXPECT_EQ(kept, release);
  UpstreamRelease unsigned_release = SampleUpstreamRelease(kRemote, "1.0.1");
  unsigned_release.signature.reset();
  EXPECT_EQ(this->Pin(unsigned_release), unsigned_release);
}

TEST_P(UpstreamCatalogSuite, WhatWasSeenFirstStays) {
  const UpstreamRelease first = SampleUpstreamRelease(kRemote, "1.0.0", "first");
  EXPECT_EQ(this->Pin(first), first);
  UpstreamRelease other = SampleUpstreamRelease(kRemote, "1.0.0", "other");
  other.protocols = {"4.0"};
  other.fit_for_origin = false;
  other.seen_at = kSuiteNow - 5;
  other.packages.push_back(SampleUpstreamPackage("windows_amd64", "other"));
  other.packages[0] = SampleHeldPackage("darwin_arm64", "other");
  EXPECT_EQ(this->Pin(other), first);
  EXPECT_EQ(this->Pin(first), first);
  EXPECT_EQ(*this->Find(kRemote, "1.0.0"), first);
  EXPECT_EQ(this->HeldBytes(), 0u);
  EXPECT_FALSE(this->IsReferenced(other.sums->digest));
  EXPECT_EQ(this->Topics().size(), 1u);
}

TEST_P(UpstreamCatalogSuite, AnImportAddsThePlatformsThatAreLacking) {
  UpstreamRelease kept = this->Pin(SampleUpstreamRelease(kRemote, "1.0.0", "first"));
  UpstreamRelease other = SampleUpstreamRelease(kRemote, "1.0.0", "other");
  other.packages = {SampleHeldPackage("windows_amd64", "other"),
                    SampleHeldPackage("linux_amd64", "other"),
                    SampleUpstreamPackage("aix_ppc64", "other")};
  kept.packages.push_back(other.packages[0]);
  kept.packages.insert(kept.packages.begin(), other.packages[2]);
  EXPECT_EQ(this->Pin(other, true), kept);
  EXPECT_EQ(*this->Find(kRemote, "1.0.0"), kept) << "keys and sums stay too";
  EXPECT_EQ(this->HeldBytes(), 1234u) << "of what was added only";
  EXPECT_FALSE(this->IsReferenced(other.packages[1].digest));
  EXPECT_EQ(this->Topics().size(), 2u);
  EXPECT_EQ(this->Pin(other, true), kept);
  EXPECT_EQ(this->Topics().size(), 2u) << "nothing was lacking any more";
}

TEST_P(UpstreamCatalogSuite, AnImportAddsTheDocumentsThatAreLacking) {
  const UpstreamRelease signed_release = SampleUpstreamRelease(kRemote, "1.0.0");
  UpstreamRelease first = signed_release;
  first.sums.reset();
  first.signature.reset();
  first.keys = "";
  first.protocols = {};
  first.fit_for_origin = false;
  first.packages = {SampleHeldPackage("linux_amd64", "content")};
  EXPECT_EQ(this->Pin(first), first);
  UpstreamRelease other = signed_release;
  other.packages[1] = SampleUpstreamPackage("linux_amd64", "other");
  UpstreamRelease kept = first;
  kept.packages.insert(kept.packages.begin(), other.packages[0]);
  EXPECT_EQ(this->Pin(other, true), kept) << "they describe another package: only what lacks";
  EXPECT_EQ(this->Pin(signed_release), kept) << "not by an import";
  UpstreamRelease narrow = signed_release;
  narrow.packages.pop_back();
  EXPECT_EQ(this->Pin(narrow, true), kept) << "they do not describe all that is kept";
  const std::size_t changes = this->Topics().size();
  UpstreamRelease whole = signed_release;
  whole.packages = kept.packages;
  EXPECT_EQ(this->Pin(signed_release, true), whole);
  EXPECT_EQ(this->Topics().size(), changes + 1);
  EXPECT_EQ(this->Pin(signed_release, true), whole);
  EXPECT_EQ(this->Topics().size(), changes + 1) << "nothing was lacking any more";
}

TEST_P(UpstreamCatalogSuite, ReleasesAreToldApart) {
  const std::pair<const char*, const char*> kReleases[] = {
      {"registry.example.com/acme/demo", "1.0.0"},
      {"registry.example.com/acme/demo", "1.0.0+a"},
      {"registry.example.com/acme/demo", "1.0.0-a"},
      {"registry.example.com/acme/demo2", "1.0.0"},
      {"registry.example.com/acme-demo/demo", "1.0.0"},
      {"registry.example.com:8443/acme/demo", "1.0.0"},
      {"example.com/acme/demo", "1.0.0"}};
  for (const auto& [key, version] : kReleases) {
    auto release = SampleUpstreamRelease(key, version, std::string(key) + version);
    EXPECT_EQ(this->Pin(release), release);
  }
  for (const auto& [key, version] : kReleases) {
    EXPECT_EQ(this->Find(key, version),
              SampleUpstreamRelease(key, version, std::string(key) + version));
  }
}

TEST_P(UpstreamCatalogSuite, AnUnknownReleaseIsNotFound) {
  this->Pin(SampleUpstreamRelease(kRemote, "1.0.0"));
  for (const auto& [key, version] : {std::pair("registry.example.com/acme/demo", "1.0.1"),
                                     std::pair("registry.example.com/acme/other", "1.0.0"),
                                     std::pair("other.example/acme/demo", "1.0.0")}) {
    this->ExpectFails(this->Find(key, version), ErrorKind::kNotFound,
                      std::string(key) + " " + version + " is not stored here");
  }
}

TEST_P(UpstreamCatalogSuite, ListsTheVersionsNewestFirst) {
  EXPECT_EQ(this->Spelled(RunTask(upstream_releases().ListUpstreamVersions(Remote(kRemote)))),
            Texts{});
  for (const char* version :
       {"1.9.0", "1.10.0", "2.0.0-rc.1", "1.10.0+b", "9223372036854775807.0.0"})
    this->Pin(SampleUpstreamRelease(kRemote, version));
  this->Pin(SampleUpstreamRelease("other.example/acme/demo", "3.0.0"));
  EXPECT_EQ(this->Spelled(RunTask(upstream_releases().ListUpstreamVersions(Remote(kRemote)))),
            (Texts{"9223372036854775807.0.0", "2.0.0-rc.1", "1.10.0+b", "1.10.0", "1.9.0"}));
}

TEST_P(UpstreamCatalogSuite, PagesOfReleasesFollowEachOtherWhateverIsAdded) {
  EXPECT_EQ(this->List(std::nullopt, 10), Texts{});
  for (const char* version : {"2.0.0", "10.0.0", "1.0.0"}) {
    this->Pin(SampleUpstreamRelease("b.example/acme/demo", version));
  }
  this->Pin(SampleUpstreamRelease("b.example:80/acme/demo", "1.0.0"));
  this->Pin(SampleUpstreamRelease("a.example/acme/demo", "1.0.0"));
  this->Pin(SampleUpstreamRelease("b.example/acme/größe", "1.0.0"));
  EXPECT_EQ(this->List(std::nullopt, 2),
            (Texts{"a.example/acme/demo 1.0.0", "b.example/acme/demo 1.0.0"}));
  const auto after = std::pair(Remote("b.example/acme/demo"), V("1.0.0"));
  const Texts rest = {"b.example/acme/demo 10.0.0", "b.example/acme/demo 2.0.0",
                      "b.example/acme/größe 1.0.0", "b.example:80/acme/demo 1.0.0"};
  EXPECT_EQ(this->List(after, 10), rest) << "keys, then versions, both bytewise";
  this->Pin(SampleUpstreamRelease("a.example/acme/demo", "0.1.0"));
  this->Pin(SampleUpstreamRelease("b.example/acme/demo", "0.1.0"));
  EXPECT_EQ(this->List(after, 10), rest);
  EXPECT_EQ(this->List(after, 1), Texts{rest[0]});
  EXPECT_EQ(this->List(std::pair(Remote("b.example/acme/demo"), V("1.5.0")), 1), Texts{rest[0]})
      << "an item that is not there has its place too";
  EXPECT_EQ(this->List(std::pair(Remote("b.example:80/acme/demo"), V("1.0.0")), 10), Texts{});
  EXPECT_EQ(this->List(std::nullopt, 0), Texts{});
}

TEST_P(UpstreamCatalogSuite, WhatCannotBeKeptIsRefused) {
  struct Case {
    void (*spoil)(UpstreamRelease&);
    ErrorKind kind;
    const char* words;
  };
  const Case kCases[] = {
      {[](UpstreamRelease& r) { r.keys = std::string("{\0}", 3); }, ErrorKind::kInvalid,
       "the keys' document must be UTF-8 text without NUL"},
      {[](UpstreamRelease& r) { r.keys = std::string((1 << 20) + 1, 'x'); }, ErrorKind::kTooLarge,
       "the keys' document would take 1048577 bytes"},
      {[](UpstreamRelease& r) { r.protocols.assign(20'000, "5.0"); }, ErrorKind::kTooLarge,
       "the list of protocols would take 80000 bytes"},
      {[](UpstreamRelease& r) { r.packages[0].filename = "\xff"; }, ErrorKind::kInvalid,
       "the package's file name must be UTF-8"},
      {[](UpstreamRelease& r) { r.packages[0].filename = std::string(256, 'x'); },
       ErrorKind::kTooLarge, "the package's file name would take 256 bytes"},
      {[](UpstreamRelease& r) { r.packages[1].hashes.assign(2000, std::string(40, 'h')); },
       ErrorKind::kTooLarge, "the list of the package's hashes would take"},
      {[](UpstreamRelease& r) { r.packages[1].size = ~std::uint64_t{0}; }, ErrorKind::kTooLarge,
       "the package for linux_amd64 cannot be 18446744073709551615 bytes long"},
      {[](UpstreamRelease& r) { r.sums->size = ~std::uint64_t{0}; }, ErrorKind::kTooLarge,
       "SHA256SUMS cannot be"},
      {[](UpstreamRelease& r) { r.packages[1].held = true; }, ErrorKind::kInvalid,
       "the package for linux_amd64 is stored, so its size must be known"},
      {[](UpstreamRelease& r) { r.packages.clear(); }, ErrorKind::kInvalid,
       "registry.example.com/acme/demo 1.0.0 has no package for any platform"},
      {[](UpstreamRelease& r) { r.packages.push_back(r.packages[0]); }, ErrorKind::kInvalid,
       "has two packages for darwin_arm64"}};
  for (const Case& bad : kCases) {
    UpstreamRelease release = SampleUpstreamRelease(kRemote, "1.0.0");
    bad.spoil(release);
    this->ExpectFails(RunTask(upstream_releases().PinRelease(release, true)), bad.kind, bad.words);
  }
  EXPECT_EQ(this->List(std::nullopt, 10), Texts{});
  EXPECT_EQ(this->Topics(), Texts{});
}

TEST_P(UpstreamCatalogSuite, OfRacingPinsOneWinsAndAllAreToldTheSame) {
  Racers racers;
  std::vector<Result<UpstreamRelease>> kept;
  for (int i = 0; i < 20; ++i) {
    auto release = SampleUpstreamRelease(kRemote, "1.0.0", std::to_string(i));
    racers.Add(upstream_releases().PinRelease(std::move(release), i % 2 == 0), &kept);
  }
  racers.Run();
  ASSERT_TRUE(kept[0]) << kept[0].error().message << kept[0].error().detail;
  for (const auto& release : kept) EXPECT_EQ(release, kept[0]);
  EXPECT_EQ(this->Find(kRemote, "1.0.0"), kept[0]);
  EXPECT_EQ(this->Topics().size(), 1u);
}

TEST_P(UpstreamCatalogSuite, KeepsEveryFieldOfAModule) {
  UpstreamModuleVersion module =
      SampleUpstreamModule("xn--wgv71a.example:8443/Acme/VPC/aws", "1.0.0-rc.1+b");
  module.kind = ArchiveKind::kZip;
  module.size = 5'000'000'000;
  module.source = "https://größe.example/a b?c='d'%0A:e";
  module.used_at = kSuiteNow + 9;
  EXPECT_EQ(this->PinModule(module), module);
  EXPECT_EQ(this->FindModule("xn--wgv71a.example:8443/acme/vpc/aws", "1.0.0-rc.1+b"), module)
      << "in the letter case that was seen first";
  EXPECT_EQ(this->Topics(), Texts{"mirror:xn--wgv71a.example:8443/acme/vpc/aws"});
  UpstreamModuleVersion unheld = SampleUpstreamModule(kRemoteModule, "1.0.0");
  unheld.held = false;
  unheld.size = 0;
  unheld.used_at = 0;
  EXPECT_EQ(this->PinModule(unheld), unheld);
}

TEST_P(UpstreamCatalogSuite, AModuleThatWasSeenFirstStays) {
  const UpstreamModuleVersion first = SampleUpstreamModule(kRemoteModule, "1.0.0", "first");
  EXPECT_EQ(this->PinModule(first), first);
  UpstreamModuleVersion other = SampleUpstreamModule(kRemoteModule, "1.0.0", "other");
  other.module = RemoteModule("registry.example.com/ACME/vpc/aws");
  other.source = "elsewhere";
  other.used_at = kSuiteNow + 100;
  EXPECT_EQ(this->PinModule(other), first);
  EXPECT_EQ(this->HeldBytes(), 4321u);
  EXPECT_FALSE(this->IsReferenced(other.digest));
  EXPECT_EQ(this->Release(first.digest), 1u);
  EXPECT_FALSE(this->PinModule(other).held) << "other bytes do not hold it";
  EXPECT_EQ(this->PinModule(first), first) << "the same bytes came back";
  EXPECT_EQ(this->Topics().size(), 3u) << "the pin, its bytes going and coming back";
}

TEST_P(UpstreamCatalogSuite, ListsTheModulesVersionsNewestFirst) {
  const UpstreamModule module = RemoteModule("registry.example.com/acme/VPC/aws");
  EXPECT_EQ(this->Spelled(RunTask(upstream_modules().ListUpstreamModuleVersions(module))), Texts{});
  for (const char* version : {"1.9.0", "1.10.0", "2.0.0-rc.1"}) {
    this->PinModule(SampleUpstreamModule(kRemoteModule, version));
  }
  this->PinModule(SampleUpstreamModule("registry.example.com/acme/vpc/gcp", "3.0.0"));
  EXPECT_EQ(this->Spelled(RunTask(upstream_modules().ListUpstreamModuleVersions(module))),
            (Texts{"2.0.0-rc.1", "1.10.0", "1.9.0"}));
  this->ExpectFails(this->FindModule(kRemoteModule, "3.0.0"), ErrorKind::kNotFound,
                    "registry.example.com/acme/vpc/aws 3.0.0 is not stored here");
}

TEST_P(UpstreamCatalogSuite, PagesOfModulesFollowEachOther) {
  EXPECT_EQ(this->ListModules(std::nullopt, 10), Texts{});
  for (const char* version : {"2.0.0", "10.0.0", "1.0.0"}) {
    this->PinModule(SampleUpstreamModule("b.example/Acme/vpc/aws", version));
  }
  this->PinModule(SampleUpstreamModule("b.example:80/acme/vpc/aws", "1.0.0"));
  UpstreamModuleVersion unheld = SampleUpstreamModule("a.example/acme/vpc/aws", "1.0.0", "other");
  unheld.held = false;
  unheld.used_at = 0;
  this->PinModule(unheld);
  EXPECT_EQ(this->ListModules(std::nullopt, 2),
            (Texts{"a.example/acme/vpc/aws 1.0.0", "b.example/acme/vpc/aws 1.0.0"}));
  const auto after = std::pair(RemoteModule("b.example/ACME/vpc/aws"), V("1.0.0"));
  const Texts rest = {"b.example/acme/vpc/aws 10.0.0", "b.example/acme/vpc/aws 2.0.0",
                      "b.example:80/acme/vpc/aws 1.0.0"};
  EXPECT_EQ(this->ListModules(after, 10), rest) << "keys, then versions, both bytewise";
  EXPECT_EQ(this->ListModules(after, 1), Texts{rest[0]});
  EXPECT_EQ(this->ListModules(std::pair(RemoteModule("b.example:80/acme/vpc/aws"), V("1.0.0")), 9),
            Texts{});
  EXPECT_EQ(this->ListModules(std::nullopt, 0), Texts{});
}

TEST_P(UpstreamCatalogSuite, ModulesThatCannotBeKeptAreRefused) {
  UpstreamModuleVersion module = SampleUpstreamModule(kRemoteModule, "1.0.0");
  module.source = std::string("a\0b", 3);
  this->ExpectFails(RunTask(upstream_modules().PinModule(module)), ErrorKind::kInvalid,
                    "the module's source must be UTF-8 text without NUL");
  module.source = std::string(8193, 'x');
  this->ExpectFails(RunTask(upstream_modules().PinModule(module)), ErrorKind::kTooLarge,
                    "the module's source would take 8193 bytes");
  module.source = "";
  module.size = 0;
  this->ExpectFails(RunTask(upstream_modules().PinModule(module)), ErrorKind::kInvalid,
                    "the module's archive is stored, so its size must be known");
  module.size = std::uint64_t{1} << 60;
  this->ExpectFails(RunTask(upstream_modules().PinModule(module)), ErrorKind::kTooLarge,
                    "the module's archive cannot be");
  EXPECT_EQ(this->Topics(), Texts{});
}

}  // namespace
}  // namespace koya
