// Checks that catalogs written by an older program keep their data, and store new data.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/run_task.h"
#include "catalog/sign_in_suite_base.h"
#include "catalog/sql/access/account_catalog.h"
#include "catalog/sql/access/identity_catalog.h"
#include "catalog/sql/access/login_code_catalog.h"
#include "catalog/sql/access/namespace_catalog.h"
#include "catalog/sql/access/password_catalog.h"
#include "catalog/sql/access/session_catalog.h"
#include "catalog/sql/access/trust_catalog.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/migrations_fixture_fake.h"
#include "catalog/sql/mirror/holdings.h"
#include "catalog/sql/mirror/upstream_releases.h"
#include "catalog/sql/operate/blob_ledger.h"
#include "catalog/sql/operate/blob_references.h"
#include "catalog/sql/operate/replica_catalog.h"
#include "catalog/sql/providers/draft_catalog.h"
#include "catalog/sql/providers/key_catalog.h"
#include "catalog/sql/providers/provider_catalog.h"
#include "catalog/upstream_samples_fake.h"
#include "domain/blob_object.h"
#include "domain/replica_record.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

class OlderCatalogsTest : public MigrationsFixture {
 protected:
  // Today's catalog writes to an older schema what a program of that time would have written: into
  // columns that are there only meanwhile, each a table and a name; an audit log and an index
  // likewise.
  void WriteAsBefore(std::span<const std::pair<std::string, std::string>> later,
                     const std::function<void()>& write) {
    for (const auto& [table, column] : later) {
      Run("ALTER TABLE " + table + " ADD COLUMN " + column + " TEXT");
    }
    Run("CREATE TABLE audit (kind TEXT, at BIGINT, actor TEXT, token TEXT, address TEXT, "
        "user_agent TEXT, request_id TEXT, action TEXT, target TEXT, namespace TEXT, "
        "before_change TEXT, after_change TEXT, count BIGINT)");
    Run("CREATE TABLE search_subject (id BIGINT, subject_key TEXT, version TEXT, newest BIGINT)");
    Run("CREATE TABLE module_contents (module_key TEXT, version TEXT)");
    const bool before_namespaces = !later.empty();
    if (before_namespaces) Run("CREATE TABLE namespace (name_key TEXT)");
    for (const char* column : {"semver", "title", "description"}) {
      if (!before_namespaces) {
        Run(std::string("ALTER TABLE namespace ADD COLUMN ") + column + " TEXT");
      }
    }
    const bool writes_releases =
        std::ranges::find(later, "provider_release", &std::pair<std::string, std::string>::first) !=
        later.end();
    if (writes_releases) AddWithdrawals("provider_release");
    WithVersionStates(write);
    if (writes_releases) DropWithdrawals("provider_release");
    Run("DROP TABLE audit");
    Run("DROP TABLE search_subject");
    Run("DROP TABLE module_contents");
    if (before_namespaces) Run("DROP TABLE namespace");
    for (const char* column : {"semver", "title", "description"}) {
      if (!before_namespaces) {
        Run(std::string("ALTER TABLE namespace DROP COLUMN ") + column);
      }
    }
    for (const auto& [table, column] : later) {
      Run("ALTER TABLE " + table + " DROP COLUMN " + column);
    }
  }
  void AddWithdrawals(const std::string& table) {
    Run("ALTER TABLE " + table + " ADD COLUMN withdrawn_successor TEXT NOT NULL DEFAULT ''");
    Run("ALTER TABLE " + table + " ADD COLUMN withdrawn_kept_until BIGINT NOT NULL DEFAULT 0");
  }
  void DropWithdrawals(const std::string& table) {
    Run("ALTER TABLE " + table + " DROP COLUMN withdrawn_successor");
    Run("ALTER TABLE " + table + " DROP COLUMN withdrawn_kept_until");
  }
  // What writing asks of versions that the schema did not have yet.
  void WithVersionStates(const std::function<void()>& write) {
    for (const char* column : {"deprecation", "step"}) {
      Run(std::string("ALTER TABLE module_version ADD COLUMN ") + column + " TEXT");
    }
    AddWithdrawals("module_version");
    write();
    DropWithdrawals("module_version");
    for (const char* column : {"deprecation", "step"}) {
      Run(std::string("ALTER TABLE module_version DROP COLUMN ") + column);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, OlderCatalogsTest,
                         ::testing::Values(Dialect::kSqlite, Dialect::kPostgres), EngineName);

ModuleVersionRecord OldVersion(std::string_view version) {
  return {.address = *ModuleAddress::Parse("Acme/vpc/aws"),
          .version = *Version::Parse(version),
          .kind = ArchiveKind::kZip,
          .digest = Digest::Of("served"),
          .size = 4321,
          .upload_digest = Digest::Of("uploaded"),
          .description = "Größe",
          .published_at = 1'700'000'000,
          .published_by = "ci"};
}

TEST_P(OlderCatalogsTest, ACatalogWithoutProvidersKeepsItsDataAndTakesProviders) {
  ASSERT_TRUE(MigrateTo(AllMigrations().first(1)));
  const ModuleVersionRecord old = OldVersion("1.0.0");
  const Digest token = Digest::Of("secret");
  const std::pair<std::string, std::string> kLater[] = {
      {"change", "mark"}, {"module", "recorded"}, {"module_version", "provenance"}};
  WriteAsBefore(kLater, [&] {
    for (const auto& record : {old, OldVersion("1.1.0")}) {
      ASSERT_TRUE(RunTask(modules().AddVersion(Tester(), record)));
    }
    ASSERT_TRUE(RunTask(
        modules().Withdraw(Tester(), old.address, *Version::Parse("1.1.0"), {.reason = "leak"})));
  });
  Run("INSERT INTO token (name, secret, scope, namespaces, created_at, last_used_at) "
      "VALUES ('ci', '" +
      token.hex() + "', 'publish', 'acme', 5, 7)");

  Status status = MigrateTo(AllMigrations());
  ASSERT_TRUE(status) << status.error().detail;
  auto found = RunTask(modules().FindVersion(old.address, old.version));
  ASSERT_TRUE(found) << found.error().message << found.error().detail;
  EXPECT_EQ(found->address, old.address);
  EXPECT_EQ(found->description, "Größe");
  EXPECT_EQ(found->digest, old.digest);
  auto withdrawn = RunTask(modules().AddVersion(Tester(), OldVersion("1.1.0")));
  ASSERT_TRUE(withdrawn) << withdrawn.error().message << withdrawn.error().detail;
  EXPECT_EQ(withdrawn->what, AddOutcome::What::kWithdrawn);
  EXPECT_EQ(RunTask(modules().ListModules({}, {}))->items.size(), 1u);
  auto kept = RunTask(tokens().FindToken(token));
  ASSERT_TRUE(kept) << kept.error().message << kept.error().detail;
  EXPECT_EQ(kept->last_used_at, 7);
  EXPECT_EQ(kept->created_by, "");
  EXPECT_EQ(RunTask(SqlChangeLog(transactions()).ChangesSince({}))->size(), 3u);
  EXPECT_TRUE(RunTask(SqlProviders(transactions()).ListProviders({}, {}))->items.empty());
}

TEST_P(OlderCatalogsTest, ACatalogWithoutOtherRegistriesKeepsItsDataAndTakesThem) {
  ASSERT_TRUE(MigrateTo(AllMigrations().first(2)));
  const ModuleVersionRecord module = OldVersion("1.0.0");
  const ProviderRelease release = SampleRelease("größe/demo", "1.0.0");
  const DraftRecord draft = SampleDraft("draft");
  SqlProviders sql_providers(transactions());
  ProviderCatalog& providers = sql_providers;
  SqlDrafts drafts(transactions());
  const std::pair<std::string, std::string> kLater[] = {
      {"change", "mark"},       {"draft", "upload"},
      {"module", "recorded"},   {"module_version", "provenance"},
      {"provider", "recorded"}, {"provider_release", "provenance"}};
  WriteAsBefore(kLater, [&] {
    ASSERT_TRUE(RunTask(modules().AddVersion(Tester(), module)));
    ASSERT_TRUE(RunTask(SqlKeys(transactions()).AddKey(Tester(), SampleKey("größe"))));
    ASSERT_TRUE(RunTask(providers.AddRelease(Tester(), release, std::nullopt)));
    ASSERT_TRUE(RunTask(drafts.AddDraft(draft, 9)));
    ASSERT_TRUE(RunTask(drafts.PutDraftFile("draft", SampleFile("a.zip"), kSuiteNow + 9, 9)));
  });

  Status status = MigrateTo(AllMigrations());
  ASSERT_TRUE(status) << status.error().detail;
  EXPECT_EQ(RunTask(modules().FindVersion(module.address, module.version))->digest, module.digest);
  EXPECT_EQ(RunTask(providers.FindRelease(release.address, release.version)), release);
  auto open = RunTask(drafts.FindDraft("draft", kSuiteNow));
  ASSERT_TRUE(open) << open.error().message << open.error().detail;
  EXPECT_EQ(open->files, std::vector{SampleFile("a.zip")});
  EXPECT_EQ(RunTask(SqlChangeLog(transactions()).ChangesSince({}))->size(), 3u);
  const UpstreamRelease remote = SampleUpstreamRelease(kRemote, "1.0.0", "remote");
  SqlBlobReferences references(transactions());
  auto unneeded = [&] {
    return RunTask(
        references.FindUnreferenced({module.digest, release.sums.digest, release.packages[1].digest,
                                     open->files[0].digest, remote.sums->digest}));
  };
  EXPECT_EQ(unneeded(), std::vector{remote.sums->digest});
  RecentUses uses(SqlUpstreamHoldings::kTouchEvery);
  EXPECT_EQ(RunTask(SqlUpstreamHoldings(transactions(), uses).HeldBytes()), 0u);
  EXPECT_EQ(RunTask(SqlUpstreamReleases(transactions(), uses).PinRelease(remote, false)), remote);
  EXPECT_EQ(unneeded(), std::vector<Digest>{});
}

TEST_P(OlderCatalogsTest, ACatalogWithoutAccountsKeepsItsTokensAndTakesAccounts) {
  ASSERT_TRUE(MigrateTo(AllMigrations().first(4)));
  const ModuleVersionRecord module = OldVersion("1.0.0");
  const std::pair<std::string, std::string> kLater[] = {{"module", "recorded"},
                                                        {"module_version", "provenance"}};
  WriteAsBefore(kLater, [&] { ASSERT_TRUE(RunTask(modules().AddVersion(Tester(), module))); });
  const TokenRecord token = SampleToken("root");
  Run("INSERT INTO token (name, secret, scope, namespaces, created_at, created_by) "
      "VALUES ('root', '" +
      token.secret.hex() + "', 'admin', '', 5, 'who')");

  Status status = MigrateTo(AllMigrations());
  ASSERT_TRUE(status) << status.error().detail;
  auto kept = RunTask(tokens().FindToken(token.secret));
  ASSERT_TRUE(kept) << kept.error().message << kept.error().detail;
  EXPECT_EQ(kept->account_id, "");
  EXPECT_EQ(kept->created_by, "who");
  SqlAccounts accounts(transactions());
  SqlNamespaces namespaces(transactions());
  EXPECT_EQ(RunTask(accounts.HasAdministrator()), true) << "as before";
  EXPECT_TRUE(RunTask(accounts.ListAccounts(AccountKind::kUser))->empty());
  const ModuleFilter stranger{.readable = {.everything = false}};
  EXPECT_EQ(RunTask(modules().ListModules(stranger, {}))->items.size(), 1u);
  EXPECT_EQ(RunTask(namespaces.AdoptNamespaces(Tester(), Visibility::kPrivate, kSuiteNow)), 1u);
  EXPECT_EQ(RunTask(namespaces.FindNamespace("acme"))->name, "Acme");
  EXPECT_EQ(RunTask(modules().ListModules(stranger, {}))->items.size(), 0u);
  ASSERT_TRUE(RunTask(accounts.AddAccount(Tester(), SampleAccount("ann"))));
  ASSERT_TRUE(RunTask(tokens().AddToken(Tester(), SampleToken("hers", SampleAccount("ann").id))));
  // The program of before runs beside this one, and knows of no accounts.
  Run("INSERT INTO token (name, secret, scope, namespaces, created_at) "
      "VALUES ('new', '" +
      Digest::Of("new").hex() + "', 'read', '', 5)");
  EXPECT_EQ(RunTask(tokens().FindToken(Digest::Of("new")))->account_id, "");
}

// What a program wrote that does not say whether a namespace has a record: in `ns`, at once listed.
std::string ModuleOfBefore(const std::string& ns) {
  return "INSERT INTO module (address_key, name_key, namespace, name, system, version_count, "
         "latest_version, latest_published_at, latest_description, search_text) VALUES ('" +
         ns + "/vpc/aws', 'vpc', '" + ns + "', 'vpc', 'aws', 1, '1.0.0', 5, '', '')";
}

TEST_P(OlderCatalogsTest, WhatProgramsOfBeforeWriteIsListedAsItsNamespaceSays) {
  ASSERT_TRUE(MigrateTo(AllMigrations().first(8)));
  for (const char* ns : {"open", "closed"}) {
    Run(ModuleOfBefore(ns));
    Run("INSERT INTO namespace (name_key, name, visibility, created_at, created_by) VALUES ('" +
        std::string(ns) + "', 'x', '" + (ns[0] == 'o' ? "public" : "private") + "', 5, '')");
  }
  Run(ModuleOfBefore("older"));
  ASSERT_TRUE(MigrateTo(AllMigrations()));
  auto count = [&](const ReadableNamespaces& readable) {
    return RunTask(modules().ListModules({.readable = readable}, {}))->items.size();
  };
  const ReadableNamespaces stranger{.everything = false};
  const ReadableNamespaces strict{.everything = false, .unrecorded = Visibility::kPrivate};
  EXPECT_EQ(count(stranger), 2u);
  EXPECT_EQ(count(strict), 1u);
  EXPECT_EQ(Ask("SELECT CAST(COUNT(recorded) AS TEXT) FROM module"), "0");

  SqlNamespaces namespaces(transactions());
  EXPECT_EQ(RunTask(namespaces.AdoptNamespaces(Tester(), Visibility::kPrivate, kSuiteNow)), 1u);
  EXPECT_EQ(count(stranger), 1u);
  EXPECT_EQ(Ask("SELECT CAST(COUNT(recorded) AS TEXT) FROM module"), "3");
  Run(ModuleOfBefore("beside"));
  EXPECT_EQ(count(stranger), 2u);
  EXPECT_EQ(count(strict), 1u);
  ModuleVersionRecord later = OldVersion("1.0.0");
  for (const char* address : {"open/dns/aws", "new/dns/aws"}) {
    later.address = *ModuleAddress::Parse(address);
    ASSERT_TRUE(RunTask(modules().AddVersion(Tester(), later)));
  }
  EXPECT_EQ(Ask("SELECT CAST(COUNT(recorded) AS TEXT) FROM module"), "4") << "not of new";
  EXPECT_EQ(count(stranger), 4u);
  EXPECT_EQ(count(strict), 2u);
}

TEST_P(OlderCatalogsTest, ACatalogWithoutSignInKeepsItsAccountsAndTakesWhatIsOfThem) {
  ASSERT_TRUE(MigrateTo(AllMigrations().first(5)));
  SqlAccounts accounts(transactions());
  SqlNamespaces namespaces(transactions());
  const AccountRecord ann = SampleAccount("ann");
  WriteAsBefore({}, [&] {
    ASSERT_TRUE(RunTask(accounts.AddAccount(Tester(), ann)));
    ASSERT_TRUE(RunTask(namespaces.AddNamespace(Tester(), {.name = "acme"})));
  });
  Run("INSERT INTO token (name, secret, scope, namespaces, created_at, account_id) VALUES "
      "('hers', '" +
      Digest::Of("hers").hex() + "', 'read', '', 5, '" + ann.id + "')");

  Status status = MigrateTo(AllMigrations());
  ASSERT_TRUE(status) << status.error().detail;
  auto kept = RunTask(tokens().FindToken(Digest::Of("hers")));
  ASSERT_TRUE(kept) << kept.error().message << kept.error().detail;
  EXPECT_EQ(kept->account_name, "ann");
  EXPECT_EQ(kept->provenance, "");
  SqlPasswords passwords(transactions());
  EXPECT_EQ(RunTask(passwords.FindPassword("ann")), (PasswordRecord{ann, std::nullopt}));
  ASSERT_TRUE(RunTask(passwords.SetPassword(Tester(), "ann", "hash", "")));
  SqlIdentities identities(transactions());
  ASSERT_TRUE(RunTask(identities.AddIdentityProvider(Tester(), SampleIdentityProvider("okta"))));
  ASSERT_TRUE(RunTask(SqlSessions(transactions()).AddSession(Tester(), SampleSession("1", "ann"))));
  ASSERT_TRUE(RunTask(SqlLoginCodes(transactions()).AddLoginCode(SampleLoginCode("1", "ann"))));
  ASSERT_TRUE(RunTask(SqlTrust(transactions()).AddTrust(Tester(), SampleTrust("1", "acme"))));
  // The program of before runs beside this one, and removes accounts.
  Run("DELETE FROM token WHERE account_id = '" + ann.id + "'");
  Run("DELETE FROM account WHERE id = '" + ann.id + "'");
  EXPECT_EQ(Ask("SELECT CAST((SELECT COUNT(*) FROM account_password) + (SELECT COUNT(*) FROM "
                "session) + (SELECT COUNT(*) FROM login_code) AS TEXT)"),
            "0");
}

TEST_P(OlderCatalogsTest, ACatalogWithoutALedgerKeepsItsVersionsAndTakesObjects) {
  ASSERT_TRUE(MigrateTo(AllMigrations().first(9)));
  WithVersionStates(
      [&] { ASSERT_TRUE(RunTask(modules().AddVersion(Tester(), OldVersion("1.0.0")))); });
  Status status = MigrateTo(AllMigrations());
  ASSERT_TRUE(status) << status.error().detail;
  EXPECT_EQ(Ask("SELECT CAST(COUNT(*) AS TEXT) FROM blob_object"), "0");

  // An older program, and a server with a blob folder, know of no objects and need none.
  const ModuleVersionRecord plain = OldVersion("1.0.1");
  ASSERT_TRUE(RunTask(modules().AddVersion(Tester(), plain)));
  Executor careful(*database_, signal_, true);
  SqlModules slow_modules(careful);
  ModuleCatalog& careful_modules = slow_modules;
  auto refused = RunTask(careful_modules.AddVersion(Tester(), OldVersion("1.0.2")));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnavailable) << refused.error().detail;
  SqlBlobLedger ledger(careful);
  const BlobObject object{.name = "one", .digest = plain.digest, .size = 4321};
  EXPECT_FALSE(RunTask(ledger.Arrive(object)).value().has_value());
  EXPECT_EQ(RunTask(ledger.CompleteUpload("one")), object);
  EXPECT_TRUE(RunTask(careful_modules.AddVersion(Tester(), OldVersion("1.0.2"))));
  EXPECT_EQ(RunTask(modules().ListVersions(plain.address))->size(), 3u);
  EXPECT_EQ(RunTask(ledger.MarkLeaving({plain.digest}, std::chrono::seconds(-1000)))->size(), 0u);
}

TEST_P(OlderCatalogsTest, AReplicaThatWasNotSeenForLongCountsForNothingAndGoesAfterADay) {
  ASSERT_TRUE(MigrateTo(AllMigrations()));
  SqlReplicas replicas(transactions());
  const std::chrono::seconds life(10);
  for (const char* id : {"a", "b", "c"}) {
    ASSERT_TRUE(RunTask(replicas.KeepReplica({.id = id, .address = "x", .version = "1"}, life)));
  }
  Run("UPDATE replica SET seen_at = {{now}} - 32 WHERE id = 'a'");
  Run("UPDATE replica SET seen_at = {{now}} - 86400 - 2 WHERE id = 'b'");
  EXPECT_EQ(RunTask(replicas.ListReplicas())->size(), 1U);
  ASSERT_TRUE(RunTask(replicas.KeepReplica({.id = "c", .address = "x", .version = "1"}, life)));
  EXPECT_EQ(Ask("SELECT CAST(COUNT(*) AS TEXT) FROM replica"), "2");
  ASSERT_TRUE(RunTask(replicas.KeepReplica({.id = "a", .address = "x", .version = "1"}, life)));
  EXPECT_EQ(RunTask(replicas.ListReplicas())->size(), 2U) << "it goes on";
}

}  // namespace
}  // namespace koya::sql
