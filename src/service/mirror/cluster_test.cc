// Several servers that fetch the same thing from other registries at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/manual_clock_fake.h"
#include "base/run_task.h"
#include "base/temp_folder_fake.h"
#include "blobs/blob_store.h"
#include "blobs/blob_texts_fake.h"
#include "blobs/memory/memory_blob_store.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/replica_catalog.h"
#include "obs/log.h"
#include "obs/log_capture_fake.h"
#include "peers/peer_fills.h"
#include "service/common/change_feed.h"
#include "service/common/last_used_tracker.h"
#include "service/common/leases.h"
#include "service/mirror/fetch_lease.h"
#include "service/mirror/mirror.h"
#include "service/mirror/mirror_setup.h"
#include "service/mirror/upstream_fake.h"

namespace koya::service {
namespace {

// The network between the servers, which read one another's fills. Threads: any.
class FakePeers final : public peers::PeerSource {
 public:
  enum class Mood { kGood, kDead, kSilent };

  void Add(const std::string& address, const peers::FillOffers& offers) {
    std::lock_guard lock(mutex_);
    offers_[address] = &offers;
  }
  // From now on, for those who read there already, too.
  void Set(const std::string& address, Mood mood) {
    std::lock_guard lock(mutex_);
    moods_[address] = mood;
    changed_.notify_all();
  }
  // Waits until so many bytes, of all readers, have gone over.
  void WaitForBytes(std::uint64_t bytes) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return bytes_ >= bytes; });
  }
  int asked() const { return asked_; }

  Result<peers::PeerAnswer> Fetch(const peers::PeerTransfer& transfer) override {
    ++asked_;
    if (std::optional<peers::PeerAnswer> answer = Answer(transfer.address)) return *answer;
    std::shared_ptr<Fill> fill = offers_.at(transfer.address)->FindFill(transfer.digest);
    if (!fill) return peers::PeerAnswer{peers::PeerEnd::kGone, "it is not fetching this"};
    auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    Error late{ErrorKind::kUnavailable, "nothing yet", {}};
    Result<Fill::Opened> opened = RunTask(fill->Open(soon, std::move(late)));
    if (!opened) return peers::PeerAnswer{peers::PeerEnd::kBroken, opened.error().message};
    RETURN_IF_ERROR(transfer.on_start(opened->blob->size()));
    return Read(transfer, opened->blob);
  }

  std::atomic<bool> flip = false;  // the first byte of what goes over

 private:
  std::optional<peers::PeerAnswer> Answer(const std::string& address) {
    std::lock_guard lock(mutex_);
    Mood mood = moods_[address];
    if (mood == Mood::kDead) return peers::PeerAnswer{peers::PeerEnd::kGone, "refused"};
    if (mood == Mood::kSilent) return peers::PeerAnswer{peers::PeerEnd::kSilent, "silent"};
    return std::nullopt;
  }
  // A reader whose fill does not go on looks now and then whether the server is still there.
  Result<peers::PeerAnswer> Read(const peers::PeerTransfer& transfer,
                                 const std::shared_ptr<Blob>& blob) {
    std::vector<std::byte> piece(64 * 1024);
    std::uint64_t at = transfer.offset;
    while (at < blob->size()) {
      std::shared_ptr<Fill> growth = blob->growth();
      bool more = !growth || HasBeyond(growth, at);
      std::optional<peers::PeerAnswer> answer = Answer(transfer.address);
      if (answer && answer->end == peers::PeerEnd::kGone) answer->end = peers::PeerEnd::kBroken;
      if (answer) return *answer;
      if (!more) continue;
      Result<std::size_t> got = RunTask(blob->ReadAt(at, piece));
      if (!got) return peers::PeerAnswer{peers::PeerEnd::kBroken, got.error().message};
      if (at == 0 && flip) piece[0] ^= std::byte{1};
      RETURN_IF_ERROR(transfer.sink(std::span(piece).first(*got)));
      at += *got;
      std::lock_guard lock(mutex_);
      bytes_ += *got;
      changed_.notify_all();
    }
    return peers::PeerAnswer{peers::PeerEnd::kComplete};
  }
  // For a moment: then it is looked whether the server is still there.
  static bool HasBeyond(const std::shared_ptr<Fill>& fill, std::uint64_t at) {
    boost::asio::io_context loop(1);
    boost::asio::cancellation_signal enough;
    std::optional<Result<std::uint64_t>> end;
    auto ended = [](const std::exception_ptr&) {};
    boost::asio::co_spawn(loop, StoreOutcome(fill->WaitBeyond(at), &end),
                          boost::asio::bind_cancellation_slot(enough.slot(), ended));
    loop.run_for(std::chrono::milliseconds(20));
    if (!end) enough.emit(boost::asio::cancellation_type::terminal);
    loop.run();
    return end.has_value();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, const peers::FillOffers*> offers_;
  std::map<std::string, Mood> moods_;
  std::uint64_t bytes_ = 0;
  std::atomic<int> asked_ = 0;
};

using Mood = FakePeers::Mood;

// A database that does not answer when it is asked for leases.
class LostLeases final : public LeaseCatalog {
 public:
  Task<bool> TakeLease(LeaseRecord, std::chrono::seconds) override { co_return Lost(); }
  Task<bool> TakeLeaseOver(LeaseRecord, std::string, std::chrono::seconds) override {
    co_return Lost();
  }
  Task<std::vector<std::string>> KeepLeases(std::string, std::chrono::seconds) override {
    co_return Lost();
  }
  Task<void> GiveLeaseBack(std::string, std::string) override { co_return Lost(); }
  Task<std::vector<LeaseRecord>> ListLeases() override { co_return Lost(); }
  Task<std::optional<LeaseRecord>> FindLease(std::string) override { co_return Lost(); }

 private:
  static Failure Lost() { return FailUnavailable("the catalog does not answer"); }
};

// The real leases, with a count of lookups of other servers' leases.
class WatchedLeases final : public LeaseCatalog {
 public:
  explicit WatchedLeases(LeaseCatalog& real) : real_(real) {}
  Task<bool> TakeLease(LeaseRecord lease, std::chrono::seconds life) override {
    return real_.TakeLease(std::move(lease), life);
  }
  Task<bool> TakeLeaseOver(LeaseRecord lease, std::string from,
                           std::chrono::seconds life) override {
    return real_.TakeLeaseOver(std::move(lease), std::move(from), life);
  }
  Task<std::vector<std::string>> KeepLeases(std::string holder,
                                            std::chrono::seconds life) override {
    return real_.KeepLeases(std::move(holder), life);
  }
  Task<void> GiveLeaseBack(std::string name, std::string holder) override {
    return real_.GiveLeaseBack(std::move(name), std::move(holder));
  }
  Task<std::vector<LeaseRecord>> ListLeases() override { return real_.ListLeases(); }
  Task<std::optional<LeaseRecord>> FindLease(std::string name) override {
    looks_.fetch_add(1);
    looks_.notify_all();
    return real_.FindLease(std::move(name));
  }
  void WaitForLooks(int looks) {
    for (int now = looks_; now < looks; now = looks_) looks_.wait(now);
  }

 private:
  LeaseCatalog& real_;
  std::atomic<int> looks_ = 0;
};

// The change log of a server that shares its catalog: a catalog reports its own changes to one
// feed, which must not be the feed of a server that ends before the others.
class LogOfMany final : public ChangeLog {
 public:
  explicit LogOfMany(ChangeLog& real) : real_(real) {}
  void SetListener(std::function<void(const std::vector<Change>&)>) override {}
  Task<ChangePosition> LatestChange() override { return real_.LatestChange(); }
  Task<std::vector<Change>> ChangesSince(ChangePosition after) override {
    return real_.ChangesSince(std::move(after));
  }
  Task<void> WaitForChange() override { return real_.WaitForChange(); }
  Task<std::string> ServerRun() override { return real_.ServerRun(); }
  bool NotificationsWork() const override { return real_.NotificationsWork(); }

 private:
  ChangeLog& real_;
};

// Holds up who comes, until it is opened.
class Gate {
 public:
  void Pass() {
    std::unique_lock lock(mutex_);
    ++came_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }
  void WaitFor(int came) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return came_ >= came; });
  }
  void Open() {
    std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int came_ = 0;
  bool open_ = false;
};

class ClusterTest : public ::testing::Test {
 protected:
  struct Server {
    Server(ClusterTest& test, LeaseCatalog& lease_catalog, const std::string& at)
        : address(at),
          leases(lease_catalog, "test"),
          log(test.catalog_),
          links{leases, test.peers_, &offers, address},
          changes(log),
          uses(test.catalog_, test.log_),
          mirror(MirrorDependencies{test.catalog_, test.blobs_, changes, test.clock_, uses,
                                    test.log_, test.upstream_, test.modules_, &links},
                 MirrorSetup{.policy = PullPolicy::Make({}, {}, {Demo().host}).value(),
                             .provider_fetch = test.options_,
                             .module_fetch = {.scratch_folder = test.folder_.path()}}) {
      if (!address.empty()) test.peers_.Add(address, offers);
    }
    const FetchCounters& counters() const { return mirror.provider_fetch.counters(); }

    const std::string address;
    Leases leases;
    LogOfMany log;
    peers::FillOffers offers;
    const ClusterLinks links;
    ChangeFeed changes;
    LastUsedTracker uses;
    Mirror mirror;  // last: running fetches use the members above
  };

  // Something that a client asked for, and what became of it.
  struct Client {
    std::future<std::string> text;
    std::string Wait() { return text.get(); }
  };

  // Larger than the piece that readers get at once, and incompressible.
  ClusterTest() {
    std::minstd_rand number(1);
    for (int i = 0; i < 400'000; ++i) upstream_.salt.push_back(static_cast<char>(number() >> 8));
  }

  static UpstreamProvider Demo() {
    return {*HostName::Parse("registry.example.org"), *ProviderAddress::Parse("acme/demo")};
  }
  std::string Expected() { return upstream_.Zip("1.0.0", *Platform::Parse("linux_amd64")); }
  Digest ExpectedDigest() { return Digest::Of(Expected()); }
  std::string LeaseName() { return "fill:" + ExpectedDigest().hex(); }

  Server& Add(const std::string& address) { return Add(address, catalog_); }
  Server& Add(const std::string& address, LeaseCatalog& leases) {
    return *servers_.emplace_back(std::make_unique<Server>(*this, leases, address));
  }
  // As one client sees it: the text, or the failure's kind, or "cut off".
  static std::string ReadAs(Server& server) {
    Result<MirroredFile> file = RunTask(server.mirror.providers.OpenFile(
        Demo(), *Version::Parse("1.0.0"), "terraform-provider-demo_1.0.0_linux_amd64.zip"));
    if (!file) return std::string(ErrorKindName(file.error().kind));
    return RunTask(ReadAll(file->blob)).value_or("cut off");
  }
  static Client Begin(Server& server) {
    return {std::async(std::launch::async, [&server] { return ReadAs(server); })};
  }
  // Waits until running fetches have been stored, or have failed.
  void Settle() { servers_.clear(); }
  std::vector<LeaseRecord> AllLeases() { return RunTask(catalog_.leases().ListLeases()).value(); }
  // As if its holder had not been heard of for ten seconds.
  void RunOut(const std::string& name) {
    LeaseRecord lease = RunTask(catalog_.leases().FindLease(name)).value().value();
    ASSERT_TRUE(RunTask(catalog_.leases().TakeLease(lease, std::chrono::seconds(-1))).value());
  }
  // A server that is dead, and has left its lease behind.
  void LeaveLease(const std::string& name, const std::string& address) {
    LeaseRecord lease{.name = name, .holder = "dead", .address = address, .until = 0};
    ASSERT_TRUE(RunTask(catalog_.leases().TakeLease(lease, std::chrono::seconds(1000))).value());
  }
  // The first who gets bytes from upstream goes no further; others do.
  void HoldTheFirst() {
    upstream_.hold = [this] {
      if (held_++ == 0) gate_.Pass();
    };
  }

  FetchOptions options_;
  TempFolder folder_;
  ManualClock clock_;
  LogCapture captured_;
  Logger log_{captured_.writer(), LogLevel::kInfo};
  MemoryBlobStore blobs_;
  FakeUpstream upstream_;
  FakeModules modules_;
  FakePeers peers_;
  LostLeases lost_;
  Gate gate_;
  std::atomic<int> held_ = 0;
  TestCatalog catalog_;
  WatchedLeases watched_{catalog_};
  std::vector<std::unique_ptr<Server>> servers_;
};

TEST_F(ClusterTest, ManyReadersOfThreeServersMakeOneDownload) {
  HoldTheFirst();
  for (const char* address : {"one", "two", "three"}) Add(address);
  std::vector<Client> clients;
  for (int i = 0; i < 12; ++i) clients.push_back(Begin(*servers_[i % 3]));
  // Both others have the first bytes before upstream sends the rest.
  peers_.WaitForBytes(200);
  gate_.Open();
  for (Client& client : clients) EXPECT_EQ(client.Wait(), Expected());
  std::uint64_t from_peers = 0;
  std::uint64_t from_upstream = 0;
  for (const auto& server : servers_) {
    from_peers += server->counters().peer_bytes;
    from_upstream += server->counters().bytes;
    EXPECT_EQ(server->counters().failures, 0U);
  }
  Settle();
  EXPECT_EQ(upstream_.asked_archives, 1);
  EXPECT_EQ(from_upstream, Expected().size());
  EXPECT_EQ(from_peers, 2 * Expected().size());
  EXPECT_TRUE(AllLeases().empty()) << "it was given back";
  // It is stored: the next client asks no other server.
  int asked = peers_.asked();
  EXPECT_EQ(ReadAs(Add("four")), Expected());
  EXPECT_EQ(upstream_.asked_archives, 1);
  EXPECT_EQ(peers_.asked(), asked);
}

TEST_F(ClusterTest, AServerThatDiesIsReplacedByOneThatGoesOn) {
  HoldTheFirst();
  Client first = Begin(Add("one"));
  gate_.WaitFor(1);
  Client second = Begin(Add("two"));
  Client third = Begin(Add("three"));
  peers_.WaitForBytes(200);
  peers_.Set("one", Mood::kDead);
  // Long before the lease runs out.
  EXPECT_EQ(second.Wait(), Expected());
  EXPECT_EQ(third.Wait(), Expected());
  EXPECT_EQ(upstream_.asked_archives, 2) << "one for each server that died, and one";
  EXPECT_EQ(servers_[1]->counters().take_overs + servers_[2]->counters().take_overs, 1U);
  gate_.Open();
  EXPECT_EQ(first.Wait(), Expected()) << "it was only thought dead: that does no harm";
  Settle();
  EXPECT_TRUE(AllLeases().empty());
}

TEST_F(ClusterTest, AServerThatHangsIsReplacedWhenItsLeaseRunsOut) {
  HoldTheFirst();
  Client first = Begin(Add("one"));
  gate_.WaitFor(1);
  Server& two = Add("two");
  Client second = Begin(two);
  peers_.WaitForBytes(100);
  peers_.Set("one", Mood::kSilent);
  RunOut(LeaseName());
  EXPECT_EQ(second.Wait(), Expected());
  EXPECT_EQ(upstream_.asked_archives, 2);
  EXPECT_EQ(two.counters().take_overs, 0U) << "nobody was found dead";
  gate_.Open();
  EXPECT_EQ(first.Wait(), Expected());
}

// The address has no listener; or another server, which is not fetching it; or this server itself,
// after a restart.
class DeadHolderTest : public ClusterTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(DeadHolderTest, WhatItLeftBehindIsTakenAtOnce) {
  peers_.Set("nobody", Mood::kDead);
  LeaveLease(LeaseName(), GetParam());
  Server& one = Add("one");
  Add("two");
  EXPECT_EQ(ReadAs(one), Expected());
  EXPECT_EQ(one.counters().take_overs, 1U);
  EXPECT_EQ(upstream_.asked_archives, 1);
  Settle();
  EXPECT_TRUE(AllLeases().empty());
}

INSTANTIATE_TEST_SUITE_P(Addresses, DeadHolderTest, ::testing::Values("nobody", "two", "one"));

TEST_F(ClusterTest, AServerWithoutAnAddressIsWaitedFor) {
  HoldTheFirst();
  Client first = Begin(Add(""));
  gate_.WaitFor(1);
  Client second = Begin(Add("two"));
  gate_.Open();
  EXPECT_EQ(first.Wait(), Expected());
  EXPECT_EQ(second.Wait(), Expected()) << "out of the store";
  EXPECT_EQ(upstream_.asked_archives, 1);
  EXPECT_EQ(peers_.asked(), 0);
}

TEST_F(ClusterTest, WhatWasReadInPartGoesOnInTheStore) {
  HoldTheFirst();
  Client first = Begin(Add("one"));
  gate_.WaitFor(1);
  Server& two = Add("two");
  Client second = Begin(two);
  peers_.WaitForBytes(100);
  // The first server can no longer be reached, and goes on: its lease is renewed.
  peers_.Set("one", Mood::kSilent);
  gate_.Open();
  EXPECT_EQ(second.Wait(), Expected());
  EXPECT_EQ(first.Wait(), Expected());
  EXPECT_EQ(upstream_.asked_archives, 1);
  EXPECT_LT(two.counters().peer_bytes, Expected().size());
}

TEST_F(ClusterTest, ServersThatSendOtherBytesHarmNobodyTwice) {
  HoldTheFirst();
  Client first = Begin(Add("one"));
  gate_.WaitFor(1);
  peers_.flip = true;
  Server& two = Add("two");
  Client second = Begin(two);
  peers_.WaitForBytes(100);
  gate_.Open();
  std::string got = second.Wait();
  EXPECT_TRUE(got == "cut off" || got == "unavailable") << got.substr(0, 100);
  EXPECT_EQ(first.Wait(), Expected());
  EXPECT_EQ(two.counters().contradictions, 1U);
  EXPECT_EQ(two.counters().changed, 0U) << "it is not upstream's fault";
  EXPECT_EQ(ReadAs(two), Expected()) << "and not asked again";
}

TEST_F(ClusterTest, WhoWasLiedToAsksUpstreamItself) {
  HoldTheFirst();
  Client first = Begin(Add("one"));
  gate_.WaitFor(1);
  peers_.flip = true;
  Server& two = Add("two");
  Client second = Begin(two);
  peers_.WaitForBytes(100);
  peers_.Set("one", Mood::kDead);
  EXPECT_EQ(second.Wait(), "cut off") << "upstream's bytes are not the ones that it was sent";
  EXPECT_EQ(two.counters().contradictions, 1U);
  EXPECT_EQ(ReadAs(two), Expected()) << "while the first one is still at it";
  EXPECT_EQ(upstream_.asked_archives, 3);
  gate_.Open();
  EXPECT_EQ(first.Wait(), Expected());
}

TEST_F(ClusterTest, AServerThatSaysNothingForTooLongIsGivenUp) {
  options_.others_timeout = std::chrono::milliseconds(300);
  LeaveLease(LeaseName(), "two");
  Add("two");
  peers_.Set("two", Mood::kSilent);
  Server& one = Add("one");
  EXPECT_EQ(ReadAs(one), "unavailable");
  EXPECT_EQ(peers_.asked(), 1) << "it was not heard of since";
  EXPECT_EQ(upstream_.asked_archives, 0);
  // Who asks again is served once the lease has run out.
  RunOut(LeaseName());
  EXPECT_EQ(ReadAs(one), Expected());
  EXPECT_EQ(upstream_.asked_archives, 1);
}

TEST_F(ClusterTest, ACatalogThatDoesNotAnswerStopsNoDownload) {
  EXPECT_EQ(ReadAs(Add("one", lost_)), Expected());
  EXPECT_EQ(upstream_.asked_archives, 1);
  Settle();
  EXPECT_TRUE(RunTask(blobs_.Open(ExpectedDigest()))) << "and it is kept";
}

TEST_F(ClusterTest, WhenUpstreamFailsEverybodyHearsOfItAndTheLeaseIsFree) {
  upstream_.archive_failure = Error{ErrorKind::kBadUpstream, "it answered 503", {}};
  Server& one = Add("one");
  EXPECT_EQ(ReadAs(one), "bad_upstream");
  EXPECT_TRUE(AllLeases().empty());
  upstream_.archive_failure.reset();
  EXPECT_EQ(ReadAs(Add("two")), Expected());
}

TEST_F(ClusterTest, WhoWasThoughtDeadAndFailsIsServedByTheOther) {
  upstream_.hold = [this] {
    if (held_++ > 0) return;
    gate_.Pass();
    upstream_.fail_now = true;
  };
  Client first = Begin(Add("one"));
  gate_.WaitFor(1);
  peers_.Set("one", Mood::kDead);
  EXPECT_EQ(ReadAs(Add("two")), Expected());
  servers_.pop_back();  // it has stored it
  gate_.Open();
  EXPECT_EQ(first.Wait(), Expected()) << "half from upstream, half out of the store";
  EXPECT_EQ(upstream_.asked_archives, 2);
}

TEST_F(ClusterTest, WhoeverWaitsForOthersStopsAtOnce) {
  LeaveLease(LeaseName(), "");
  Server& one = Add("one");
  Client client = Begin(one);
  while (one.mirror.provider_fetch.under_way() == 0) std::this_thread::yield();
  one.mirror.pools.Stop();
  EXPECT_EQ(client.Wait(), "unavailable");
}

// ---- modules

class ModuleClusterTest : public ClusterTest {
 protected:
  static constexpr std::string_view kLease = "fetch:registry.example.org/acme/vpc/aws 1.0.0";
  static Result<UpstreamModuleVersion> FindAs(Server& server) {
    UpstreamModule module{Demo().host, *ModuleAddress::Parse("acme/vpc/aws")};
    return RunTask(server.mirror.modules.FindVersion(module, *Version::Parse("1.0.0")));
  }
  static std::future<Result<UpstreamModuleVersion>> BeginModule(Server& server) {
    return std::async(std::launch::async, [&server] { return FindAs(server); });
  }
};

TEST_F(ModuleClusterTest, OneServerFetchesAndTheOthersWaitForTheRecord) {
  modules_.before_fetch = [this] { gate_.Pass(); };
  auto first = BeginModule(Add("one"));
  gate_.WaitFor(1);
  auto second = BeginModule(Add("two", watched_));
  auto third = BeginModule(Add("three", watched_));
  watched_.WaitForLooks(4);
  gate_.Open();
  std::string digest = first.get().value().digest.hex();
  EXPECT_EQ(second.get().value().digest.hex(), digest);
  EXPECT_EQ(third.get().value().digest.hex(), digest);
  EXPECT_EQ(modules_.asked_packages, 1);
  Settle();
  EXPECT_TRUE(AllLeases().empty());
}

TEST_F(ModuleClusterTest, WhoDiesIsReplacedWhenTheLeaseRunsOut) {
  LeaveLease(std::string(kLease), "nobody");
  auto first = BeginModule(Add("one", watched_));
  watched_.WaitForLooks(2);
  EXPECT_EQ(modules_.asked_packages, 0);
  RunOut(std::string(kLease));
  EXPECT_TRUE(first.get());
  EXPECT_EQ(modules_.asked_packages, 1);
}

TEST_F(ModuleClusterTest, ACatalogThatDoesNotAnswerStopsNoFetch) {
  EXPECT_TRUE(FindAs(Add("one", lost_)));
  EXPECT_EQ(modules_.asked_packages, 1);
}

}  // namespace
}  // namespace koya::service
