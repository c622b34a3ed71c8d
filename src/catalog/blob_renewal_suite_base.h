// What the tests of references to a ledger's objects share. See blob_ledger_suite_base.h.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catalog/blob_ledger_suite_base.h"
#include "catalog/catalog.h"
#include "catalog/module_samples_fake.h"
#include "catalog/upstream_samples_fake.h"
#include "domain/module_record.h"
#include "domain/provider_record.h"
#include "domain/upstream_record.h"

namespace koya {

// A way to refer to blobs, and to release them.
struct ReferenceKind {
  std::string name;
  std::vector<Digest> digests;
  std::function<void(Catalog&)> prepare;  // what refers to nothing yet
  std::function<Status(Catalog&)> record;
  std::function<void(Catalog&)> remove;
};

template <class T>
Status StatusOf(const Result<T>& result) {
  return result ? Status() : Status(Failure(result.error()));
}

inline ReferenceKind ModuleKind() {
  const ModuleVersionRecord record = Record("acme/vpc/aws", "1.0.0");
  return {
      .name = "a module's version",
      .digests = {record.digest},
      .prepare = [](Catalog&) {},
      .record =
          [record](Catalog& catalog) {
            return StatusOf(RunTask(catalog.AddVersion(Tester(), record)));
          },
      .remove =
          [record](Catalog& catalog) {
            EXPECT_TRUE(RunTask(catalog.Withdraw(Tester(), record.address, record.version, {})));
          }};
}

inline ReferenceKind ReleaseKind() {
  const ProviderRelease release = SampleRelease("acme/demo", "1.0.0");
  std::vector<Digest> digests{release.sums.digest, release.signature.digest};
  for (const ProviderPackage& package : release.packages) digests.push_back(package.digest);
  return {.name = "a provider's release",
          .digests = digests,
          .prepare =
              [](Catalog& catalog) {
                ASSERT_TRUE(RunTask(catalog.AddKey(Tester(), SampleKey("acme"))));
              },
          .record =
              [release](Catalog& catalog) {
                return StatusOf(RunTask(catalog.AddRelease(Tester(), release, std::nullopt)));
              },
          .remove =
              [release](Catalog& catalog) {
                EXPECT_TRUE(RunTask(
                    catalog.WithdrawRelease(Tester(), release.address, release.version, {})));
              }};
}

inline ReferenceKind DraftKind() {
  const DraftFile file = SampleFile("terraform-provider-demo_1.0.0_SHA256SUMS");
  return {
      .name = "a draft's file",
      .digests = {file.digest},
      .prepare =
          [](Catalog& catalog) { ASSERT_TRUE(RunTask(catalog.AddDraft(SampleDraft("draft"), 5))); },
      .record =
          [file](Catalog& catalog) {
            return RunTask(catalog.PutDraftFile("draft", file, kSuiteNow + 100, 5));
          },
      .remove = [](Catalog& catalog) { EXPECT_TRUE(RunTask(catalog.RemoveDraft("draft"))); }};
}

// Pins are permanent: holders of bytes release them, and documents stay.
inline ReferenceKind PinKind() {
  const UpstreamRelease release = SampleUpstreamRelease(kRemote, "1.0.0");
  return {.name = "another registry's release",
          .digests = {release.sums->digest, release.signature->digest},
          .prepare = [](Catalog&) {},
          .record =
              [release](Catalog& catalog) {
                return StatusOf(RunTask(catalog.PinRelease(release, false)));
              },
          .remove = nullptr};
}

inline ReferenceKind LaterDocumentsKind() {
  const UpstreamRelease release = SampleUpstreamRelease(kRemote, "1.0.0");
  UpstreamRelease bare = release;
  bare.sums.reset();
  bare.signature.reset();
  return {.name = "documents of a release that was pinned without",
          .digests = {release.sums->digest, release.signature->digest},
          .prepare =
              [bare](Catalog& catalog) { ASSERT_TRUE(RunTask(catalog.PinRelease(bare, false))); },
          .record =
              [release](Catalog& catalog) {
                return StatusOf(RunTask(catalog.PinRelease(release, true)));
              },
          .remove = nullptr};
}

inline std::function<void(Catalog&)> ReleasesHeld(std::vector<Digest> digests) {
  return [digests = std::move(digests)](Catalog& catalog) {
    for (const Digest& digest : digests) {
      EXPECT_TRUE(RunTask(catalog.ReleaseHeld(Tester(), digest, "damaged")));
    }
  };
}

// A release without documents, as it comes from a network mirror.
inline UpstreamRelease BareRelease(std::vector<UpstreamPackage> packages) {
  UpstreamRelease release = SampleUpstreamRelease(kRemote, "1.0.0");
  release.sums.reset();
  release.signature.reset();
  release.packages = std::move(packages);
  return release;
}

inline ReferenceKind HoldKind() {
  const UpstreamPackage package = SampleHeldPackage("linux_amd64", "content");
  const UpstreamRelease bare = BareRelease({SampleUpstreamPackage("linux_amd64", "content")});
  return {.name = "a package that is held",
          .digests = {package.digest},
          .prepare =
              [bare](Catalog& catalog) { ASSERT_TRUE(RunTask(catalog.PinRelease(bare, false))); },
          .record =
              [package, bare](Catalog& catalog) {
                return RunTask(catalog.HoldPackage(bare.provider, bare.version, package));
              },
          .remove = ReleasesHeld({package.digest})};
}

inline ReferenceKind PinHeldKind() {
  const UpstreamRelease release = BareRelease(
      {SampleHeldPackage("linux_amd64", "content"), SampleHeldPackage("darwin_arm64", "content")});
  const std::vector<Digest> digests{release.packages[0].digest, release.packages[1].digest};
  return {.name = "a release whose packages are held at once",
          .digests = digests,
          .prepare = [](Catalog&) {},
          .record =
              [release](Catalog& catalog) {
                return StatusOf(RunTask(catalog.PinRelease(release, true)));
              },
          .remove = ReleasesHeld(digests)};
}

inline ReferenceKind ImportKind() {
  UpstreamRelease release = SampleUpstreamRelease(kRemote, "1.0.0");
  release.packages = {SampleHeldPackage("linux_amd64", "content")};
  return {.name = "a release that somebody brought",
          .digests = {release.sums->digest, release.signature->digest, release.packages[0].digest},
          .prepare = [](Catalog&) {},
          .record =
              [release](Catalog& catalog) {
                return StatusOf(RunTask(catalog.ImportRelease(Tester(), release)));
              },
          .remove = nullptr};
}

inline ReferenceKind HeldModuleKind(bool imported) {
  const UpstreamModuleVersion version = SampleUpstreamModule(kRemoteModule, "1.0.0");
  return {.name = imported ? "a module that somebody brought" : "another registry's module",
          .digests = {version.digest},
          .prepare = [](Catalog&) {},
          .record =
              [version, imported](Catalog& catalog) {
                if (imported) return StatusOf(RunTask(catalog.ImportModule(Tester(), version)));
                return StatusOf(RunTask(catalog.PinModule(version)));
              },
          .remove = ReleasesHeld({version.digest})};
}

inline std::vector<ReferenceKind> AllReferenceKinds() {
  return {ModuleKind(),          ReleaseKind(),       DraftKind(),   PinKind(),
          LaterDocumentsKind(),  HoldKind(),          PinHeldKind(), ImportKind(),
          HeldModuleKind(false), HeldModuleKind(true)};
}

// The catalog is the ledger: CatalogOptions::blob_ledger.
class CatalogLedgerBackend : public LedgerBackend {
 public:
  virtual Catalog& catalog() = 0;
  BlobLedger& ledger() override { return catalog(); }
};

template <class Backend>
std::unique_ptr<CatalogLedgerBackend> MakeCatalogLedger() {
  return std::make_unique<Backend>();
}

// A backend for one kind of reference, with its dependencies.
struct RenewalCase {
  RenewalCase(const ReferenceKind& its_kind, std::unique_ptr<CatalogLedgerBackend> its_backend)
      : kind(its_kind), owner(std::move(its_backend)) {
    kind.prepare(backend.catalog());
  }
  // All but one, or all.
  void StoreAllBut(std::optional<Digest> missing) {
    for (const Digest& digest : kind.digests) {
      if (digest == missing) continue;
      const BlobObject object{.name = digest.hex(), .digest = digest, .size = 1};
      ASSERT_TRUE(RunTask(backend.ledger().Arrive(object)));
      ASSERT_TRUE(RunTask(backend.ledger().CompleteUpload(object.name)));
    }
  }
  std::size_t Unreferenced() {
    return RunTask(backend.catalog().FindUnreferenced(kind.digests)).value().size();
  }
  std::vector<Digest> LeaveOld() { return user.LeaveAll(kind.digests, seconds(50)); }
  // The record is refused, and nothing of it is there.
  void ExpectRefused() {
    const ChangePosition before = RunTask(backend.catalog().LatestChange()).value();
    Status status = kind.record(backend.catalog());
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().kind, ErrorKind::kUnavailable) << status.error().detail;
    EXPECT_NE(status.error().message.find("repeat the command"), std::string::npos)
        << status.error().message;
    EXPECT_GT(status.error().retry_after, 0u);
    EXPECT_EQ(Unreferenced(), kind.digests.size());
    EXPECT_EQ(RunTask(backend.catalog().LatestChange())->sequence, before.sequence);
  }

  const ReferenceKind& kind;
  const std::unique_ptr<CatalogLedgerBackend> owner;
  CatalogLedgerBackend& backend = *owner;
  LedgerUser user{backend.ledger()};
};

class BlobRenewalSuite
    : public ::testing::TestWithParam<std::unique_ptr<CatalogLedgerBackend> (*)()> {
 protected:
  void SetUp() override {
    if (std::string reason = GetParam()()->SkipReason(); !reason.empty()) {
      GTEST_SKIP() << reason;
    }
  }
};

}  // namespace koya
