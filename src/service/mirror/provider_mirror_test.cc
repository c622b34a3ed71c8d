// The mirror over a real catalog, with an upstream that does what the test says.
#include "service/mirror/provider_mirror.h"
#include "base/manual_clock_fake.h"
#include "service/mirror/gate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <future>
#include <map>
#include <mutex>
#include <thread>

#include "base/run_task.h"
#include "base/temp_folder_fake.h"
#include "blobs/blob_texts_fake.h"
#include "blobs/fs/fs_blob_store.h"
#include "blobs/memory/memory_blob_store.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/replica_catalog.h"
#include "catalog/upstream_catalog.h"
#include "domain/replica_record.h"
#include "obs/log.h"
#include "obs/log_capture_fake.h"
#include "service/common/change_feed.h"
#include "service/common/last_used_tracker.h"
#include "service/common/refused_updates_fake.h"
#include "service/mirror/mirror.h"
#include "service/mirror/mirror_setup.h"
#include "service/mirror/mirror_upkeep.h"
#include "service/mirror/provider_mirror_fixture_fake.h"
#include "service/mirror/upstream_fake.h"
#include "service/search/index_queue.h"

namespace koya::service {
namespace {

class ProviderMirrorTest : public ProviderMirrorFixture {};

TEST_F(ProviderMirrorTest, AsksUpstreamOnceWhileTheListIsFresh) {
  auto list = List();
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->document->versions.size(), 2U);
  EXPECT_FALSE(list->stale);
  ASSERT_TRUE(List());
  EXPECT_EQ(upstream_.asked_versions, 1);
  clock_.now += 301;
  upstream_.unchanged = true;
  ASSERT_TRUE(List());  // confirmed by a 304
  EXPECT_EQ(upstream_.asked_versions, 2);
  clock_.now += 301;
  upstream_.unchanged = false;
  upstream_.versions.emplace_back("2.0.0");
  EXPECT_EQ(List()->document->versions.size(), 3U);
}

TEST_F(ProviderMirrorTest, AListConfirmedWhileTheClockWasAheadIsAskedForAgain) {
  constexpr UnixSeconds kAhead = 4 * 365 * 86'400;
  clock_.now += kAhead;
  ASSERT_TRUE(List());
  EXPECT_EQ(upstream_.asked_versions, 1);
  clock_.now -= kAhead;
  upstream_.unchanged = false;
  upstream_.versions.emplace_back("2.0.0");
  EXPECT_EQ(List()->document->versions.size(), 3U);
  EXPECT_EQ(upstream_.asked_versions, 2);
  EXPECT_EQ(List()->document->versions.size(), 3U) << "and kept in place of the older one";
  EXPECT_EQ(upstream_.asked_versions, 2);
}

TEST_F(ProviderMirrorTest, ServesWhatItHoldsWhileUpstreamFails) {
  ASSERT_TRUE(List());
  clock_.now += 3600;
  for (ErrorKind kind : {ErrorKind::kBadUpstream, ErrorKind::kUpstreamTimeout,
                         ErrorKind::kUnavailable, ErrorKind::kNotFound}) {
    upstream_.failure = Error{kind, "failing", {}};
    auto list = List();
    ASSERT_TRUE(list) << ErrorKindName(kind);
    EXPECT_TRUE(list->stale);
    EXPECT_EQ(list->document->versions.size(), 2U);
  }
  upstream_.failure.reset();
  EXPECT_FALSE(List()->stale);
}

TEST_F(ProviderMirrorTest, TellsTheFailureWhenNothingIsHeld) {
  for (ErrorKind kind : {ErrorKind::kBadUpstream, ErrorKind::kUpstreamTimeout,
                         ErrorKind::kUnavailable, ErrorKind::kNotFound}) {
    upstream_.failure = Error{kind, "failing", {}};
    EXPECT_EQ(List().error().kind, kind);
    EXPECT_EQ(Find().error().kind, kind);
    EXPECT_EQ(Open().error().kind, kind);
  }
}

TEST_F(ProviderMirrorTest, PinsEveryPlatformOfARelease) {
  auto release = Find();
  ASSERT_TRUE(release) << release.error().message;
  ASSERT_EQ(release->packages.size(), 2U);
  EXPECT_EQ(release->packages[0].digest, Digest::Of(Expected("darwin_arm64")));
  EXPECT_TRUE(release->fit_for_origin);
  EXPECT_FALSE(release->packages[0].held);
  ASSERT_TRUE(Find());
  EXPECT_EQ(upstream_.asked_downloads, 1);
  auto sums = Open("terraform-provider-demo_1.0.0_SHA256SUMS");
  ASSERT_TRUE(sums);
  EXPECT_TRUE(Read(*sums).contains(release->packages[0].digest.hex()));
  EXPECT_TRUE(Open("terraform-provider-demo_1.0.0_SHA256SUMS.sig"));
  EXPECT_EQ(Open("other.zip").error().kind, ErrorKind::kNotFound);
}

TEST_F(ProviderMirrorTest, FetchesAPackageOnceAndKeepsIt) {
  auto first = Open();
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_TRUE(first->blob->growth());
  EXPECT_EQ(Read(*first), Expected());
  Settle();
  auto second = Open();
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->blob->growth());
  EXPECT_EQ(Read(*second), Expected());
  EXPECT_EQ(upstream_.asked_archives, 1);
  EXPECT_EQ(upstream_.asked_downloads, 1);  // the description served for the fill as well
  auto release = Find();
  EXPECT_TRUE(release->packages[1].held);
  EXPECT_EQ(release->packages[1].size, Expected().size());
  ASSERT_EQ(release->packages[1].hashes.size(), 1U);
  EXPECT_TRUE(release->packages[1].hashes[0].starts_with("h1:"));
  upstream_.failure = kRegistryDown;  // upstream is not asked any more
  EXPECT_EQ(Read(*Open()), Expected());
}

TEST_F(ProviderMirrorTest, TheFirstPackageOfAReleaseBringsItIntoSearches) {
  ASSERT_TRUE(Find());
  EXPECT_EQ(index_.waiting(), 0U) << "nothing is held of what is pinned";
  EXPECT_EQ(Read(*Open()), Expected());
  Settle();
  EXPECT_EQ(index_.waiting(), 1U);
  EXPECT_EQ(Read(*Open(File("darwin_arm64"))), Expected("darwin_arm64"));
  EXPECT_EQ(Read(*Open()), Expected());
  Settle();
  EXPECT_EQ(index_.waiting(), 1U) << "the others find it there";
}

TEST_F(ProviderMirrorTest, APackageWhoseUseCannotBeNotedIsServedAllTheSame) {
  EXPECT_EQ(Read(*Open()), Expected());
  Settle();
  clock_.now += 7200;
  RefuseUpdates(catalog_.file(), "held_blob", "used_at");
  auto held = Open();
  ASSERT_TRUE(held) << held.error().message;
  EXPECT_EQ(Read(*held), Expected());
  RunTask(uses_->Write());
  EXPECT_TRUE(Open());
}

TEST_F(ProviderMirrorTest, AStampedeMakesOneRequest) {
  std::mutex mutex;
  std::condition_variable everybody_is_here;
  int here = 0;
  constexpr int kClients = 20;
  upstream_.hold = [&] {
    std::unique_lock lock(mutex);
    everybody_is_here.wait(lock, [&] { return here == kClients; });
  };
  std::atomic<int> whole = 0;
  {
    std::vector<std::jthread> clients;
    for (int i = 0; i < kClients; ++i) {
      clients.emplace_back([&] {
        auto file = Open();
        ASSERT_TRUE(file) << file.error().message;
        {
          std::lock_guard lock(mutex);
          ++here;
        }
        everybody_is_here.notify_all();
        if (Read(*file) == Expected()) ++whole;
      });
    }
  }
  EXPECT_EQ(whole, kClients);
  EXPECT_EQ(upstream_.asked_archives, 1);
  EXPECT_EQ(upstream_.asked_versions, 0);  // the file's name says which platform it is for
  EXPECT_EQ(upstream_.asked_downloads, 1);
}

TEST_F(ProviderMirrorTest, WrongBytesAreCutOffAndNotKept) {
  upstream_.spoil = true;
  std::promise<void> opened;
  upstream_.hold = [go = opened.get_future().share()] { go.wait(); };  // nothing is wrong so far
  auto file = Open();
  opened.set_value();
  ASSERT_TRUE(file);
  EXPECT_EQ(Read(*file), "");
  EXPECT_EQ(RunTask(file->blob->growth()->WaitForEnd()).error().kind, ErrorKind::kBadUpstream);
  EXPECT_EQ(mirror_->provider_fetch.counters().changed, 1U);
  Settle();
  EXPECT_FALSE(Find()->packages[1].held);
  EXPECT_FALSE(RunTask(blobs_->Open(Digest::Of(Expected()))));
  upstream_.spoil = false;  // the next request gets the right bytes
  EXPECT_EQ(Read(*Open()), Expected());
}

TEST_F(ProviderMirrorTest, NothingReplacesWhatWasSeenFirst) {
  ASSERT_TRUE(Find());
  Digest first = Find()->packages[1].digest;
  Settle();  // forgets where the package lay
  upstream_.salt = "released again";
  clock_.now += 3600;
  auto file = Open();
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::kBadUpstream);
  EXPECT_TRUE(file.error().message.contains("has changed upstream")) << file.error().message;
  EXPECT_EQ(Find()->packages[1].digest, first);
  EXPECT_EQ(mirror_->provider_fetch.counters().changed, 1U);
}

TEST_F(ProviderMirrorTest, AChangeIsNoticedAlsoIfTheRegistryKeepsItsFirstDocuments) {
  using Ahead = ProviderMirror::Ahead;
  const auto look = [&] {
    return RunTask(mirror_->providers.LookAhead(Demo(), *Version::Parse("1.0.0")));
  };
  EXPECT_EQ(look().value(), Ahead::kPinned);
  upstream_.indexed_shasum = Find()->packages[0].digest.hex();
  EXPECT_EQ(look().value(), Ahead::kSame);
  upstream_.salt = "released again";
  EXPECT_EQ(look().value(), Ahead::kChanged);
  upstream_.salt.clear();
  upstream_.indexed_shasum = std::string(64, '0');  // SHA256SUMS is the one seen first
  EXPECT_EQ(look().error().kind, ErrorKind::kBadUpstream);
}

TEST_F(ProviderMirrorTest, APinnedReleaseThatItsRegistryLostIsNotNotFound) {
  ASSERT_TRUE(Find());
  for (bool whole : {true, false}) {
    Settle();  // forgets where the package lay
    clock_.now += 3600;
    upstream_.no_url = !whole;
    upstream_.failure.reset();
    if (whole) upstream_.failure = Error{ErrorKind::kNotFound, "the document answered 404", {}};
    auto file = Open();
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().kind, ErrorKind::kBadUpstream) << file.error().message;
  }
}

TEST_F(ProviderMirrorTest, APackageThatIsPinnedIsNeverNotFoundBecauseUpstreamRemovedIt) {
  ASSERT_TRUE(Find());
  const Error gone{ErrorKind::kNotFound, "it is gone", {}};
  upstream_.archive_failure = gone;
  EXPECT_EQ(Open().error().kind, ErrorKind::kBadUpstream);
  Settle();  // forgets where the package lay
  upstream_.failure = gone;
  EXPECT_EQ(Open().error().kind, ErrorKind::kBadUpstream);
}

TEST_F(ProviderMirrorTest, HostsAndPolicyDecideWhatIsPulled) {
  auto other = RunTask(mirror_->providers.ListVersions(Demo("other.example.org")));
  EXPECT_EQ(other.error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(upstream_.asked_versions, 0);
  mirror_->policy = Policy({"*/acme/*"});
  mirror_->gate.Invalidate("");
  EXPECT_EQ(List().error().kind, ErrorKind::kForbidden);
  EXPECT_EQ(Find().error().kind, ErrorKind::kForbidden);
  EXPECT_EQ(Open().error().kind, ErrorKind::kForbidden);
  EXPECT_EQ(upstream_.asked_versions, 0);
}

// What an import without SHA256SUMS leaves: one platform, of these bytes.
UpstreamRelease Imported(const UpstreamProvider& provider, std::string_view zip) {
  return {.provider = provider,
          .version = *Version::Parse("1.0.0"),
          .protocols = {},
          .sums = {},
          .signature = {},
          .keys = {},
          .fit_for_origin = false,
          .packages = {{.platform = *Platform::Parse("linux_amd64"),
                        .filename = "terraform-provider-demo_1.0.0_linux_amd64.zip",
                        .digest = Digest::Of(zip),
                        .size = zip.size(),
                        .hashes = {}}},
          .seen_at = 1};
}

TEST_F(ProviderMirrorTest, AnImportedReleaseGetsItsDocumentsFromItsRegistry) {
  Platform platform = *Platform::Parse("linux_amd64");
  Version version = *Version::Parse("1.0.0");
  ASSERT_TRUE(RunTask(catalog_.upstream_releases().PinRelease(Imported(Demo(), Expected()), true)));
  EXPECT_FALSE(Find()->signature);  // the mirror needs none
  upstream_.failure = kRegistryDown;
  auto without = RunTask(mirror_->providers.FindSigned(Demo(), version, platform));
  ASSERT_TRUE(without);
  EXPECT_FALSE(without->signature);
  // Of a platform that is not here nothing is known while the registry fails.
  auto other =
      RunTask(mirror_->providers.FindSigned(Demo(), version, *Platform::Parse("darwin_arm64")));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::kBadUpstream);
  upstream_.failure.reset();
  auto with = RunTask(mirror_->providers.FindSigned(Demo(), version, platform));
  ASSERT_TRUE(with) << with.error().message;
  EXPECT_TRUE(with->signature);
  EXPECT_TRUE(with->fit_for_origin);
  EXPECT_EQ(with->packages.size(), 2U);
  int asked = upstream_.asked_downloads;
  EXPECT_TRUE(RunTask(mirror_->providers.FindSigned(Demo(), version, platform))->signature);
  EXPECT_EQ(upstream_.asked_downloads, asked);
}

TEST_F(ProviderMirrorTest, AnImportedReleaseThatContradictsItsRegistryStaysAsItIs) {
  ASSERT_TRUE(
      RunTask(catalog_.upstream_releases().PinRelease(Imported(Demo(), "other bytes"), true)));
  auto found = RunTask(mirror_->providers.FindSigned(Demo(), *Version::Parse("1.0.0"),
                                                     *Platform::Parse("linux_amd64")));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_FALSE(found->signature);
  EXPECT_FALSE(found->fit_for_origin);
  EXPECT_EQ(Find()->packages.size(), 1U) << "no platform of another release beside it";
  EXPECT_EQ(mirror_->provider_fetch.counters().changed, 1U);
  auto linux = std::ranges::find(found->packages, *Platform::Parse("linux_amd64"),
                                 &UpstreamPackage::platform);
  ASSERT_NE(linux, found->packages.end());
  EXPECT_EQ(linux->digest, Digest::Of("other bytes"));
}

// From the request to the first byte that can be sent. Every catalog call and every commit is a way
// there and back; the transfer's own thread does the rest.
TEST_F(ProviderMirrorTest, AColdZipCostsEightChangesOfThreadUntilItsFirstByte) {
  blobs_ = *FsBlobStore::Open(folder_ / "blobs", {blob_workers_, blob_workers_, open_files_});
  Settle();
  std::promise<void> release;
  std::shared_future<void> go = release.get_future().share();
  upstream_.hold = [go] { go.wait(); };  // after the first piece
  ASSERT_TRUE(RunTask(mirror_->gate.ReadPolicy()));
  std::uint64_t before = HandOvers();
  auto file = Open();
  ASSERT_TRUE(file) << file.error().message;
  std::array<std::byte, 1> first{};
  EXPECT_EQ(RunTask(file->blob->ReadAt(0, first)).value(), 1U);
  // Look in the catalog (2), begin on a thread of the pool (1), store the release's documents (2),
  // pin it (2), wake the reader (1).
  EXPECT_LE(HandOvers() - before, 8U);
  EXPECT_EQ(upstream_.asked_downloads, 1);
  release.set_value();
  EXPECT_EQ(Read(*file), Expected());
}

TEST_F(ProviderMirrorTest, AServerThatIsAloneTakesNoLease) {
  std::promise<void> release;
  upstream_.hold = [go = release.get_future().share()] { go.wait(); };  // after the first piece
  auto file = Open();
  ASSERT_TRUE(file) << file.error().message;
  std::array<std::byte, 1> first{};
  EXPECT_EQ(RunTask(file->blob->ReadAt(0, first)).value(), 1U);
  EXPECT_TRUE(RunTask(catalog_.leases().ListLeases()).value().empty()) << "while it arrives";
  release.set_value();
  EXPECT_EQ(Read(*file), Expected());
  Settle();
  EXPECT_TRUE(Find()->packages[1].held);
}

TEST_F(ProviderMirrorTest, AZipWhosePlatformItsNameSaysNeedsNoListOfVersions) {
  upstream_.versions.clear();  // and would not be found by one
  auto file = Open();
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(Read(*file), Expected());
  EXPECT_EQ(upstream_.asked_versions, 0);
  EXPECT_EQ(Find()->packages.size(), 2U);  // pinned with all its platforms, as ever
}

TEST_F(ProviderMirrorTest, APackageLargerThanTheLimitIsRefusedBeforeAByte) {
  upstream_.package_size = 1ULL << 50;
  // Nor is it said that the disk is too small for it.
  auto full = [](const std::filesystem::path&) {
    return DiskSpace{.blocks = 1000, .free_blocks = 600};
  };
  Settle({.provider_fetch = {.zip_bytes = 1000,
                             .room = {.folder = "/", .least_percent = 50, .look = full}}});
  auto file = Open();
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::kBadUpstream);
  EXPECT_TRUE(file.error().message.contains("limits.provider_zip_bytes")) << file.error().message;
  EXPECT_EQ(upstream_.asked_archives, 0);
}

TEST_F(ProviderMirrorTest, APullEndsWhenTheDiskFillsWhileItArrives) {
  ASSERT_TRUE(Find());
  int good = 0;
  for (bool whole = false; !whole; ++good) {
    ASSERT_LT(good, 100);
    auto look = [left = std::make_shared<int>(good)](const std::filesystem::path&) {
      return DiskSpace{.blocks = 1000, .free_blocks = (*left)-- > 0 ? 1'000'000U : 0U};
    };
    DiskQuota room{.folder = "/", .least_percent = 50, .look_every = 1000, .look = look};
    Settle({.provider_fetch = {.room = room}});
    auto file = Open();
    whole = file && Read(*file) == Expected();
    if (whole) continue;
    Error error = file ? RunTask(file->blob->growth()->WaitForEnd()).error() : file.error();
    EXPECT_EQ(error.kind, ErrorKind::kStorageFull) << error.message;
    EXPECT_FALSE(Find()->packages[1].held);
  }
  // Before it is asked for, when its length is known, and as it arrives.
  EXPECT_GE(good - 1, 2 + static_cast<int>(Expected().size() / 1000));
}

TEST_F(ProviderMirrorTest, AnAnnouncedLengthThatDoesNotFitIsRefusedBeforeAByte) {
  DiskSpace disk{.blocks = 10'000, .free_blocks = 5'000 + Expected().size() - 1};
  auto look = [&disk](const std::filesystem::path&) { return disk; };
  Settle({.provider_fetch = {.room = {.folder = "/", .least_percent = 50, .look = look}}});
  auto file = Open();
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::kStorageFull) << file.error().message;
  EXPECT_EQ(mirror_->provider_fetch.counters().bytes, 0U);
  ++disk.free_blocks;
  auto again = Open();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(Read(*again), Expected());
}

TEST_F(ProviderMirrorTest, AReportedSizeIsNoLicenceBeyondTheLimit) {
  auto refused = [this](const char* version, std::uint64_t reported, std::uint64_t limit) {
    upstream_.package_size = reported;
    Settle({.provider_fetch = {.zip_bytes = limit}});
    std::string file = fmt::format("terraform-provider-demo_{}_linux_amd64.zip", version);
    return !RunTask(mirror_->providers.OpenFile(Demo(), *Version::Parse(version), file));
  };
  const std::uint64_t size = Expected().size();  // about that of both versions
  EXPECT_TRUE(refused("1.0.0", size - 20, size + 100));
  EXPECT_EQ(upstream_.most_bytes, size - 20);
  EXPECT_TRUE(refused("1.1.0", 0, size - 10));  // nothing is said of its size
  EXPECT_EQ(upstream_.most_bytes, size - 10);
}

TEST_F(ProviderMirrorTest, AKeptPackageThatTheArchiveRulesRefuseIsLoggedAndHasNoHashOfUpstreams) {
  upstream_.h1 = "h1:" + std::string(43, 'A') + "=";
  upstream_.package_size = Expected().size();
  ArchiveLimits limits{.unpacked_bytes = 10, .unpacked_name = kProviderUnpackedLimit};
  Settle({.provider_fetch = {.archive = limits}});
  auto pinned = Find();
  ASSERT_TRUE(pinned) << pinned.error().message;
  EXPECT_EQ(pinned->packages[1].hashes, std::vector{upstream_.h1}) << "as reported";
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Read(*Open()), Expected());
    Settle({.provider_fetch = {.archive = limits}});
  }
  EXPECT_EQ(upstream_.asked_archives, 1);
  EXPECT_TRUE(Find()->packages[1].held);
  EXPECT_EQ(Find()->packages[1].hashes, std::vector<std::string>());
  int told = 0;
  int counted = 0;
  for (const auto& line : captured_.Lines()) {
    const std::string message(line.at("message").as_string());
    told += message.starts_with("a package is stored that would be rejected") ? 1 : 0;
    const auto* limit = line.if_contains("limit");
    counted += limit != nullptr && limit->as_string() == "limits.provider_unpacked_bytes" ? 1 : 0;
  }
  EXPECT_EQ(told, 1);
  EXPECT_EQ(counted, 1);
}

TEST_F(ProviderMirrorTest, WhoWaitsForADocumentIsToldInTimeAlsoFromTheQueue) {
  std::promise<void> release;
  std::shared_future<void> go = release.get_future().share();
  upstream_.before_versions = [go] { go.wait(); };
  Settle({.providers = {.document_timeout = std::chrono::milliseconds(50)}});
  auto list = List();
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().kind, ErrorKind::kUpstreamTimeout);
  EXPECT_TRUE(list.error().message.contains("did not respond in time")) << list.error().message;
  auto release_found = Find();  // needs the list too
  ASSERT_FALSE(release_found);
  EXPECT_EQ(release_found.error().kind, ErrorKind::kUpstreamTimeout);
  release.set_value();
}

TEST_F(ProviderMirrorTest, WhoWaitsForAPackageIsToldToComeBack) {
  std::promise<void> release;
  std::shared_future<void> go = release.get_future().share();
  upstream_.before_archive = [go] { go.wait(); };
  Settle({.providers = {.package_timeout = std::chrono::milliseconds(50), .retry_after = 7}});
  auto file = Open();
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(file.error().retry_after, 7U);
  release.set_value();
  mirror_.reset();  // the fill went on
  Settle();
  EXPECT_EQ(Read(*Open()), Expected());
  EXPECT_EQ(upstream_.asked_archives, 1);
}

TEST_F(ProviderMirrorTest, DocumentsThatAreGoneComeBackAndAreNeverNotFound) {
  const std::string kSums = "terraform-provider-demo_1.0.0_SHA256SUMS";
  const std::string text = Read(*Open(kSums));
  Digest digest = Find()->sums->digest;
  auto lose = [&] {
    ASSERT_EQ(RunTask(blobs_->RemoveIfOlder(digest, std::chrono::seconds(0))), true);
  };
  lose();
  auto again = Open(kSums);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(Read(*again), text);
  for (ErrorKind passing : {ErrorKind::kUnavailable, ErrorKind::kUpstreamTimeout}) {
    lose();
    upstream_.failure = Error{passing, "not now", {}};
    EXPECT_EQ(Open(kSums).error().kind, passing);
    upstream_.failure.reset();
    ASSERT_TRUE(Open(kSums));
  }
  for (bool down : {true, false}) {
    lose();
    upstream_.failure = down ? std::optional(kRegistryDown) : std::nullopt;
    upstream_.salt = "released again";
    auto gone = Open(kSums);
    ASSERT_FALSE(gone);
    EXPECT_EQ(gone.error().kind, ErrorKind::kCorrupt) << gone.error().message;
    upstream_.failure.reset();
    upstream_.salt.clear();
    ASSERT_TRUE(Open(kSums));
  }
}

TEST_F(ProviderMirrorTest, ReleaseTimesAreKeptAsTheyWereFirstKnown) {
  upstream_.discovered["1.0.0"] = "2026-04-07T10:11:12.5Z";
  upstream_.discovered["1.1.0"] = "soon";
  auto list = List();
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->times.FindTime("1.0.0"), ParseTimestamp("2026-04-07T10:11:12Z"));
  EXPECT_EQ(list->times.FindTime("1.1.0"), std::nullopt)
      << "the first list has versions of any age";
  EXPECT_EQ(list->document->versions.front().discovered, "") << "the times are stored apart";
  upstream_.unchanged = false;
  upstream_.discovered["1.0.0"] = "2020-01-01T00:00:00Z";
  upstream_.versions.emplace_back("1.2.0");
  clock_.now += 1000;
  list = List();
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->times.FindTime("1.0.0"), ParseTimestamp("2026-04-07T10:11:12Z"));
  EXPECT_EQ(list->times.FindTime("1.2.0"), std::optional<UnixSeconds>(clock_.now));
  upstream_.versions = {"1.0.0"};
  clock_.now += 1000;
  ASSERT_TRUE(List());
  upstream_.versions = {"1.0.0", "1.2.0"};
  clock_.now += 1000;
  EXPECT_EQ(List()->times.FindTime("1.2.0"), std::optional<UnixSeconds>(clock_.now - 2000))
      << "a version that comes back is as old as before";
}

TEST_F(ProviderMirrorTest, DetailsAreAskedForOnceWhenAVersionOfTheFirstListIsUsed) {
  struct Case {
    std::string published;
    std::optional<Error> failure;
    std::optional<UnixSeconds> time;
    bool again;  // may be asked for later
  };
  const Case kCases[] = {
      {"2026-04-07T10:11:12Z", {}, ParseTimestamp("2026-04-07T10:11:12Z"), false},
      {"", {}, {}, false},
      {"2999-04-07T10:11:12Z", {}, {}, false},
      {"", Error{ErrorKind::kNotFound, "no details", {}}, {}, false},
      {"", kRegistryDown, {}, true}};
  for (const Case& each : kCases) {
    TestCatalog catalog;
    upstream_.published["1.0.0"] = each.published;
    upstream_.details_source =
        each.published.empty() ? "http://github.com/acme/demo" : "https://me@github.com/acme/demo";
    upstream_.details_failure = each.failure;
    upstream_.asked_details = 0;
    auto mirror = std::make_unique<Mirror>(
        MirrorDependencies{catalog, *blobs_, *changes_, clock_, *uses_, log_, upstream_, modules_},
        MirrorSetup{.policy = Policy()});
    ASSERT_TRUE(RunTask(mirror->providers.ListVersions(Demo())));
    for (int i = 0; i < 2; ++i) {
      ASSERT_TRUE(
          RunTask(mirror->providers.FindRelease(Demo(), *Version::Parse("1.0.0"), std::nullopt)));
    }
    mirror.reset();  // waits
    EXPECT_EQ(upstream_.asked_details, 1) << each.published;
    auto stored = RunTask(catalog.upstream_documents().FindDocument(
        "provider-versions:registry.example.org/acme/demo"));
    ASSERT_TRUE(stored) << stored.error().message;
    EXPECT_EQ(stored->times.FindTime("1.0.0"), each.time) << each.published;
    EXPECT_EQ(stored->times.MayAskFor("1.0.0"), each.again) << each.published;
    EXPECT_TRUE(stored->times.MayAskFor("1.1.0")) << "no client asked for it";
    EXPECT_EQ(stored->source.has_value(), !each.published.empty());
    if (stored->source) EXPECT_EQ(stored->source->url(), "https://github.com/acme/demo");
  }
}

TEST_F(ProviderMirrorTest, SignersOfOldReleasesAreRecorded) {
  ASSERT_TRUE(Find());
  auto pinned = [this](const char* version) {
    return RunTask(
        catalog_.upstream_releases().FindUpstreamRelease(Demo(), *Version::Parse(version)));
  };
  const UpstreamRelease known = pinned("1.0.0").value();
  ASSERT_FALSE(known.signer.empty());
  UpstreamRelease old = known;
  old.version = *Version::Parse("0.9.0");
  old.signer = "";
  UpstreamRelease damaged = old;
  damaged.version = *Version::Parse("0.8.0");
  damaged.sums = known.signature;
  ASSERT_TRUE(RunTask(catalog_.upstream_releases().PinRelease(old, false)));
  ASSERT_TRUE(RunTask(catalog_.upstream_releases().PinRelease(damaged, false)));
  upstream_.failure = kRegistryDown;
  const std::atomic<bool> stop = false;
  SignerBackfill backfill(mirror_->context, mirror_->inventory);
  const auto report = RunTask(backfill.Run(stop));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->recorded, 1U);
  EXPECT_EQ(report->unknown, 1U);
  EXPECT_EQ(pinned("0.9.0")->signer, known.signer);
  EXPECT_EQ(pinned("0.8.0")->signer, "");
  EXPECT_EQ(RunTask(backfill.Run(stop))->recorded, 0U);
}

TEST_F(ProviderMirrorTest, AListThatWasStoredWithoutTimesIsAskedForInWhole) {
  ASSERT_TRUE(RunTask(catalog_.upstream_documents().PutDocument(
      {.key = "provider-versions:registry.example.org/acme/demo",
       .body = R"({"versions":[]})",
       .etag = "\"v\"",
       .last_modified = ""})));
  upstream_.discovered["1.0.0"] = "2026-04-07T10:11:12Z";
  auto list = List();
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->times.FindTime("1.0.0"), ParseTimestamp("2026-04-07T10:11:12Z"));
  EXPECT_EQ(list->times.FindTime("1.1.0"), std::nullopt);
}

TEST_F(ProviderMirrorTest, ALongListIsDecodedOffTheLoop) {
  for (int i = 0; i < 1000; ++i) upstream_.versions.push_back(fmt::format("2.{}.0", i));
  ASSERT_TRUE(List());
  std::uint64_t before = HandOvers();
  ASSERT_TRUE(RunTask(catalog_.upstream_releases().ListUpstreamVersions(Demo())));
  std::uint64_t one_call = HandOvers() - before;
  before = HandOvers();
  EXPECT_EQ(List()->document->versions.size(), 1002U);  // fresh: two calls of the catalog
  EXPECT_EQ(HandOvers() - before, 3 * one_call);
}

TEST_F(ProviderMirrorTest, AStopEndsWhatWaitsForUpstream) {
  upstream_.until_stopped = true;
  std::jthread stopper([this] {
    upstream_.archive_began.get_future().wait();
    mirror_->pools.Stop();
  });
  // The stop may come before the answer began, or cut it.
  auto file = Open();
  if (file) EXPECT_EQ(Read(*file), "");
  if (!file) EXPECT_EQ(file.error().kind, ErrorKind::kUnavailable) << file.error().message;
  stopper.join();
  auto other = RunTask(mirror_->providers.OpenFile(
      Demo(), *Version::Parse("1.1.0"), "terraform-provider-demo_1.1.0_linux_amd64.zip"));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::kUnavailable) << other.error().message;
}

}  // namespace
}  // namespace koya::service
