#include <algorithm>
#include <atomic>
#include <thread>

#include "base/temp_folder_fake.h"
#include "catalog/catalog.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/postgres_fixture_fake.h"
#include "catalog/sign_in_suite_base.h"
#include "catalog/sql/catalog_backends_fake.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/postgres_engine.h"
#include "catalog/sql/open_catalog.h"
#include "catalog/upstream_samples_fake.h"
#include "domain/use.h"

namespace koya {

std::vector<CatalogEngine> CatalogEngines() {
  return {{"Postgres", [] { return std::make_unique<PostgresBackend>(); }}};
}

namespace {

class PostgresCatalogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (backend_.server == nullptr) GTEST_SKIP() << backend_.reason;
  }
  Catalog& catalog() { return backend_.catalog(); }
  PostgresBackend backend_;
};

TEST_F(PostgresCatalogTest, AnotherServerSeesEverythingAndHearsOfIt) {
  auto other = backend_.Open();
  ASSERT_TRUE(other) << other.error().message;
  ASSERT_TRUE(RunTask(catalog().AddVersion(Tester(), Record("acme/vpc/aws", "1.0.0"))));
  // The listener may still be connecting: then a wait ends after its second.
  std::vector<Change> changes;
  while (changes.empty()) {
    ASSERT_TRUE(RunTask((*other)->WaitForChange()));
    changes = *RunTask((*other)->ChangesSince({}));
  }
  EXPECT_EQ(changes[0].topic, "module:acme/vpc/aws");
  EXPECT_TRUE(RunTask((*other)->FindVersion(Address("acme/vpc/aws"), V("1.0.0"))));
}

// 10,000 held packages, each of a blob of its own.
constexpr const char* kHoldTenThousand[] = {
    "INSERT INTO upstream_provider (provider_key, host, namespace, type) "
    "VALUES ('a.example/acme/demo', 'a.example', 'acme', 'demo')",
    "INSERT INTO upstream_release (provider_id, version, protocols, keys, fit_for_origin, seen_at) "
    "SELECT p.id, '1.' || n || '.0', '', 'keys', 1, 5 "
    "FROM generate_series(1, 10000) n, upstream_provider p",
    "INSERT INTO upstream_package (release_id, os, arch, filename, digest, size, hashes, held) "
    "SELECT id, 'linux', 'amd64', 'a.zip', lpad(to_hex(id), 64, '0'), 1000, '', 1 "
    "FROM upstream_release",
    "INSERT INTO held_blob (digest, size, used_at) "
    "SELECT digest, size, 5 FROM upstream_package",
    "ANALYZE"};

// Each blob that was chosen was looked for in all packages, one after the other.
TEST_F(PostgresCatalogTest, AnEvictionFindsABlobsHoldersByTheirIndex) {
  for (const char* sql : kHoldTenThousand) backend_.server->Run(backend_.url, sql);
  const EvictionRule rule{.max_bytes = 0,
                          .hosts = {*HostName::Parse("a.example")},
                          .unused_for = {},
                          .most_blobs = 200};
  auto evicted = RunTask(catalog().EvictHeld(rule));
  ASSERT_TRUE(evicted) << evicted.error().message << evicted.error().detail;
  EXPECT_EQ(evicted->size(), 200u);
  backend_.opened = FailUnavailable("closed");  // then it reports its counts
  auto counted = [this](const char* what) {
    return std::stoll(backend_.server->Run(backend_.url, what));
  };
  while (counted("SELECT idx_scan FROM pg_stat_user_tables WHERE relname = 'held_blob'") < 200) {
  }
  EXPECT_LT(counted("SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'upstream_package'"),
            100);
}

// Waits for news of a listener for a second at most, again and again.
template <class Condition>
void WaitFor(sql::ChangeSignal& signal, Condition condition) {
  while (!condition()) {
    auto wait = [&]() -> Awaitable<void> { co_await signal.Wait(std::chrono::milliseconds(20)); };
    RunTask(wait());
  }
}

TEST_F(PostgresCatalogTest, AListenerKnowsThatItHears) {
  sql::ChangeSignal signal;
  signal.SetHears(false);
  sql::PostgresListener listener(*sql::PostgresConnectionString(backend_.url), signal,
                                 {.heartbeat = std::chrono::milliseconds(20)});
  WaitFor(signal, [&] { return signal.hears(); });
}

TEST_F(PostgresCatalogTest, AListenerBehindAPoolerThatForgetsFindsOut) {
  sql::ChangeSignal signal;
  sql::PostgresListener listener(
      *sql::PostgresConnectionString(backend_.url), signal,
      {.heartbeat = std::chrono::milliseconds(20), .listen = "SELECT 1"});
  WaitFor(signal, [&] { return !signal.hears(); });
}

TEST_F(PostgresCatalogTest, SeveralServersMayStartAtOnce) {
  std::string url = backend_.server->MakeDatabase();
  std::vector<std::jthread> threads;
  std::atomic<int> opened = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { opened += OpenCatalog({.url = url}).has_value() ? 1 : 0; });
  }
  threads.clear();
  EXPECT_EQ(opened, 4);
}

inline Awaitable<void> AddOne(Catalog& catalog, ModuleVersionRecord record, int* added) {
  Result<AddOutcome> outcome = co_await catalog.AddVersion(Tester(), std::move(record));
  EXPECT_TRUE(outcome) << outcome.error().detail;
  if (outcome && outcome->what == AddOutcome::What::kAdded) ++*added;
}

TEST_F(PostgresCatalogTest, OfRacingServersOneWins) {
  auto other = backend_.Open();
  ASSERT_TRUE(other);
  boost::asio::io_context loop(1);
  int added = 0;
  auto done = [](std::exception_ptr error) { EXPECT_FALSE(error); };
  for (int i = 0; i < 40; ++i) {
    Catalog& one = i % 2 == 0 ? catalog() : **other;
    auto record = Record("acme/vpc/aws", "1.0." + std::to_string(i % 4), std::to_string(i));
    boost::asio::co_spawn(loop, AddOne(one, std::move(record), &added), done);
  }
  loop.run();
  EXPECT_EQ(added, 4);
  auto page = RunTask(catalog().ListModules({}, {}));
  ASSERT_EQ(page->items.size(), 1u);
  EXPECT_EQ(page->items[0].versions, 4u);
  EXPECT_EQ(page->items[0].latest, V("1.0.3"));
  EXPECT_EQ(RunTask(catalog().ChangesSince({}))->size(), 4u);
}

TEST_F(PostgresCatalogTest, OfServersThatCommitOneReleaseOneWins) {
  auto other = backend_.Open();
  ASSERT_TRUE(other);
  Catalog* const servers[] = {&catalog(), other->get()};
  ASSERT_TRUE(RunTask(catalog().AddKey(Tester(), SampleKey("acme"))));
  for (int round = 0; round < 5; ++round) {
    Racers racers;
    std::vector<Result<ReleaseOutcome>> outcomes;
    for (int i = 0; i < 8; ++i) {
      auto release = SampleRelease("acme/demo", "1.0." + std::to_string(round), std::to_string(i));
      racers.Add(servers[i % 2]->AddRelease(Tester(), std::move(release), std::nullopt), &outcomes);
    }
    racers.Run();
    int added = 0;
    for (const auto& outcome : outcomes) {
      ASSERT_TRUE(outcome) << outcome.error().message << outcome.error().detail;
      if (outcome->what == ReleaseOutcome::What::kAdded) {
        ++added;
      } else {
        EXPECT_EQ(outcome->what, ReleaseOutcome::What::kOtherSums);
      }
    }
    EXPECT_EQ(added, 1);
  }
  EXPECT_EQ(RunTask(catalog().ListProviders({}, {}))->items[0].versions, 5u);
}

TEST_F(PostgresCatalogTest, ServersShareADraftAndItsBounds) {
  auto other = backend_.Open();
  ASSERT_TRUE(other);
  Catalog* const servers[] = {&catalog(), other->get()};
  Racers openers, uploads;
  std::vector<Result<void>> opened, put, replaced;
  std::vector<Result<std::uint64_t>> collected;
  for (int i = 0; i < 20; ++i) {
    Catalog& server = *servers[i % 2];
    openers.Add(server.AddDraft(SampleDraft("draft" + std::to_string(i)), 3), &opened);
    auto key = SampleServerKey("acme", "KEY" + std::to_string(i));
    openers.Add(server.ReplaceServerKey(Tester(), std::move(key), ""), &replaced);
  }
  openers.Run();
  EXPECT_EQ(std::ranges::count_if(opened, &Status::has_value), 3);
  EXPECT_EQ(std::ranges::count_if(replaced, &Status::has_value), 1);
  auto drafts = RunTask(catalog().ListDrafts(Provider("acme/demo"), V("1.0.0"), kSuiteNow));
  ASSERT_EQ(drafts->size(), 3u);
  for (int i = 0; i < 60; ++i) {
    Catalog& server = *servers[i % 2];
    DraftFile file = SampleFile("file" + std::to_string(i / 3));
    uploads.Add(server.PutDraftFile((*drafts)[i % 3].id, file, kSuiteNow + 100, 20), &put);
    if (i % 10 == 0) uploads.Add(server.RemoveExpiredDrafts(kSuiteNow + 99), &collected);
  }
  uploads.Run();
  for (const Status& status : put) EXPECT_TRUE(status) << status.error().detail;
  for (const DraftRecord& draft : *drafts) {
    auto found = RunTask((*other)->FindDraft(draft.id, kSuiteNow));
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->files.size(), 20u);
  }
  Racers collectors;
  collected.clear();
  for (int i = 0; i < 10; ++i) {
    collectors.Add(servers[i % 2]->RemoveExpiredDrafts(kSuiteNow + 100), &collected);
  }
  collectors.Run();
  std::uint64_t removed = 0;
  for (const auto& count : collected) {
    ASSERT_TRUE(count) << count.error().detail;
    removed += *count;
  }
  EXPECT_EQ(removed, 3u);
}

TEST_F(PostgresCatalogTest, OfServersThatPinOneReleaseOneWinsAndAllAreToldTheSame) {
  auto other = backend_.Open();
  ASSERT_TRUE(other);
  Catalog* const servers[] = {&catalog(), other->get()};
  for (int round = 0; round < 5; ++round) {
    const std::string version = "1.0." + std::to_string(round);
    Racers racers;
    std::vector<Result<UpstreamRelease>> releases;
    std::vector<Result<UpstreamModuleVersion>> modules;
    for (int i = 0; i < 8; ++i) {
      // Each brings the same bytes for one platform, held, and its own for the other.
      auto release = SampleUpstreamRelease(kRemote, version, std::to_string(i));
      release.packages[i % 2] = SampleHeldPackage(i % 2 == 0 ? "darwin_arm64" : "linux_amd64", "x");
      racers.Add(servers[i % 2]->PinRelease(std::move(release), false), &releases);
      auto module = SampleUpstreamModule(kRemoteModule, version, std::to_string(i));
      racers.Add(servers[i % 2]->PinModule(std::move(module)), &modules);
    }
    racers.Run();
    ASSERT_TRUE(releases[0]) << releases[0].error().message << releases[0].error().detail;
    ASSERT_TRUE(modules[0]) << modules[0].error().message << modules[0].error().detail;
    for (const auto& release : releases) EXPECT_EQ(release, releases[0]);
    for (const auto& module : modules) EXPECT_EQ(module, modules[0]);
  }
  EXPECT_EQ(RunTask(catalog().ListUpstreamVersions(Remote(kRemote)))->size(), 5u);
  EXPECT_EQ(RunTask(catalog().ChangesSince({}))->size(), 10u);
}

TEST_F(PostgresCatalogTest, ServersThatImportHoldAndReleaseAtOnceDoNotWaitForEachOther) {
  auto other = backend_.Open();
  ASSERT_TRUE(other);
  Catalog* const servers[] = {&catalog(), other->get()};
  const char* const kPlatforms[] = {"darwin_arm64", "linux_amd64", "linux_arm64", "windows_amd64"};
  Racers racers;
  std::vector<Result<UpstreamRelease>> pinned;
  std::vector<Result<std::uint64_t>> released;
  std::vector<Result<void>> held;
  std::vector<Result<ReleaseTimes>> put;
  for (int i = 0; i < 120; ++i) {
    Catalog& server = *servers[i % 2];
    auto release = SampleUpstreamRelease(kRemote, "1.0." + std::to_string(i % 3));
    release.packages.clear();
    for (int k = 0; k <= i % 4; ++k) {
      release.packages.push_back(SampleHeldPackage(kPlatforms[(i + k) % 4], "content"));
    }
    const UpstreamPackage package = release.packages.back();
    racers.Add(server.PinRelease(release, true), &pinned);
    racers.Add(server.ImportRelease(Tester(), release), &pinned);
    racers.Add(server.HoldPackage(release.provider, release.version, package), &held);
    racers.Add(server.ReleaseHeld(Tester(), package.digest, "damaged"), &released);
    auto document = SampleDocument("provider-versions:" + std::string(kRemote), "b", kSuiteNow + i);
    racers.Add(server.PutDocument(std::move(document)), &put);
  }
  racers.Run();
  for (const auto& result : pinned) {
    EXPECT_TRUE(result) << result.error().message << result.error().detail;
  }
  for (const auto& result : released) EXPECT_TRUE(result) << result.error().detail;
  for (const auto& result : put) EXPECT_TRUE(result) << result.error().detail;
  for (const auto& result : held) {
    if (!result) EXPECT_EQ(result.error().kind, ErrorKind::kNotFound) << result.error().detail;
  }
  std::uint64_t packages = 0;
  for (const char* version : {"1.0.0", "1.0.1", "1.0.2"}) {
    auto release = RunTask(catalog().FindUpstreamRelease(Remote(kRemote), V(version)));
    ASSERT_TRUE(release);
    EXPECT_EQ(release->packages.size(), 4u);
    packages += std::ranges::count_if(release->packages, &UpstreamPackage::held);
  }
  for (const char* platform : kPlatforms) {
    const Digest digest = SampleHeldPackage(platform, "content").digest;
    packages -= RunTask(catalog().ReleaseHeld(Tester(), digest, "damaged")).value();
  }
  EXPECT_EQ(packages, 0u);
  EXPECT_EQ(RunTask(catalog().HeldBytes()).value(), 0u);
}

TEST_F(PostgresCatalogTest, OfServersThatAreSetUpAtOnceOneWins) {
  auto other = backend_.Open();
  ASSERT_TRUE(other);
  Catalog* const servers[] = {&catalog(), other->get()};
  ASSERT_TRUE(RunTask(catalog().PutSetupToken(Digest::Of("token"), kSuiteNow + 1)));
  Racers racers;
  std::vector<Result<void>> results;
  for (int i = 0; i < 12; ++i) {
    AccountRecord root = SampleAccount("root" + std::to_string(i));
    root.admin = true;
    Catalog& server = *servers[i % 2];
    racers.Add(server.SetUp(Tester(), Digest::Of("token"), std::move(root), "hash", SetupChoices{},
                            kSuiteNow),
               &results);
    // A server that starts at this moment.
    if (i % 4 == 3) {
      racers.Add(server.PutSetupToken(Digest::Of("token"), kSuiteNow + 1), &results);
    }
  }
  racers.Run();
  EXPECT_EQ(std::ranges::count_if(results, &Status::has_value), 1 + 3) << "one, and the tokens";
  EXPECT_EQ(RunTask(catalog().ListAccounts(AccountKind::kUser))->size(), 1u);
  EXPECT_EQ(RunTask((*other)->HasAdministrator()), true);
}

TEST_F(PostgresCatalogTest, OfServersWhereOneSubjectSignsInAtOnceAllMeetTheSameUser) {
  auto other = backend_.Open();
  ASSERT_TRUE(other);
  Catalog* const servers[] = {&catalog(), other->get()};
  const GroupRecord dev{.name = "dev", .created_at = kSuiteNow, .created_by = "admin"};
  ASSERT_TRUE(RunTask(catalog().AddGroup(Tester(), dev)));
  ASSERT_TRUE(RunTask(catalog().AddIdentityProvider(Tester(), SampleIdentityProvider("okta"))));
  for (int round = 0; round < 5; ++round) {
    Racers racers;
    std::vector<Result<AccountRecord>> accounts;
    std::vector<Result<void>> added;
    const std::string name = "ann" + std::to_string(round);
    for (int i = 0; i < 8; ++i) {
      IdentityClaim claim{
          .provider = "okta", .subject = name, .wanted_name = name, .groups = {"dev"}};
      racers.Add(servers[i % 2]->RecordIdentity(Tester(), std::move(claim), kSuiteNow), &accounts);
      // An administrator who adds a user of that name.
      if (i == 3) racers.Add(servers[0]->AddAccount(Tester(), SampleAccount(name)), &added);
    }
    racers.Run();
    ASSERT_TRUE(accounts[0]) << accounts[0].error().message << accounts[0].error().detail;
    EXPECT_NE(accounts[0]->id, SampleAccount(name).id);
    for (const auto& account : accounts) EXPECT_EQ(account, accounts[0]);
  }
  EXPECT_EQ(RunTask((*other)->ListMembers("dev"))->size(), 5u);
}

TEST_F(PostgresCatalogTest, OfServersThatTakeOneCodeOneGetsIt) {
  auto other = backend_.Open();
  ASSERT_TRUE(other);
  Catalog* const servers[] = {&catalog(), other->get()};
  ASSERT_TRUE(RunTask(catalog().AddAccount(Tester(), SampleAccount("ann"))));
  for (int round = 0; round < 5; ++round) {
    ASSERT_TRUE(RunTask(catalog().AddLoginCode(SampleLoginCode("1", "ann"))));
    Racers racers;
    std::vector<Result<LoginCodeRecord>> taken;
    for (int i = 0; i < 8; ++i) {
      racers.Add(servers[i % 2]->TakeLoginCode(Digest::Of("code 1")), &taken);
    }
    racers.Run();
    EXPECT_EQ(std::ranges::count_if(taken, &Result<LoginCodeRecord>::has_value), 1);
  }
}

// What signs in, what changes who may, and what clears up take their locks in one order.
TEST_F(PostgresCatalogTest, ServersWherePeopleComeAndGoAtOnceDoNotWaitForEachOther) {
  auto other = backend_.Open();
  ASSERT_TRUE(other);
  Catalog* const servers[] = {&catalog(), other->get()};
  Racers racers;
  std::vector<Result<void>> results;
  std::vector<Result<AccountRecord>> accounts;
  std::vector<Result<std::uint64_t>> counts;
  ASSERT_TRUE(RunTask(catalog().AddIdentityProvider(Tester(), SampleIdentityProvider("okta"))));
  for (int i = 0; i < 60; ++i) {
    Catalog& server = *servers[i % 2];
    const std::string user = "ann" + std::to_string(i % 3);
    racers.Add(server.AddAccount(Tester(), SampleAccount(user)), &results);
    SessionRecord session = SampleSession(std::to_string(i), user);
    if (i % 2 == 0) session.method = "oidc:okta";
    if (i % 3 == 0) session.expires_at = kSuiteNow;
    racers.Add(server.AddSession(Tester(), std::move(session)), &results);
    racers.Add(server.SetPassword(Tester(), user, "hash", ""), &results);
    racers.Add(server.AddToken(Tester(), SampleToken(std::to_string(i), SampleAccount(user).id)),
               &results);
    racers.Add(
        server.RevokeToken(Tester(), std::to_string(i), SampleToken(std::to_string(i)).secret),
        &results);
    std::vector<Use> uses{{SampleSession(std::to_string(i), user).secret, kSuiteNow}};
    racers.Add(server.TouchSessions(std::move(uses)), &results);
    IdentityClaim claim{.provider = "okta", .subject = user, .wanted_name = user, .groups = {}};
    racers.Add(server.RecordIdentity(Tester(), std::move(claim), kSuiteNow), &accounts);
    racers.Add(server.RemoveExpiredSignIns(kSuiteNow), &counts);
    racers.Add(server.EndSessionsOf(Tester(), user), &counts);
    if (i % 5 == 4) racers.Add(server.RemoveAccount(Tester(), AccountKind::kUser, user), &results);
    if (i % 20 == 10) racers.Add(server.RemoveIdentityProvider(Tester(), "okta"), &results);
    if (i % 20 == 15) {
      racers.Add(server.AddIdentityProvider(Tester(), SampleIdentityProvider("okta")), &results);
    }
  }
  racers.Run();
  auto expect_orderly = [](const auto& result) {
    if (result) return;
    const ErrorKind kind = result.error().kind;
    EXPECT_TRUE(kind == ErrorKind::kNotFound || kind == ErrorKind::kConflict)
        << result.error().message << result.error().detail;
  };
  for (const auto& result : results) expect_orderly(result);
  for (const auto& result : accounts) expect_orderly(result);
  for (const auto& result : counts) expect_orderly(result);
}

TEST_F(PostgresCatalogTest, ALostConnectionIsMadeAgain) {
  ASSERT_TRUE(RunTask(catalog().AddVersion(Tester(), Record("acme/vpc/aws", "1.0.0"))));
  ASSERT_TRUE(RunTask(catalog().ListVersions(Address("acme/vpc/aws"))));
  backend_.server->CutConnections(backend_.url);
  EXPECT_TRUE(RunTask(catalog().ListVersions(Address("acme/vpc/aws"))));
  EXPECT_TRUE(RunTask(catalog().AddVersion(Tester(), Record("acme/vpc/aws", "1.0.1"))));
}

TEST_F(PostgresCatalogTest, ADatabaseThatIsGoneIsUnavailable) {
  ASSERT_TRUE(RunTask(catalog().AddVersion(Tester(), Record("acme/vpc/aws", "1.0.0"))));
  std::string name = backend_.url.substr(backend_.url.rfind('/') + 1);
  std::string elsewhere = backend_.server->MakeDatabase();
  backend_.server->Run(elsewhere, "DROP DATABASE " + name + " WITH (FORCE)");
  EXPECT_EQ(CatalogErrorOf(RunTask(catalog().ListVersions(Address("acme/vpc/aws")))),
            ErrorKind::kUnavailable);
  EXPECT_EQ(
      CatalogErrorOf(RunTask(catalog().AddVersion(Tester(), Record("acme/vpc/aws", "1.0.1")))),
      ErrorKind::kUnavailable);
}

TEST_F(PostgresCatalogTest, AnUnreachableServerIsNamedWithoutItsPassword) {
  auto catalog = OpenCatalog({.url = "postgresql://koya:s3cret@127.0.0.1:1/koya"});
  ASSERT_EQ(CatalogErrorOf(catalog), ErrorKind::kUnavailable);
  EXPECT_NE(catalog.error().message.find("127.0.0.1"), std::string::npos);
  EXPECT_EQ((catalog.error().message + catalog.error().detail).find("s3cret"), std::string::npos);
}

TEST(PostgresUrlTest, AMalformedUrlIsRefusedWithoutQuotingIt) {
  for (const char* url : {"postgresql://koya:s3cret@[::1/koya", "postgresql://h/db?s3cret=1",
                          "postgresql://h/%zzs3cret"}) {
    auto catalog = OpenCatalog({.url = url});
    ASSERT_EQ(CatalogErrorOf(catalog), ErrorKind::kInvalid) << url;
    EXPECT_EQ((catalog.error().message + catalog.error().detail).find("s3cret"), std::string::npos);
  }
}

}  // namespace
}  // namespace koya
