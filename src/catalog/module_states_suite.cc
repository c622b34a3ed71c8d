// What every catalog must do: store the states of a module's versions. See catalog_suite_base.h.
#include <string>
#include <string_view>
#include <vector>

#include "catalog/audit_catalog.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/change_log.h"
#include "catalog/module_catalog.h"

namespace koya {
namespace {

class ModuleStatesSuite : public CatalogSuiteBase {
 protected:
  void Add(const ModuleVersionRecord& record) {
    auto added = RunTask(modules().AddVersion(Tester(), record));
    ASSERT_TRUE(added) << added.error().message << added.error().detail;
    ASSERT_EQ(added->what, AddOutcome::What::kAdded);
  }
  Status Deprecate(std::string_view version, std::string message,
                   std::string_view address = "acme/vpc/aws") {
    return RunTask(modules().Deprecate(Tester(), Address(address), V(version), std::move(message)));
  }
  Status Withdraw(std::string_view version, std::string reason) {
    Withdrawal withdrawal{.at = kSuiteNow + 5, .by = "admin", .reason = std::move(reason)};
    return RunTask(modules().Withdraw(Tester(), Address("acme/vpc/aws"), V(version), withdrawal));
  }
  // "1.1.0: old; 1.0.0: ; ", of all versions.
  std::string Deprecations() {
    std::string text;
    auto records = RunTask(modules().ListVersions(Address("acme/vpc/aws")));
    EXPECT_TRUE(records);
    for (const ModuleVersionRecord& each : records.value_or(std::vector<ModuleVersionRecord>())) {
      text += each.version.ToString() + ": " + each.deprecation + "; ";
    }
    return text;
  }
  std::vector<WithdrawnModuleVersion> Withdrawn(std::string_view address = "acme/vpc/aws") {
    auto found = RunTask(modules().ListWithdrawn(Address(address)));
    EXPECT_TRUE(found) << found.error().message;
    return found.value_or(std::vector<WithdrawnModuleVersion>());
  }
};
INSTANTIATE_CATALOG_SUITE(ModuleStatesSuite);

TEST_P(ModuleStatesSuite, AVersionIsDeprecatedAndNoMore) {
  this->Add(Record("Acme/vpc/aws", "1.0.0"));
  this->Add(Record("Acme/vpc/aws", "1.1.0", "other"));
  EXPECT_EQ(this->Deprecations(), "1.1.0: ; 1.0.0: ; ");
  ASSERT_TRUE(this->Deprecate("1.0.0", "Größe 豆腐; use 1.1.0"));
  EXPECT_EQ(this->Deprecations(), "1.1.0: ; 1.0.0: Größe 豆腐; use 1.1.0; ");
  auto found = RunTask(modules().FindVersion(Address("acme/vpc/aws"), V("1.0.0")));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->deprecation, "Größe 豆腐; use 1.1.0");
  const auto is_listed_so = [this] {
    return RunTask(modules().ListModules({}, {})).value().items.at(0).deprecated;
  };
  EXPECT_FALSE(is_listed_so()) << "it is not the latest";
  ASSERT_TRUE(this->Deprecate("1.1.0", "old"));
  EXPECT_TRUE(is_listed_so());
  ASSERT_TRUE(this->Deprecate("1.1.0", ""));
  EXPECT_FALSE(is_listed_so());
  ASSERT_TRUE(this->Deprecate("1.0.0", ""));
  EXPECT_EQ(this->Deprecations(), "1.1.0: ; 1.0.0: ; ");
}

TEST_P(ModuleStatesSuite, DeprecatingIsAuditedAndAnnouncedOnce) {
  this->Add(Record("Acme/vpc/aws", "1.0.0"));
  auto position = RunTask(changes().LatestChange());
  ASSERT_TRUE(position);
  ASSERT_TRUE(this->Deprecate("1.0.0", "old"));
  ASSERT_TRUE(this->Deprecate("1.0.0", "old"));
  EXPECT_EQ(this->TopicsSince(*position), Texts{"module:acme/vpc/aws"});
  auto records = RunTask(audit().ListAudit({}, 10));
  ASSERT_TRUE(records && records->size() > 1);
  const AuditEntry& entry = records->front().entry;
  EXPECT_EQ(entry.action, "module.deprecate");
  EXPECT_EQ(entry.target, "module:Acme/vpc/aws@1.0.0");
  EXPECT_EQ(entry.before, "");
  EXPECT_EQ(entry.after, R"({"deprecation":"old"})");
  EXPECT_NE((*records)[1].entry.action, "module.deprecate");
}

TEST_P(ModuleStatesSuite, OnlyWhatIsThereIsDeprecated) {
  this->Add(Record("acme/vpc/aws", "1.0.0"));
  this->Add(Record("acme/vpc/aws", "1.1.0"));
  ASSERT_TRUE(this->Withdraw("1.1.0", "leaks"));
  EXPECT_EQ(CatalogErrorOf(this->Deprecate("1.1.0", "old")), ErrorKind::kGone);
  for (std::string_view version : {"9.0.0", "1.0.0+b"}) {
    EXPECT_EQ(CatalogErrorOf(this->Deprecate(version, "old")), ErrorKind::kNotFound) << version;
  }
  EXPECT_EQ(CatalogErrorOf(this->Deprecate("1.0.0", "old", "acme/none/aws")), ErrorKind::kNotFound);
  this->ExpectFails(this->Deprecate("1.0.0", "\xff"), ErrorKind::kInvalid, "deprecation");
  EXPECT_EQ(this->Deprecations(), "1.0.0: ; ");
}

TEST_P(ModuleStatesSuite, WithdrawnVersionsAreRemembered) {
  EXPECT_TRUE(this->Withdrawn().empty());
  for (std::string_view version : {"1.0.0", "1.10.0", "1.9.0"}) {
    this->Add(Record("acme/vpc/aws", version));
  }
  EXPECT_TRUE(this->Withdrawn().empty());
  ASSERT_TRUE(this->Withdraw("1.9.0", "leaks a key"));
  ASSERT_TRUE(this->Withdraw("1.10.0", "the same"));
  auto gone = this->Withdrawn("ACME/VPC/aws");
  ASSERT_EQ(gone.size(), 2U);
  EXPECT_EQ(gone[0].version.ToString(), "1.10.0");
  EXPECT_EQ(gone[1].version.ToString(), "1.9.0");
  EXPECT_EQ(gone[1].published_at, kSuiteNow);
  EXPECT_EQ(gone[1].withdrawal.at, kSuiteNow + 5);
  EXPECT_EQ(gone[1].withdrawal.by, "admin");
  EXPECT_EQ(gone[1].withdrawal.reason, "leaks a key");
  ASSERT_TRUE(this->Withdraw("1.0.0", "all"));
  EXPECT_EQ(this->Withdrawn().size(), 3U);
}

TEST_P(ModuleStatesSuite, KeepsHowAVersionDiffersFromTheOneBefore) {
  ModuleVersionRecord record = Record("acme/vpc/aws", "1.1.0");
  record.step = VersionStep{.before = "1.0.0",
                            .needed = "major",
                            .given = "minor",
                            .agrees = false,
                            .wanted = "2.0.0",
                            .inputs = {1, 2, 3, 0},
                            .outputs = {},
                            .resources = {},
                            .breaking = 3,
                            .to_read = 0};
  this->Add(record);
  this->Add(Record("acme/vpc/aws", "1.0.0"));
  auto found = RunTask(modules().ListVersions(Address("acme/vpc/aws")));
  ASSERT_TRUE(found && found->size() == 2U);
  EXPECT_EQ((*found)[0].step, record.step);
  EXPECT_EQ((*found)[1].step, std::nullopt);
}

}  // namespace
}  // namespace koya
