// Tests a PostgreSQL server that hangs: it is stopped, so that its kernel acknowledges all data and
// nothing ever comes back.
#include <chrono>
#include <string>

#include "catalog/catalog.h"
#include "catalog/module_samples_fake.h"
#include "catalog/postgres_fixture_fake.h"
#include "catalog/sql/open_catalog.h"

namespace koya {
namespace {

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
  Result<std::unique_ptr<Catalog>> opened_ = Fail(ErrorKind::kUnavailable, "not opened");
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
