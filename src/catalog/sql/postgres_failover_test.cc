// A primary that goes, a standby that takes its place; servers that do not want us; and a server
// that hangs: it is stopped, so that its kernel acknowledges all data and nothing ever comes back.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "base/run_task.h"
#include "catalog/catalog.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/postgres_fixture_fake.h"
#include "catalog/sql/engine/postgres_engine.h"
#include "catalog/sql/open_catalog.h"

namespace koya {
namespace {

constexpr std::chrono::seconds kRecovery(60);

class PostgresFailoverTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto started = PostgresServer::Start();
    if (!started && started.error().kind == ErrorKind::kUnavailable) {
      GTEST_SKIP() << started.error().message;
    }
    ASSERT_TRUE(started) << started.error().message << started.error().detail;
    primary_ = *std::move(started);
  }
  // What the catalog says to an addition, asked again while it is unavailable.
  Status AddUntilItAnswers(Catalog& catalog, const char* version) {
    const auto until = std::chrono::steady_clock::now() + kRecovery;
    while (true) {
      auto added = RunTask(catalog.AddVersion(Tester(), Record("acme/vpc/aws", version)));
      if (added) return {};
      const bool late = std::chrono::steady_clock::now() > until;
      if (late || added.error().kind != ErrorKind::kUnavailable) return Failure(added.error());
    }
  }

  std::unique_ptr<PostgresServer> primary_;
};

TEST_F(PostgresFailoverTest, TheStandbyThatTakesOverIsFound) {
  const std::string name = primary_->MakeDatabase();
  const std::string database = name.substr(name.rfind('/') + 1);
  auto standby = primary_->StartStandby();
  ASSERT_TRUE(standby) << standby.error().message << standby.error().detail;
  // The standby first: it answers, but takes no changes.
  auto catalog = OpenCatalog(
      {.url = "postgresql://koya@" + (*standby)->host() + "," + primary_->host() + "/" + database});
  ASSERT_TRUE(catalog) << catalog.error().message << catalog.error().detail;
  Status added = AddUntilItAnswers(**catalog, "1.0.0");
  ASSERT_TRUE(added) << added.error().message;
  const std::string here = "postgresql://koya@" + (*standby)->host() + "/" + database;
  const std::string written = primary_->Run(name, "SELECT pg_current_wal_insert_lsn()");
  const std::string arrived = "SELECT pg_last_wal_replay_lsn() >= '" + written + "'::pg_lsn";
  const auto until = std::chrono::steady_clock::now() + kRecovery;
  while ((*standby)->Run(here, arrived) != "t") {
    ASSERT_LT(std::chrono::steady_clock::now(), until) << "the standby follows";
  }

  primary_->Stop();
  auto refused = RunTask((*catalog)->AddVersion(Tester(), Record("acme/vpc/aws", "1.0.1")));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnavailable) << refused.error().message;
  (*standby)->Promote();
  added = AddUntilItAnswers(**catalog, "1.0.2");
  ASSERT_TRUE(added) << added.error().message << added.error().detail;
  auto versions = RunTask((*catalog)->ListVersions(Address("acme/vpc/aws")));
  ASSERT_TRUE(versions) << versions.error().message;
  EXPECT_EQ(versions->size(), 2U);
}

TEST_F(PostgresFailoverTest, APrimaryThatTurnsReadOnlyIsLeftForTheOneThatIsNot) {
  const std::string url = primary_->MakeDatabase();
  const std::string database = url.substr(url.rfind('/') + 1);
  auto catalog = OpenCatalog({.url = url});
  ASSERT_TRUE(catalog) << catalog.error().message << catalog.error().detail;
  ASSERT_TRUE(AddUntilItAnswers(**catalog, "1.0.0"));
  auto read_only = [&](const char* value) {
    const std::string setting = " SET default_transaction_read_only = ";
    primary_->Run(url, "ALTER SYSTEM" + setting + value);
    primary_->Run(url, "SELECT pg_reload_conf()");
    // The setting above applies to new sessions; this is for existing ones.
    const std::string known = "SHOW default_transaction_read_only";
    while (primary_->Run(url, known) != value) continue;
  };
  read_only("on");
  const auto until = std::chrono::steady_clock::now() + kRecovery;
  Error error;
  while (!error.message.contains("read-only")) {
    ASSERT_LT(std::chrono::steady_clock::now(), until) << error.message;
    auto refused = RunTask((*catalog)->AddVersion(Tester(), Record("acme/vpc/aws", "1.0.1")));
    if (!refused) error = refused.error();
  }
  EXPECT_EQ(error.kind, ErrorKind::kUnavailable);
  EXPECT_TRUE(RunTask((*catalog)->ListVersions(Address("acme/vpc/aws")))) << "reading goes on";
  read_only("off");
  Status added = AddUntilItAnswers(**catalog, "1.0.2");
  EXPECT_TRUE(added) << added.error().message;
}

TEST_F(PostgresFailoverTest, AServerThatRefusesTheUserOrLacksTheDatabaseIsNoMatterOfWaiting) {
  const std::string base = "postgresql://koya@" + primary_->host();
  struct Case {
    std::string url;
    const char* words;
  };
  primary_->Run(base + "/postgres", "CREATE ROLE locked NOLOGIN");
  for (const auto& [url, words] :
       {Case{base + "/nowhere", "has no such database"},
        Case{"postgresql://nobody:s3cret@" + primary_->host() + "/postgres", "denies its user"},
        Case{"postgresql://locked:s3cret@" + primary_->host() + "/postgres", "denies its user"}}) {
    auto catalog = OpenCatalog({.url = url});
    ASSERT_FALSE(catalog) << url;
    EXPECT_EQ(catalog.error().kind, ErrorKind::kInvalid) << catalog.error().message;
    EXPECT_TRUE(catalog.error().message.contains(words)) << catalog.error().message;
    EXPECT_TRUE(catalog.error().message.contains("catalog.url")) << catalog.error().message;
    EXPECT_FALSE((catalog.error().message + catalog.error().detail).contains("s3cret"));
  }
}

TEST_F(PostgresFailoverTest, AServerThatIsNotThereMayComeLater) {
  const std::string url = "postgresql://koya@" + primary_->host() + "/postgres";
  primary_->Stop();
  EXPECT_EQ(OpenCatalog({.url = url}).error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(sql::WhyRefused(*sql::PostgresConnectionString(url)), std::nullopt);
}

TEST_F(PostgresFailoverTest, WhoeverWaitsForTheSchemaOpensNothingUntilSomebodyMakesIt) {
  const std::string url = primary_->MakeDatabase();
  const CatalogOptions waiting{.url = url, .migrate = CatalogOptions::Migrate::kWait};
  auto opened = OpenCatalog(waiting);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::kUnavailable);
  EXPECT_TRUE(opened.error().message.contains("koya admin migrate")) << opened.error().message;
  auto report = MigrateCatalog({.url = url}, false);
  ASSERT_TRUE(report) << report.error().message << report.error().detail;
  EXPECT_EQ(report->taken.size(), static_cast<std::size_t>(KnownSchemaStep()));
  EXPECT_TRUE(OpenCatalog(waiting));
  EXPECT_TRUE(MigrateCatalog({.url = url}, true)->taken.empty());
}

TEST(PostgresUrlTest, OfSeveralHostsTheOneThatTakesChangesIsMeant) {
  auto writable = [](const char* url) {
    return sql::PostgresConnectionString(url)->contains("target_session_attrs='read-write'");
  };
  EXPECT_TRUE(writable("postgresql://koya@one,two/koya"));
  EXPECT_TRUE(writable("postgresql://koya@one:5432,two:5433/koya"));
  EXPECT_TRUE(writable("postgresql:///koya?host=one,two"));
  EXPECT_FALSE(writable("postgresql://koya@one/koya"));
  EXPECT_FALSE(writable("postgresql://koya@one/koya?application_name=a,b"));
  EXPECT_FALSE(writable("postgresql://koya@one,two/koya?target_session_attrs=any"));
}

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

class PostgresHangTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    server_ = PostgresServer::Shared(&reason);
    if (server_ == nullptr) GTEST_SKIP() << reason;
    url_ = server_->MakeDatabase();
    opened_ = OpenCatalog({.url = url_,
                           .readers = 1,
                           .writers = 1,
                           .read_timeout = milliseconds(1500),
                           .write_timeout = milliseconds(2000)});
    ASSERT_TRUE(opened_) << opened_.error().message;
    ASSERT_TRUE(Add("1.0.0"));
    ASSERT_TRUE(Ask());
  }
  Catalog& catalog() { return *opened_.value(); }
  Result<std::vector<ModuleVersionRecord>> Ask() {
    return RunTask(catalog().ListVersions(Address("acme/vpc/aws")));
  }
  Result<AddOutcome> Add(std::string_view version) {
    return RunTask(catalog().AddVersion(Tester(), Record("acme/vpc/aws", version)));
  }
  // Retries until there is a result: recovery is automatic.
  void ExpectRecovery() {
    while (!Ask() || !RunTask(catalog().CheckVersion(Address("acme/vpc/aws"), V("1.0.0"), {}))) {
    }
    auto again = Add("1.0.0");
    while (!again) again = Add("1.0.0");
    EXPECT_NE(again->what, AddOutcome::What::kAdded);
  }

  PostgresServer* server_ = nullptr;
  std::string url_;
  Result<std::unique_ptr<Catalog>> opened_ = FailUnavailable("not opened");
};

// They hung for as long as the server did.
TEST_F(PostgresHangTest, QuestionsToAServerThatHangsEndInTimeAndThenAtOnce) {
  std::shared_ptr<void> frozen = server_->Freeze();
  Racers racers;
  std::vector<Result<std::vector<ModuleVersionRecord>>> lists;
  std::vector<Result<AddOutcome>> added;
  for (int i = 0; i < 30; ++i) racers.Add(catalog().ListVersions(Address("acme/vpc/aws")), &lists);
  for (int i = 0; i < 10; ++i) {
    racers.Add(catalog().AddVersion(Tester(), Record("acme/vpc/aws", "2.0." + std::to_string(i))),
               &added);
  }
  auto asked = Clock::now();
  racers.Run();
  EXPECT_LT(Clock::now() - asked, seconds(15));
  for (const auto& list : lists) EXPECT_EQ(CatalogErrorOf(list), ErrorKind::kUnavailable);
  for (const auto& outcome : added) EXPECT_EQ(CatalogErrorOf(outcome), ErrorKind::kUnavailable);

  // Now it is known. One call a second probes, and may take its time; all others fail at once.
  int slow = 0;
  for (int i = 0; i < 100; ++i) {
    asked = Clock::now();
    EXPECT_FALSE(Ask());
    EXPECT_FALSE(Add("3.0.0"));
    slow += Clock::now() - asked > milliseconds(500) ? 1 : 0;
  }
  EXPECT_LT(slow, 20);
  frozen.reset();
  ExpectRecovery();
}

TEST_F(PostgresHangTest, ConnectionsThatHangAreReplaced) {
  std::shared_ptr<void> frozen = server_->FreezeConnections(url_);
  EXPECT_EQ(CatalogErrorOf(Ask()), ErrorKind::kUnavailable);
  ExpectRecovery();  // while the old ones hang on
}

TEST_F(PostgresHangTest, ACommitThatIsCutOffIsInDoubtAndTheSameAgainTells) {
  // Without a standby to send it to, a commit waits after it was made here: the worst moment.
  auto standby = [this](const std::string& name) {
    server_->Run(url_, "ALTER SYSTEM SET synchronous_standby_names = '" + name + "'");
    server_->Run(url_, "SELECT pg_reload_conf()");
    while (server_->Run(url_, "SHOW synchronous_standby_names") != name) {
    }
  };
  std::string database = url_.substr(url_.rfind('/') + 1);
  server_->Run(url_, "ALTER DATABASE " + database + " SET synchronous_commit = 'on'");
  server_->CutConnections(url_);
  ASSERT_TRUE(Ask());
  standby("nobody");
  auto doubtful = Add("1.1.0");
  standby("");
  ASSERT_EQ(CatalogErrorOf(doubtful), ErrorKind::kUnavailable);
  EXPECT_NE(doubtful.error().message.find("may have been stored"), std::string::npos)
      << doubtful.error().message;
  auto again = Add("1.1.0");
  for (; !again; again = Add("1.1.0")) {
    EXPECT_EQ(again.error().message.find("may have been stored"), std::string::npos)
        << "of what was not even tried";
  }
  EXPECT_EQ(again->what, AddOutcome::What::kSameUpload);
}

}  // namespace

}  // namespace koya
