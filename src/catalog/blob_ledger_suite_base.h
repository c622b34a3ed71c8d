// What the suites about ledgers of a remote store's objects share. A suite is a source of its own,
// compiled once; an engine's tests register it:
//
//   INSTANTIATE_TEST_SUITE_P(Memory, BlobLedgerSuite,
//   ::testing::Values(&MakeLedger<MemoryLedgerBackend>));
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catalog/blob_ledger.h"
#include "catalog/catalog.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/catalog_suite_base.h"
#include "catalog/upstream_samples_fake.h"
#include "domain/digest.h"
#include "domain/module_record.h"
#include "domain/provider_record.h"
#include "domain/search_record.h"
#include "domain/storage_record.h"
#include "domain/upstream_record.h"

namespace koya {

using std::chrono::seconds;

// An object that holds the bytes that `content` stands for.
inline BlobObject Object(std::string name, const std::string& content) {
  return {.name = std::move(name), .digest = Digest::Of(content), .size = content.size()};
}

// How tests call a ledger. Whatever is not asked to fail must not.
class LedgerUser {
 public:
  explicit LedgerUser(BlobLedger& ledger) : ledger_(ledger) {}

  // The name of the object that is stored already, or "".
  std::string Arrive(const std::string& name, const std::string& content = "content") {
    auto stored = RunTask(ledger_.Arrive(Object(name, content)));
    EXPECT_TRUE(stored) << stored.error().message << stored.error().detail;
    if (!stored || !*stored) return "";
    EXPECT_EQ((*stored)->digest, Digest::Of(content));
    EXPECT_EQ((*stored)->size, content.size());
    return (*stored)->name;
  }
  // The name of the object that holds the bytes now, or the kind of failure.
  std::string Settle(const std::string& name) {
    auto settled = RunTask(ledger_.CompleteUpload(name));
    if (settled) return settled->name;
    EXPECT_NE(settled.error().message.find("repeat"), std::string::npos)
        << settled.error().message << settled.error().detail;
    return std::string(ErrorKindName(settled.error().kind));
  }
  void Store(const std::string& name, const std::string& content = "content") {
    EXPECT_EQ(Arrive(name, content), "");
    EXPECT_EQ(Settle(name), name);
  }
  std::string Find(const std::string& content = "content") {
    auto found = RunTask(ledger_.FindStored(Digest::Of(content)));
    return found ? found->name : std::string(ErrorKindName(found.error().kind));
  }
  void Lose(const std::string& name) { EXPECT_TRUE(RunTask(ledger_.Lose(name))); }
  void Regain(const std::string& name) { EXPECT_TRUE(RunTask(ledger_.Regain(name))); }
  // Whether the object that it is read from was lost.
  bool IsLost(const std::string& content = "content") {
    auto found = RunTask(ledger_.FindStored(Digest::Of(content)));
    return found && found->lost;
  }
  void Forget(const std::string& name) { EXPECT_TRUE(RunTask(ledger_.DeleteRow(name))); }
  std::vector<Digest> LeaveAll(std::vector<Digest> digests, seconds grace) {
    auto left = RunTask(ledger_.MarkLeaving(std::move(digests), grace));
    EXPECT_TRUE(left) << left.error().message << left.error().detail;
    return left ? *left : std::vector<Digest>();
  }
  std::vector<Digest> FindOlder(std::vector<Digest> digests, seconds grace) {
    auto older = RunTask(ledger_.FindOlder(std::move(digests), grace));
    EXPECT_TRUE(older) << older.error().message << older.error().detail;
    return older ? *older : std::vector<Digest>();
  }
  bool Leave(const std::string& content, seconds grace) {
    return LeaveAll({Digest::Of(content)}, grace) == std::vector{Digest::Of(content)};
  }
  std::uint64_t GiveUp(seconds grace) { return RunTask(ledger_.GiveUpArrivals(grace)).value(); }
  Texts Leaving(seconds trash_for = seconds(-1000), std::size_t limit = 100) {
    return NamesOf(RunTask(ledger_.ListLeaving(trash_for, limit)));
  }
  Texts Stored(std::optional<Digest> after = std::nullopt, std::size_t limit = 100) {
    return NamesOf(RunTask(ledger_.ListStored(after, limit)));
  }

 private:
  static Texts NamesOf(const Result<std::vector<BlobObject>>& objects) {
    Texts names;
    EXPECT_TRUE(objects) << objects.error().message << objects.error().detail;
    if (!objects) return names;
    for (const BlobObject& object : *objects) names.push_back(object.name);
    return names;
  }

  BlobLedger& ledger_;
};

// An empty ledger for one test, and what time does to it.
class LedgerBackend {
 public:
  virtual ~LedgerBackend() = default;

  // Why this machine cannot run it: then the test is skipped. "": it can, and there is a ledger.
  virtual std::string SkipReason() const { return ""; }
  virtual BlobLedger& ledger() = 0;
  // Makes everything in it so much older.
  virtual void Age(seconds by) = 0;
};

template <class Backend>
std::unique_ptr<LedgerBackend> MakeLedger() {
  return std::make_unique<Backend>();
}

class BlobLedgerSuite : public ::testing::TestWithParam<std::unique_ptr<LedgerBackend> (*)()> {
 protected:
  void SetUp() override {
    if (std::string reason = backend_->SkipReason(); !reason.empty()) {
      GTEST_SKIP() << reason;
    }
    user_.emplace(backend_->ledger());
  }
  LedgerUser& user() { return *user_; }
  void Age(seconds by) { backend_->Age(by); }
  BlobLedger& ledger() { return backend_->ledger(); }

 private:
  const std::unique_ptr<LedgerBackend> backend_ = GetParam()();
  std::optional<LedgerUser> user_;
};

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
  const Attachment sbom{.name = "a.spdx.json", .digest = Digest::Of("an SBOM"), .size = 7};
  digests.push_back(sbom.digest);
  return {
      .name = "a provider's release",
      .digests = digests,
      .prepare =
          [](Catalog& catalog) {
            ASSERT_TRUE(RunTask(catalog.AddKey(Tester(), SampleKey("acme"))));
          },
      .record =
          [release, sbom](Catalog& catalog) {
            ReleaseExtras extras;
            extras.attachments = {sbom};
            return StatusOf(RunTask(catalog.AddRelease(Tester(), release, std::nullopt, extras)));
          },
      .remove =
          [release](Catalog& catalog) {
            EXPECT_TRUE(
                RunTask(catalog.WithdrawRelease(Tester(), release.address, release.version, {})));
          }};
}

inline ReferenceKind AttachedKind() {
  const ModuleVersionRecord record = Record("acme/vpc/aws", "1.0.0");
  const Attachment sbom{.name = "a.spdx.json", .digest = Digest::Of("an SBOM"), .size = 7};
  return {
      .name = "an attachment of a module's version",
      .digests = {sbom.digest},
      .prepare =
          [record](Catalog& catalog) {
            const BlobObject object{.name = "archive", .digest = record.digest, .size = 1};
            ASSERT_TRUE(RunTask(catalog.Arrive(object)));
            ASSERT_TRUE(RunTask(catalog.CompleteUpload(object.name)));
            ASSERT_TRUE(RunTask(catalog.AddVersion(Tester(), record)));
          },
      .record =
          [record, sbom](Catalog& catalog) {
            return StatusOf(RunTask(catalog.AddAttachment(
                Tester(), SearchSubject::Of(record.address, record.version), sbom, 1)));
          },
      .remove =
          [record](Catalog& catalog) {
            EXPECT_TRUE(RunTask(catalog.Withdraw(Tester(), record.address, record.version, {})));
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
  UpstreamRelease release = SampleUpstreamRelease(kRemote, "1.0.0");
  release.attachments = {SampleUpstreamAttachment("a.spdx.json")};
  return {.name = "another registry's release",
          .digests = {release.sums->digest, release.signature->digest,
                      release.attachments[0].file.digest},
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

inline ReferenceKind LaterAttachmentKind() {
  const UpstreamRelease bare = [] {
    UpstreamRelease release = SampleUpstreamRelease(kRemote, "1.0.0");
    release.sums.reset();
    release.signature.reset();
    return release;
  }();
  UpstreamRelease attached = bare;
  attached.attachments = {SampleUpstreamAttachment("a.spdx.json")};
  return {.name = "a later attachment of another registry's release",
          .digests = {attached.attachments[0].file.digest},
          .prepare =
              [bare](Catalog& catalog) { ASSERT_TRUE(RunTask(catalog.PinRelease(bare, false))); },
          .record =
              [attached](Catalog& catalog) {
                return StatusOf(RunTask(catalog.PinAttachments(attached)));
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
  return {ModuleKind(),  ReleaseKind(),        AttachedKind(),        DraftKind(),
          PinKind(),     LaterDocumentsKind(), LaterAttachmentKind(), HoldKind(),
          PinHeldKind(), ImportKind(),         HeldModuleKind(false), HeldModuleKind(true)};
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
