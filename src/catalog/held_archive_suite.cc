// What every catalog must do: the archives that are held of other registries, and which of them
// make room. See catalog_suite_base.h.
#include <algorithm>
#include <string>
#include <vector>

#include "catalog/key_catalog.h"
#include "catalog/module_catalog.h"
#include "catalog/provider_catalog.h"
#include "catalog/upstream_catalog.h"
#include "catalog/upstream_suite_base.h"
#include "domain/archive_kind.h"
#include "domain/module_record.h"
#include "domain/provider_record.h"
#include "domain/upstream_record.h"

namespace koya {
namespace {

class HeldArchiveSuite : public UpstreamSuiteBase {};
INSTANTIATE_CATALOG_SUITE(HeldArchiveSuite);

TEST_P(HeldArchiveSuite, HoldingFillsSizeAndHashes) {
  UpstreamRelease release = this->Pin(SampleUpstreamRelease(kRemote, "1.0.0"));
  UpstreamPackage held = SampleHeldPackage("linux_amd64", "content", kSuiteNow + 3);
  held.filename = "another name";
  ASSERT_TRUE(this->Hold(kRemote, "1.0.0", held));
  held.filename = release.packages[1].filename;
  release.packages[1] = held;
  EXPECT_EQ(this->Find(kRemote, "1.0.0"), release);
  EXPECT_EQ(this->HeldBytes(), 1234u);
  EXPECT_TRUE(this->IsReferenced(held.digest));
  EXPECT_EQ(this->Topics().size(), 2u) << "documents show the hashes";
  UpstreamPackage again = held;
  again.hashes = {};
  again.size = 0;
  again.used_at = kSuiteNow;
  ASSERT_TRUE(this->Hold(kRemote, "1.0.0", again));
  EXPECT_EQ(this->Find(kRemote, "1.0.0"), release) << "what is not said stays";
  EXPECT_EQ(this->Topics().size(), 2u);
  UpstreamPackage reported = SampleHeldPackage("linux_amd64", "reported");
  reported.held = false;
  reported.used_at = 0;
  this->PinHeld(kRemote, "1.0.1", reported);
  reported.hashes = {};
  ASSERT_TRUE(this->Hold(kRemote, "1.0.1", reported));
  EXPECT_EQ(this->Find(kRemote, "1.0.1")->packages[0].hashes, Texts()) << "nobody computed them";
}

TEST_P(HeldArchiveSuite, OtherBytesThanThePinnedOnesAreAConflict) {
  const UpstreamRelease release = this->Pin(SampleUpstreamRelease(kRemote, "1.0.0"));
  const UpstreamPackage other = SampleHeldPackage("linux_amd64", "other");
  Status status = this->Hold(kRemote, "1.0.0", other);
  this->ExpectFails(
      status, ErrorKind::kConflict,
      "registry.example.com/acme/demo 1.0.0 for linux_amd64 has other bytes (sha256:" +
          other.digest.hex());
  this->ExpectFails(status, ErrorKind::kConflict,
                    "seen first (sha256:" + release.packages[1].digest.hex() + "), which stay");
  EXPECT_EQ(this->Find(kRemote, "1.0.0"), release);
  EXPECT_EQ(this->HeldBytes(), 0u);
  EXPECT_FALSE(this->IsReferenced(other.digest));
  EXPECT_EQ(this->Topics().size(), 1u);
}

TEST_P(HeldArchiveSuite, WhatIsNotPinnedCannotBeHeld) {
  this->Pin(SampleUpstreamRelease(kRemote, "1.0.0"));
  const UpstreamPackage package = SampleHeldPackage("linux_amd64", "content");
  this->ExpectFails(this->Hold(kRemote, "1.0.1", package), ErrorKind::kNotFound,
                    "registry.example.com/acme/demo 1.0.1 for linux_amd64 is not stored here");
  this->ExpectFails(this->Hold("other.example/acme/demo", "1.0.0", package), ErrorKind::kNotFound,
                    "other.example/acme/demo");
  this->ExpectFails(this->Hold(kRemote, "1.0.0", SampleHeldPackage("linux_arm64", "content")),
                    ErrorKind::kNotFound, "for linux_arm64");
  UpstreamPackage unsized = package;
  unsized.size = 0;
  this->ExpectFails(this->Hold(kRemote, "1.0.0", unsized), ErrorKind::kInvalid,
                    "its size must be known");
  EXPECT_EQ(this->HeldBytes(), 0u);
}

TEST_P(HeldArchiveSuite, ABlobThatSeveralNameCountsOnceAndIsReleasedEverywhere) {
  const UpstreamPackage shared = SampleHeldPackage("linux_amd64", "shared");
  this->PinHeld("a.example/acme/demo", "1.0.0", shared);
  this->PinHeld("a.example/acme/demo", "1.0.1", shared);
  UpstreamPackage unheld = shared;
  unheld.held = false;
  unheld.used_at = 0;
  this->PinHeld("c.example/acme/demo", "1.0.0", unheld);
  UpstreamModuleVersion module = SampleUpstreamModule(kRemoteModule, "1.0.0");
  module.digest = shared.digest;
  module.size = shared.size;
  this->PinModule(module);
  const UpstreamPackage alone = SampleHeldPackage("linux_amd64", "alone", kSuiteNow + 1);
  this->PinHeld("b.example/acme/demo", "1.0.0", alone);
  EXPECT_EQ(this->HeldBytes(), 2u * 1234);
  const Texts before = this->Topics();
  EXPECT_EQ(this->Release(shared.digest), 3u);
  const Texts topics = this->Topics();
  EXPECT_EQ(Texts(topics.begin() + static_cast<std::ptrdiff_t>(before.size()), topics.end()),
            (Texts{"mirror:a.example/acme/demo", "mirror:registry.example.com/acme/vpc/aws"}));
  EXPECT_EQ(this->HeldBytes(), 1234u);
  EXPECT_FALSE(this->IsReferenced(shared.digest));
  EXPECT_TRUE(this->IsReferenced(alone.digest));
  unheld.hashes = shared.hashes;
  for (const char* version : {"1.0.0", "1.0.1"}) {
    EXPECT_EQ(this->Find("a.example/acme/demo", version)->packages, std::vector{unheld})
        << "size, hashes and digest stay";
  }
  EXPECT_FALSE(this->FindModule(kRemoteModule, "1.0.0")->held);
  EXPECT_EQ(this->Release(shared.digest), 0u);
  EXPECT_EQ(this->Release(Digest::Of("unknown")), 0u);

  ASSERT_TRUE(this->Hold("a.example/acme/demo", "1.0.1", shared)) << "the bytes came back";
  EXPECT_EQ(this->HeldBytes(), 2u * 1234);
  EXPECT_TRUE(this->Find("a.example/acme/demo", "1.0.1")->packages[0].held);
  EXPECT_FALSE(this->Find("a.example/acme/demo", "1.0.0")->packages[0].held);
  EXPECT_EQ(this->Release(shared.digest), 1u);
}

TEST_P(HeldArchiveSuite, BlobsOfReleasesAreNeeded) {
  UpstreamRelease release = SampleUpstreamRelease(kRemote, "1.0.0");
  this->Pin(release);
  EXPECT_TRUE(this->IsReferenced(release.sums->digest));
  EXPECT_TRUE(this->IsReferenced(release.signature->digest));
  EXPECT_FALSE(this->IsPublished(release.signature->digest)) << "elsewhere";
  EXPECT_FALSE(this->IsReferenced(release.packages[0].digest)) << "pinned, not held";
  EXPECT_FALSE(this->IsReferenced(Digest::Of("")));
  const UpstreamModuleVersion module = SampleUpstreamModule(kRemoteModule, "1.0.0");
  this->PinModule(module);
  EXPECT_TRUE(this->IsReferenced(module.digest));
  EXPECT_FALSE(this->IsPublished(module.digest));
  EXPECT_EQ(this->Release(module.digest), 1u);
  EXPECT_FALSE(this->IsReferenced(module.digest));
}

TEST_P(HeldArchiveSuite, AReleasedBlobIsNeededByAPublishedVersionAllTheSame) {
  ASSERT_TRUE(RunTask(keys().AddKey(Tester(), SampleKey("acme"))));
  ProviderRelease own = SampleRelease("acme/demo", "1.0.0");
  UpstreamPackage package = SampleHeldPackage("linux_amd64", "any");
  package.digest = own.packages[1].digest;
  ModuleVersionRecord own_module{.address = Address("acme/vpc/aws"),
                                 .version = V("1.0.0"),
                                 .kind = ArchiveKind::kTarGz,
                                 .digest = Digest::Of("archive"),
                                 .size = 4321,
                                 .upload_digest = Digest::Of("archive"),
                                 .description = "",
                                 .published_at = kSuiteNow,
                                 .published_by = "ci"};
  UpstreamModuleVersion module = SampleUpstreamModule(kRemoteModule, "1.0.0");
  module.digest = own_module.digest;
  ASSERT_TRUE(RunTask(providers().AddRelease(Tester(), own, std::nullopt)));
  ASSERT_TRUE(RunTask(modules().AddVersion(Tester(), own_module)));
  this->PinHeld(kRemote, "1.0.0", package);
  this->PinModule(module);
  EXPECT_EQ(this->HeldBytes(), 1234u + 4321u);
  EXPECT_EQ(this->Release(package.digest), 1u);
  EXPECT_EQ(this->Release(module.digest), 1u);
  EXPECT_EQ(this->HeldBytes(), 0u);
  EXPECT_TRUE(this->IsReferenced(package.digest));
  EXPECT_TRUE(this->IsReferenced(module.digest));
  ASSERT_TRUE(RunTask(providers().WithdrawRelease(Tester(), own.address, own.version, {})));
  ASSERT_TRUE(RunTask(modules().Withdraw(Tester(), own_module.address, own_module.version, {})));
  EXPECT_FALSE(this->IsReferenced(package.digest));
  EXPECT_FALSE(this->IsReferenced(module.digest));
}

TEST_P(HeldArchiveSuite, AUseIsNotedOnceAnHour) {
  const UpstreamPackage package = SampleHeldPackage("linux_amd64", "a");
  this->PinHeld(kRemote, "1.0.0", package);
  auto used = [this] { return this->Find(kRemote, "1.0.0")->packages[0].used_at - kSuiteNow; };
  for (UnixSeconds early : {0, 1, 3599, -100}) {
    ASSERT_TRUE(this->Touch(package.digest, kSuiteNow + early));
    EXPECT_EQ(used(), 0) << early;
  }
  ASSERT_TRUE(this->Touch(package.digest, kSuiteNow + 3600));
  EXPECT_EQ(used(), 3600);
  ASSERT_TRUE(this->Touch(package.digest, kSuiteNow + 7199));
  EXPECT_EQ(used(), 3600);
  ASSERT_TRUE(this->Touch(package.digest, kSuiteNow + 7200));
  EXPECT_EQ(used(), 7200);
  EXPECT_EQ(this->Topics().size(), 1u) << "no document changes";
}

TEST_P(HeldArchiveSuite, AUseOfSomethingNotHeldHidesNoLaterOne) {
  const UpstreamPackage package = SampleHeldPackage("linux_amd64", "a");
  ASSERT_TRUE(this->Touch(package.digest, kSuiteNow + 3600)) << "unknown";
  this->PinHeld(kRemote, "1.0.0", package);
  ASSERT_TRUE(this->Touch(package.digest, kSuiteNow + 3601));
  EXPECT_EQ(this->UsedAt(kRemote, "1.0.0"), 3601);
  EXPECT_EQ(this->Release(package.digest), 1u);
  ASSERT_TRUE(this->Touch(package.digest, kSuiteNow + 9000)) << "released";
  EXPECT_EQ(this->Find(kRemote, "1.0.0")->packages[0].used_at, 0);
  ASSERT_TRUE(this->Hold(kRemote, "1.0.0", package));
  ASSERT_TRUE(this->Touch(package.digest, kSuiteNow + 9001));
  EXPECT_EQ(this->UsedAt(kRemote, "1.0.0"), 9001);
}

TEST_P(HeldArchiveSuite, AUseNotedWhileTheClockWasAheadGivesWayToTheNext) {
  const UnixSeconds ahead = SystemClock().Now() + 4 * 365 * 86'400;
  const UpstreamPackage package = SampleHeldPackage("linux_amd64", "a", ahead);
  this->PinHeld(kRemote, "1.0.0", package);
  ASSERT_TRUE(this->Touch(package.digest, kSuiteNow + 1));
  EXPECT_EQ(this->UsedAt(kRemote, "1.0.0"), 1);
  ASSERT_TRUE(this->Hold(kRemote, "1.0.0", package));
  EXPECT_EQ(this->UsedAt(kRemote, "1.0.0"), ahead - kSuiteNow);
  ASSERT_TRUE(this->Hold(kRemote, "1.0.0", SampleHeldPackage("linux_amd64", "a", kSuiteNow + 2)));
  EXPECT_EQ(this->UsedAt(kRemote, "1.0.0"), 2);
}

TEST_P(HeldArchiveSuite, OneLetsGoAndOthersKeepTheSameBytes) {
  const UpstreamPackage package = SampleHeldPackage("linux_amd64", "shared");
  this->PinHeld("a.example/acme/demo", "1.0.0", package);
  this->PinHeld("b.example/acme/demo", "1.0.0", package);
  UpstreamModuleVersion module = SampleUpstreamModule(kRemoteModule, "1.0.0");
  module.digest = package.digest;
  this->PinModule(module);
  auto release = [this, &package](std::string_view key) {
    return RunTask(
        upstream_holdings().ReleasePackage(Tester(), Remote(key), V("1.0.0"), package.platform));
  };
  auto release_module = [this] {
    return RunTask(
        upstream_holdings().ReleaseModule(Tester(), RemoteModule(kRemoteModule), V("1.0.0")));
  };
  EXPECT_EQ(release("a.example/acme/demo"), false);
  EXPECT_FALSE(this->Find("a.example/acme/demo", "1.0.0")->packages[0].held);
  EXPECT_TRUE(this->Find("b.example/acme/demo", "1.0.0")->packages[0].held);
  EXPECT_TRUE(this->IsReferenced(package.digest));
  EXPECT_EQ(this->Topics().back(), "mirror:a.example/acme/demo");
  EXPECT_EQ(release("a.example/acme/demo"), false) << "again";
  EXPECT_EQ(release("b.example/acme/demo"), false);
  EXPECT_EQ(this->HeldBytes(), 1234u) << "the module has them";
  EXPECT_EQ(release_module(), true) << "the last one";
  EXPECT_EQ(this->HeldBytes(), 0u);
  EXPECT_FALSE(this->IsReferenced(package.digest));
  const Texts topics = this->Topics();
  EXPECT_EQ(topics.back(), "mirror:registry.example.com/acme/vpc/aws");
  EXPECT_EQ(release_module(), false) << "again";
  EXPECT_EQ(this->Topics(), topics);
  this->ExpectFails(release("c.example/acme/demo"), ErrorKind::kNotFound, "is not stored here");
  this->ExpectFails(RunTask(upstream_holdings().ReleasePackage(
                        Tester(), Remote("a.example/acme/demo"), V("1.0.0"), On("linux_arm64"))),
                    ErrorKind::kNotFound, "1.0.0 for linux_arm64");
  this->ExpectFails(
      RunTask(upstream_holdings().ReleaseModule(Tester(), RemoteModule(kRemoteModule), V("2.0.0"))),
      ErrorKind::kNotFound, "registry.example.com/acme/vpc/aws 2.0.0 is not stored here");
}

TEST_P(HeldArchiveSuite, TheLeastUsedGoFirstUntilTheRestFits) {
  EXPECT_EQ(this->Evict(0, {this->kHost}), std::vector<Digest>{});
  std::vector<UpstreamPackage> packages;
  for (int i = 0; i < 4; ++i) {
    packages.push_back(SampleHeldPackage("linux_amd64", std::to_string(i), kSuiteNow + 20 - i));
    this->PinHeld(kRemote, "1.0." + std::to_string(i), packages.back());
  }
  UpstreamModuleVersion module = SampleUpstreamModule(kRemoteModule, "2.0.0+b");
  module.used_at = kSuiteNow + 18;
  this->PinModule(module);
  const std::uint64_t all = 4u * 1234 + 4321;
  ASSERT_EQ(this->HeldBytes(), all);
  EXPECT_EQ(this->Evict(all, {this->kHost}), std::vector<Digest>{});
  const std::size_t before = this->Topics().size();
  EXPECT_EQ(this->Evict(all - 1, {this->kHost}), std::vector{packages[3].digest});
  const Texts topics = this->Topics();
  EXPECT_EQ(Texts(topics.begin() + static_cast<std::ptrdiff_t>(before), topics.end()),
            Texts{"mirror:" + std::string(kRemote)})
      << "whoever shows or keeps them open hears of it";
  EXPECT_FALSE(this->Find(kRemote, "1.0.3")->packages[0].held);
  EXPECT_FALSE(this->IsReferenced(packages[3].digest));
  EXPECT_EQ(this->HeldBytes(), all - 1234);
  // Of one second by digest.
  const Digest& next = std::min(packages[2].digest, module.digest);
  const Digest& then = std::max(packages[2].digest, module.digest);
  EXPECT_EQ(this->Evict(0, {this->kHost}, {.hosts = {}, .most_blobs = 1}), std::vector{next})
      << "at once";
  EXPECT_EQ(this->Evict(2u * 1234, {this->kHost}), std::vector{then});
  ASSERT_TRUE(this->Touch(packages[1].digest, kSuiteNow + 5000));
  EXPECT_EQ(this->Evict(1234, {this->kHost}), std::vector{packages[0].digest});
  EXPECT_TRUE(this->Find(kRemote, "1.0.1")->packages[0].held);
}

TEST_P(HeldArchiveSuite, BytesThatAnImportHasTooAreNeverEvicted) {
  const UpstreamPackage package = SampleHeldPackage("linux_amd64", "shared");
  const UpstreamPackage alone = SampleHeldPackage("linux_amd64", "alone", kSuiteNow + 9);
  this->PinHeld("a.example/acme/demo", "1.0.0", package);
  this->PinHeld("b.example/acme/demo", "1.0.0", package);
  this->PinHeld("a.example/acme/demo", "1.1.0", alone);
  UpstreamModuleVersion module = SampleUpstreamModule("c.example/acme/vpc/aws", "1.0.0");
  this->PinModule(module);
  UpstreamPackage same = SampleHeldPackage("linux_arm64", "as a module", kSuiteNow + 1);
  same.digest = module.digest;
  this->PinHeld("a.example/acme/other", "1.0.0", same);
  EXPECT_EQ(this->Evict(0, {"a.example"}), std::vector{alone.digest});
  EXPECT_EQ(this->Evict(0, {"a.example"}), std::vector<Digest>{});
  EXPECT_EQ(this->Evict(0, {}), std::vector<Digest>{}) << "nothing can come back";
  for (const char* key : {"a.example/acme/demo", "b.example/acme/demo"}) {
    EXPECT_TRUE(this->Find(key, "1.0.0")->packages[0].held) << key;
  }
  EXPECT_TRUE(this->FindModule("c.example/acme/vpc/aws", "1.0.0")->held);
  EXPECT_TRUE(this->IsReferenced(package.digest));
  EXPECT_EQ(RunTask(upstream_holdings().ReleasePackage(Tester(), Remote("b.example/acme/demo"),
                                                       V("1.0.0"), package.platform)),
            false);
  EXPECT_EQ(this->Evict(0, {"a.example"}), std::vector{package.digest}) << "nobody else has it now";
  EXPECT_EQ(this->Evict(0, {"a.example", "c.example"}), std::vector{module.digest});
}

TEST_P(HeldArchiveSuite, WhatWasUsedAMomentAgoIsNotEvicted) {
  const UnixSeconds now = SystemClock().Now();
  const std::vector<UpstreamPackage> packages = {
      SampleHeldPackage("linux_amd64", "old", now - 1000),
      SampleHeldPackage("linux_amd64", "young", now),
      SampleHeldPackage("linux_amd64", "ahead", now + 100'000)};
  for (std::size_t i = 0; i < packages.size(); ++i) {
    this->PinHeld(kRemote, "1.0." + std::to_string(i), packages[i]);
  }
  const EvictionRule rule{.max_bytes = 0, .hosts = {}, .unused_for = std::chrono::seconds(900)};
  std::vector<Digest> gone = this->Evict(0, {this->kHost}, rule);
  std::ranges::sort(gone);
  std::vector<Digest> expected = {packages[0].digest, packages[2].digest};
  std::ranges::sort(expected);
  EXPECT_EQ(gone, expected) << "a use from the future says nothing";
  EXPECT_EQ(this->HeldBytes(), 1234u) << "what stays is counted";
}

TEST_P(HeldArchiveSuite, TwoThatEvictAtOnceTakeNoMoreThanOne) {
  constexpr int kPackages = 20;
  for (int i = 0; i < kPackages; ++i) {
    this->PinHeld(kRemote, "1.0." + std::to_string(i),
                  SampleHeldPackage("linux_amd64", std::to_string(i), kSuiteNow + i));
  }
  const EvictionRule rule{.max_bytes = 10 * 1234, .hosts = {Host(this->kHost)}, .most_blobs = 3};
  Racers racers;
  std::vector<Result<std::vector<EvictedBlob>>> evicted;
  for (int i = 0; i < 10; ++i) racers.Add(upstream_holdings().EvictHeld(rule), &evicted);
  racers.Run();
  std::size_t gone = 0;
  for (const auto& blobs : evicted) {
    ASSERT_TRUE(blobs) << blobs.error().message << blobs.error().detail;
    gone += blobs->size();
  }
  EXPECT_EQ(gone, 10u);
  EXPECT_EQ(this->HeldBytes(), rule.max_bytes);
}

TEST_P(HeldArchiveSuite, HoldsAndReleasesThatRaceLeaveNoTrace) {
  constexpr int kVersions = 6;
  const UpstreamPackage shared = SampleHeldPackage("linux_amd64", "shared");
  UpstreamPackage unheld = SampleUpstreamPackage("linux_amd64", "shared");
  for (int i = 0; i < kVersions; ++i) this->PinHeld(kRemote, "1.0." + std::to_string(i), unheld);
  Racers racers;
  std::vector<Result<void>> held;
  std::vector<Result<std::uint64_t>> released;
  for (int i = 0; i < 10 * kVersions; ++i) {
    Version version = V("1.0." + std::to_string(i % kVersions));
    racers.Add(upstream_releases().HoldPackage(Remote(kRemote), version, shared), &held);
    if (i % 3 == 0)
      racers.Add(upstream_holdings().ReleaseHeld(Tester(), shared.digest, "damaged"), &released);
  }
  racers.Run();
  for (const auto& status : held) EXPECT_TRUE(status) << status.error().detail;
  for (const auto& status : released) EXPECT_TRUE(status) << status.error().detail;
  bool any = false;
  for (int i = 0; i < kVersions; ++i) {
    any |= this->Find(kRemote, "1.0." + std::to_string(i))->packages[0].held;
  }
  EXPECT_EQ(this->HeldBytes(), any ? 1234u : 0u);
  EXPECT_EQ(this->IsReferenced(shared.digest), any);
  this->Release(shared.digest);
  EXPECT_EQ(this->HeldBytes(), 0u);
  EXPECT_EQ(this->Release(shared.digest), 0u);
}

}  // namespace
}  // namespace koya
