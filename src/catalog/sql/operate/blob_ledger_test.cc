#include <algorithm>
#include <thread>

#include "base/temp_folder_fake.h"
#include "catalog/blob_ledger_suite_base.h"
#include "catalog/catalog.h"
#include "catalog/memory_blob_ledger_fake.h"
#include "catalog/module_catalog.h"
#include "catalog/postgres_fixture_fake.h"
#include "catalog/provider_catalog.h"
#include "catalog/sql/catalog_backends_fake.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/postgres_engine.h"
#include "catalog/sql/engine/sqlite_engine.h"
#include "catalog/sql/open_catalog.h"
#include "catalog/sql/operate/blob_ledger.h"

namespace koya {
namespace {

struct MemoryLedgerBackend : LedgerBackend {
  FakeBlobLedger fake;
  BlobLedger& ledger() override { return fake; }
  void Age(seconds by) override { fake.Advance(by); }
};

struct SqliteLedgerBackend : CatalogLedgerBackend {
  TempFolder folder;
  std::string path = folder / "koya.db";
  Result<std::unique_ptr<Catalog>> opened = OpenCatalog({.url = "sqlite:" + path,
                                                         .read_timeout = kPatience,
                                                         .write_timeout = kPatience,
                                                         .blob_ledger = true,
                                                         .durable = false});
  Catalog& catalog() override { return *opened.value(); }
  void Age(seconds by) override {
    const std::string sql = "UPDATE blob_object SET at = at - " + std::to_string(by.count());
    sql::Database database(sql::MakeSqliteEngine({.path = path, .durable = false}), {});
    ASSERT_TRUE(database.WriteNow([&sql](sql::Session& session) -> Status {
      session.Run({"age", sql});
      return {};
    }));
  }
};

INSTANTIATE_TEST_SUITE_P(Memory, BlobLedgerSuite,
                         ::testing::Values(&MakeLedger<MemoryLedgerBackend>));
INSTANTIATE_TEST_SUITE_P(Sqlite, BlobLedgerSuite,
                         ::testing::Values(&MakeLedger<SqliteLedgerBackend>));
INSTANTIATE_TEST_SUITE_P(Sqlite, BlobRenewalSuite,
                         ::testing::Values(&MakeCatalogLedger<SqliteLedgerBackend>));

struct PostgresLedgerBackend : CatalogLedgerBackend {
  PostgresLedgerBackend() : server(PostgresServer::Shared(&reason)) {
    if (server == nullptr) return;
    url = MigratedDatabases::Take(*server);
    opened = Open();
  }
  ~PostgresLedgerBackend() override {
    opened = FailUnavailable("closed");
    if (server != nullptr) MigratedDatabases::GiveBack(*server, url);
  }
  Result<std::unique_ptr<Catalog>> Open() const {
    return OpenCatalog(
        {.url = url, .read_timeout = kPatience, .write_timeout = kPatience, .blob_ledger = true});
  }
  std::string SkipReason() const override { return reason; }
  Catalog& catalog() override { return *opened.value(); }
  void Age(seconds by) override {
    server->Run(url, "UPDATE blob_object SET at = at - " + std::to_string(by.count()));
  }
  // Until a call of the catalog waits for a row.
  void AwaitWaiter() {
    while (server->Run(url,
                       "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() "
                       "AND wait_event_type = 'Lock'") == "0") {
    }
  }

  std::string reason;
  PostgresServer* server;
  std::string url;
  Result<std::unique_ptr<Catalog>> opened = FailUnavailable("not opened");
};

INSTANTIATE_TEST_SUITE_P(Postgres, BlobLedgerSuite,
                         ::testing::Values(&MakeLedger<PostgresLedgerBackend>));
INSTANTIATE_TEST_SUITE_P(Postgres, BlobRenewalSuite,
                         ::testing::Values(&MakeCatalogLedger<PostgresLedgerBackend>));

// Another server in the middle of a transaction.
class Meanwhile {
 public:
  explicit Meanwhile(const std::string& url)
      : engine_(sql::MakePostgresEngine(*sql::PostgresConnectionString(url))),
        session_(*engine_, kPatience) {
    session_.set_keeps_ledger(true);
    Run("SET idle_in_transaction_session_timeout = 0; BEGIN");
  }
  void Run(const std::string& sql) { session_.Run({"meanwhile", sql}); }
  // What a transaction does that records a reference.
  void Hold(const Digest& digest) {
    EXPECT_TRUE(sql::RenewBlobs(session_, {digest}));
    Run("INSERT INTO held_blob (digest, size, used_at) VALUES ('" + digest.hex() + "', 1, 1)");
  }

 private:
  std::unique_ptr<sql::Engine> engine_;
  sql::Session session_;
};

class PostgresBlobLedgerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (backend_.server == nullptr) GTEST_SKIP() << backend_.reason;
    user_.emplace(backend_.ledger());
  }
  LedgerUser& user() { return *user_; }
  std::string Ask(const std::string& sql) { return backend_.server->Run(backend_.url, sql); }
  std::string StateOf(const std::string& name) {
    return Ask("SELECT state FROM blob_object WHERE name = '" + name + "'");
  }
  // What Settle of `name` says when `meanwhile` ends its transaction with `end` while it waits.
  std::string SettleDuring(Meanwhile& meanwhile, const std::string& name, const std::string& end) {
    std::string settled;
    std::jthread settler([&] { settled = user().Settle(name); });
    backend_.AwaitWaiter();
    meanwhile.Run(end);
    settler.join();
    return settled;
  }

  PostgresLedgerBackend backend_;
  std::optional<LedgerUser> user_;
};

const Digest& Content() {
  static const Digest digest = Digest::Of("content");
  return digest;
}

TEST_F(PostgresBlobLedgerTest, ACollectorLeavesWhatIsJustBeingRecorded) {
  user().Store("one");
  backend_.Age(seconds(100));
  Meanwhile publisher(backend_.url);
  publisher.Hold(Content());
  EXPECT_FALSE(user().Leave("content", seconds(50))) << "and waits for nobody";
  publisher.Run("COMMIT");
  EXPECT_FALSE(user().Leave("content", seconds(50)));
  EXPECT_FALSE(user().Leave("content", seconds(-1000))) << "however old";
  EXPECT_EQ(user().Find(), "one");
}

// Ages prove nothing here: it was renewed before the grace began, and is committed only now.
TEST_F(PostgresBlobLedgerTest, APublisherMayTakeLongerThanTheGrace) {
  user().Store("one");
  Meanwhile publisher(backend_.url);
  publisher.Hold(Content());
  publisher.Run("UPDATE blob_object SET at = at - 1000");
  EXPECT_FALSE(user().Leave("content", seconds(50)));
  publisher.Run("COMMIT");
  EXPECT_FALSE(user().Leave("content", seconds(50)));
  EXPECT_EQ(user().Find(), "one");
}

TEST_F(PostgresBlobLedgerTest, WhatAPublisherGaveUpLeavesLater) {
  user().Store("one");
  backend_.Age(seconds(100));
  Meanwhile publisher(backend_.url);
  publisher.Hold(Content());
  publisher.Run("ROLLBACK");
  EXPECT_TRUE(user().Leave("content", seconds(50)));
}

// As a Leave that has marked, and not committed yet.
TEST_F(PostgresBlobLedgerTest, APublisherThatWaitsForACollectorRecordsNothing) {
  for (const ReferenceKind& kind : AllReferenceKinds()) {
    for (const char* end : {"COMMIT", "ROLLBACK"}) {
      SCOPED_TRACE(kind.name + ", " + end);
      auto made = std::make_unique<PostgresLedgerBackend>();
      PostgresLedgerBackend& backend = *made;
      RenewalCase one(kind, std::move(made));
      one.StoreAllBut(std::nullopt);
      Meanwhile collector(backend.url);
      collector.Run("UPDATE blob_object SET state = 'leaving' WHERE digest = '" +
                    kind.digests.back().hex() + "'");
      Status recorded;
      std::jthread publisher([&] { recorded = kind.record(backend.catalog()); });
      backend.AwaitWaiter();
      collector.Run(end);
      publisher.join();
      if (std::string(end) == "ROLLBACK") {
        EXPECT_TRUE(recorded) << recorded.error().message << recorded.error().detail;
        EXPECT_EQ(one.Unreferenced(), 0u);
      } else {
        EXPECT_EQ(CatalogErrorOf(recorded), ErrorKind::kUnavailable);
        EXPECT_EQ(one.Unreferenced(), kind.digests.size());
        one.ExpectRefused();
      }
    }
  }
}

TEST_F(PostgresBlobLedgerTest, WhoeverSettlesWaitsForTheQuicker) {
  user().Arrive("one");
  Meanwhile quicker(backend_.url);
  quicker.Run("INSERT INTO blob_object (name, digest, size, state, at) VALUES ('two', '" +
              Content().hex() + "', 7, 'stored', 1)");
  EXPECT_EQ(SettleDuring(quicker, "one", "COMMIT"), "two");
  EXPECT_EQ(StateOf("one"), "leaving");
  EXPECT_EQ(user().Find(), "two");
  EXPECT_FALSE(user().Leave("content", seconds(50))) << "it was renewed";
}

TEST_F(PostgresBlobLedgerTest, WhoeverSettlesTakesTheQuickersPlaceWhenThatFails) {
  user().Arrive("one");
  Meanwhile quicker(backend_.url);
  quicker.Run("INSERT INTO blob_object (name, digest, size, state, at) VALUES ('two', '" +
              Content().hex() + "', 7, 'stored', 1)");
  EXPECT_EQ(SettleDuring(quicker, "one", "ROLLBACK"), "one");
  EXPECT_EQ(user().Find(), "one");
}

TEST_F(PostgresBlobLedgerTest, WhoeverSettlesIsNotToldOfWhatIsLeaving) {
  user().Arrive("one");
  user().Store("two");
  Meanwhile collector(backend_.url);
  collector.Run("UPDATE blob_object SET state = 'leaving' WHERE name = 'two'");
  EXPECT_EQ(SettleDuring(collector, "one", "COMMIT"), "one");
  EXPECT_EQ(user().Find(), "one");
  EXPECT_EQ(user().Leaving(), Texts{"two"});
}

TEST_F(PostgresBlobLedgerTest, WhatIsLostWhileAnotherSettlesLeaves) {
  user().Arrive("one");
  user().Store("two");
  Meanwhile verifier(backend_.url);
  verifier.Run("UPDATE blob_object SET state = 'lost' WHERE name = 'two'");
  EXPECT_EQ(SettleDuring(verifier, "one", "COMMIT"), "one");
  EXPECT_EQ(user().Stored(), Texts{"one"});
  EXPECT_EQ(user().Leaving(), Texts{"two"});
}

TEST_F(PostgresBlobLedgerTest, AnUploadIsGivenUpOrSettledNotBoth) {
  user().Arrive("one");
  user().Arrive("two");
  backend_.Age(seconds(100));
  Meanwhile other(backend_.url);
  other.Run("SELECT 1 FROM blob_object WHERE name = 'one' FOR UPDATE");
  EXPECT_EQ(user().GiveUp(seconds(50)), 1u) << "what somebody settles is left alone";
  EXPECT_EQ(StateOf("two"), "leaving");
  other.Run("UPDATE blob_object SET state = 'leaving' WHERE name = 'one'");
  EXPECT_EQ(SettleDuring(other, "one", "COMMIT"), "not_found");
  EXPECT_EQ(user().Find(), "not_found");
}

// Publishers who share bytes, two servers, and collectors to whom nothing is too young.
TEST_F(PostgresBlobLedgerTest, ServersThatPublishAndCollectAtOnceLoseNothing) {
  auto other = backend_.Open();
  ASSERT_TRUE(other);
  Catalog* const servers[] = {&backend_.catalog(), other->get()};
  ASSERT_TRUE(RunTask(backend_.catalog().AddKey(Tester(), SampleKey("acme"))));
  const ReferenceKind releases = ReleaseKind();
  const ReferenceKind modules = ModuleKind();
  std::vector<Digest> digests = releases.digests;
  digests.push_back(modules.digests.front());
  int recorded = 0, refused = 0;
  for (int round = 0; round < 20; ++round) {
    const std::string version = "1.0." + std::to_string(round);
    Racers racers;
    std::vector<Result<std::optional<BlobObject>>> arrived;
    std::vector<Result<BlobObject>> settled;
    std::vector<Result<std::vector<Digest>>> left;
    std::vector<Result<AddOutcome>> versions;
    std::vector<Result<ReleaseOutcome>> published;
    for (const Digest& digest : digests) {
      const std::string name = version + digest.hex();
      ASSERT_TRUE(RunTask(servers[0]->Arrive({.name = name, .digest = digest, .size = 1})));
      (void)RunTask(servers[0]->CompleteUpload(name));  // unless it was stored
    }
    for (int i = 0; i < 12; ++i) {
      Catalog& server = *servers[i % 2];
      if (i % 4 == round % 4) racers.Add(server.MarkLeaving(digests, seconds(-1000)), &left);
      ProviderRelease release = SampleRelease("acme/demo" + std::to_string(i), version);
      if (i % 3 == 0) std::ranges::reverse(release.packages);
      racers.Add(server.AddRelease(Tester(), std::move(release), std::nullopt), &published);
      racers.Add(
          server.AddVersion(Tester(), Record("acme/m" + std::to_string(i) + "/aws", version)),
          &versions);
    }
    racers.Run();
    auto count = [&](const auto& results) {
      for (const auto& each : results) {
        if (each) {
          ++recorded;
          continue;
        }
        ++refused;
        EXPECT_NE(each.error().message.find("repeat the command"), std::string::npos)
            << each.error().message << each.error().detail;
      }
    };
    count(versions);
    count(published);
    for (const auto& each : left) EXPECT_TRUE(each) << each.error().message << each.error().detail;
    EXPECT_EQ(Ask("SELECT COUNT(*) FROM (SELECT digest FROM module_version WHERE withdrawn_at IS "
                  "NULL UNION SELECT k.digest FROM provider_package k JOIN provider_release r ON "
                  "r.id = k.release_id WHERE r.withdrawn_at IS NULL UNION SELECT sums_digest FROM "
                  "provider_release WHERE withdrawn_at IS NULL UNION SELECT signature_digest FROM "
                  "provider_release WHERE withdrawn_at IS NULL) used "
                  "WHERE NOT EXISTS (SELECT 1 FROM blob_object b WHERE b.state = 'stored' AND "
                  "b.digest = used.digest)"),
              "0");
    if (round % 3 == 2) {  // from then on nothing refers to them
      Ask("UPDATE module_version SET withdrawn_at = 1, withdrawn_by = '', withdrawn_reason = ''");
      Ask("UPDATE provider_release SET withdrawn_at = 1, withdrawn_by = '', withdrawn_reason = ''");
    }
  }
  EXPECT_GT(recorded, 100);
  EXPECT_GT(refused, 0) << "a collector was never quicker";
}

// 20,000 objects, as many packages of other registries that hold every second one, and 1,000 lost.
constexpr const char* kStoreMany[] = {
    "INSERT INTO blob_object (name, digest, size, state, at) SELECT 'object ' || n, "
    "lpad(to_hex(n), 64, '0'), 1, CASE WHEN n > 19000 THEN 'lost' ELSE 'stored' END, n "
    "FROM generate_series(1, 20000) n",
    "INSERT INTO held_blob (digest, size, used_at) SELECT digest, 1, 1 FROM blob_object "
    "WHERE at % 2 = 0",
    "INSERT INTO module (address_key, name_key, namespace, name, system, version_count, "
    "search_text) VALUES ('a/b/c', 'b', 'a', 'b', 'c', 0, '')",
    "INSERT INTO module_version (module_id, version, precedence_key, archive_kind, digest, size, "
    "upload_digest, description, published_at, published_by) SELECT m.id, n, n, 'zip', "
    "lpad(to_hex(n + 100000), 64, '0'), 1, '', '', 1, '' FROM generate_series(1, 20000) n, "
    "module m",
    "ANALYZE"};

TEST_F(PostgresBlobLedgerTest, WhatIsAskedIsFoundByIndexes) {
  for (const char* sql : kStoreMany) Ask(sql);
  Ask("SELECT pg_stat_reset()");
  std::vector<Digest> digests;
  for (std::optional<Digest> after; digests.size() < 20'000; after = digests.back()) {
    auto page = RunTask(backend_.ledger().ListStored(after, 5000));
    ASSERT_TRUE(page) << page.error().message << page.error().detail;
    ASSERT_EQ(page->size(), 1000u) << "at most";
    std::vector<Digest> listed;
    for (const BlobObject& object : *page) listed.push_back(object.digest);
    EXPECT_EQ(user().LeaveAll(listed, seconds(50)).size(), 500u);
    digests.insert(digests.end(), listed.begin(), listed.end());
  }
  const Texts leaving = user().Leaving(seconds(-1000), 5000);
  EXPECT_EQ(leaving.size(), 1000u) << "at most";
  for (std::size_t i = 0; i < 100; ++i) user().Forget(leaving[i]);
  EXPECT_EQ(user().Find("content"), "not_found");
  backend_.opened = FailUnavailable("closed");  // then it reports its counts
  auto counted = [this](const char* what, const std::string& table) {
    return std::stoll(Ask("SELECT " + std::string(what) +
                          " FROM pg_stat_user_tables WHERE relname = '" + table + "'"));
  };
  while (counted("idx_scan", "held_blob") < 20) {
  }
  for (const char* table : {"blob_object", "held_blob", "module_version"}) {
    EXPECT_EQ(counted("seq_scan", table), 0) << table;
  }
  // The planner knows of no trash yet, and goes by names all the same.
  EXPECT_LE(std::stoll(Ask("SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = "
                           "'blob_object_leaving'")),
            1);
}

TEST_F(PostgresBlobLedgerTest, NamesThatNoDatabaseKeepsAreRefused) {
  const std::string nul("a\0b", 3);
  for (const std::string& name : {nul, std::string("\xff")}) {
    EXPECT_EQ(CatalogErrorOf(RunTask(backend_.ledger().Arrive(Object(name, "content")))),
              ErrorKind::kInvalid);
    EXPECT_EQ(user().Settle(name), "not_found");
    user().Lose(name);
    user().Forget(name);
  }
}

}  // namespace

}  // namespace koya
