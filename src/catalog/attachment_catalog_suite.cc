// What every catalog must do: store attachments of modules' versions and of providers' releases.
// See catalog_suite_base.h.
#include <chrono>
#include <string>
#include <vector>

#include "catalog/attachment_catalog.h"
#include "catalog/audit_catalog.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/module_catalog.h"
#include "catalog/provider_suite_base.h"
#include "catalog/storage_catalog.h"
#include "domain/search_record.h"
#include "domain/storage_record.h"

namespace koya {
namespace {

Attachment Sample(std::string name, std::string_view content = "content") {
  return {.name = std::move(name), .digest = Digest::Of(content), .size = content.size()};
}

class AttachmentCatalogSuite : public ProviderSuiteBase {
 protected:
  const ModuleAddress module_ = Address("acme/vpc/aws");
  const ProviderAddress provider_ = Provider("acme/demo");
  const SearchSubject of_module_ = SearchSubject::Of(module_, V("1.0.0"));
  const SearchSubject of_provider_ = SearchSubject::Of(provider_, V("1.0.0"));

  // "acme/vpc/aws 1.0.0" and "acme/demo 1.0.0".
  void Publish() {
    ASSERT_TRUE(RunTask(modules().AddVersion(Tester(), Record("acme/vpc/aws", "1.0.0"))));
    this->AddKeyTo("acme");
    ASSERT_EQ(this->AddWhat("acme/demo", "1.0.0"), What::kAdded);
  }
  Result<bool> Attach(const SearchSubject& version, const Attachment& attachment,
                      std::uint64_t most = 3) {
    return RunTask(attachments().AddAttachment(Tester(), version, attachment, most));
  }
  std::vector<Attachment> List(const SearchSubject& version) {
    return RunTask(attachments().ListAttachments(version)).value();
  }
  void Withdraw(std::chrono::seconds keep_for) {
    const Withdrawal withdrawal{.at = kSuiteNow, .by = "admin", .reason = "leaks"};
    ASSERT_TRUE(RunTask(modules().Withdraw(Tester(), module_, V("1.0.0"), withdrawal, keep_for)));
    ASSERT_TRUE(RunTask(
        providers().WithdrawRelease(Tester(), provider_, V("1.0.0"), withdrawal, keep_for)));
  }
};
INSTANTIATE_CATALOG_SUITE(AttachmentCatalogSuite);

TEST_P(AttachmentCatalogSuite, AttachmentsAreListedByName) {
  this->Publish();
  for (const SearchSubject& version : {of_module_, of_provider_}) {
    EXPECT_EQ(this->List(version), std::vector<Attachment>());
    const Attachment first = Sample("a.spdx.json", version.key);
    const Attachment second = Sample("B.cdx.json");
    EXPECT_EQ(this->Attach(version, first), true);
    EXPECT_EQ(this->Attach(version, second), true);
    EXPECT_EQ(this->List(version), (std::vector{second, first}));
  }
  EXPECT_EQ(this->List(SearchSubject::Of(module_, V("1.0.1"))), std::vector<Attachment>());
}

TEST_P(AttachmentCatalogSuite, TheyCountInTheSumsOfStorageUntilTheyAreWithdrawn) {
  this->Publish();
  for (const SearchSubject& version : {of_module_, of_provider_}) {
    ASSERT_EQ(this->Attach(version, Sample("a.spdx.json")), true);
  }
  EXPECT_EQ(RunTask(storage().SumStorage())->attachments, (StoredSum{2, 14}));
  this->Withdraw(std::chrono::seconds(0));
  EXPECT_EQ(RunTask(storage().SumStorage())->attachments, StoredSum());
}

TEST_P(AttachmentCatalogSuite, TheSameBytesChangeNothingAndOthersAreAConflict) {
  this->Publish();
  for (const SearchSubject& version : {of_module_, of_provider_}) {
    ASSERT_EQ(this->Attach(version, Sample("a.spdx.json")), true);
    const auto audit = RunTask(this->audit().ListAudit({}, 100))->size();
    const ChangePosition before = *RunTask(changes().LatestChange());
    EXPECT_EQ(this->Attach(version, Sample("a.spdx.json")), false);
    this->ExpectFails(this->Attach(version, Sample("a.spdx.json", "other")), ErrorKind::kConflict,
                      version.address + " 1.0.0 has another attachment a.spdx.json");
    EXPECT_EQ(this->List(version), std::vector{Sample("a.spdx.json")});
    EXPECT_EQ(RunTask(this->audit().ListAudit({}, 100))->size(), audit);
    EXPECT_EQ(this->TopicsSince(before), Texts{});
  }
}

TEST_P(AttachmentCatalogSuite, AVersionHasAtMostSoMany) {
  this->Publish();
  for (const SearchSubject& version : {of_module_, of_provider_}) {
    ASSERT_TRUE(this->Attach(version, Sample("a.spdx.json"), 2));
    ASSERT_TRUE(this->Attach(version, Sample("b.spdx.json"), 2));
    const Result<bool> third = this->Attach(version, Sample("c.spdx.json"), 2);
    this->ExpectFails(third, ErrorKind::kRefused, "has 2 attachments");
    EXPECT_EQ(third.error().limit.text(), "limits.attachments");
    EXPECT_EQ(this->Attach(version, Sample("b.spdx.json"), 2), false) << "it is there";
  }
}

TEST_P(AttachmentCatalogSuite, VersionsThatAreNotThereTakeNone) {
  this->Publish();
  for (const SearchSubject& version :
       {SearchSubject::Of(module_, V("1.0.1")), SearchSubject::Of(module_, V("1.0.0+b")),
        SearchSubject::Of(Address("acme/no/aws"), V("1.0.0")),
        SearchSubject::Of(provider_, V("1.0.1")),
        SearchSubject::Of(Provider("acme/no"), V("1.0.0"))}) {
    this->ExpectFails(this->Attach(version, Sample("a.spdx.json")), ErrorKind::kNotFound,
                      version.address + " " + version.version.ToString());
  }
  this->Withdraw(std::chrono::hours(1));
  for (const SearchSubject& version : {of_module_, of_provider_}) {
    this->ExpectFails(this->Attach(version, Sample("a.spdx.json")), ErrorKind::kNotFound,
                      "is not published here");
  }
}

TEST_P(AttachmentCatalogSuite, AddingOneIsAuditedAndAnnounced) {
  this->Publish();
  for (const SearchSubject& version : {of_module_, of_provider_}) {
    const ChangePosition before = *RunTask(changes().LatestChange());
    ASSERT_TRUE(this->Attach(version, Sample("a.spdx.json")));
    EXPECT_EQ(this->TopicsSince(before), Texts{version.key});
    const auto records = RunTask(audit().ListAudit({}, 1));
    ASSERT_TRUE(records);
    const AuditEntry& entry = records->front().entry;
    const std::string kind(SearchKindName(version.kind));
    EXPECT_EQ(entry.action, kind + ".attach");
    EXPECT_EQ(entry.target, kind + ":" + version.address + "@1.0.0");
    EXPECT_EQ(entry.ns, "acme");
    EXPECT_EQ(entry.after, R"({"name":"a.spdx.json","digest":")" +
                               Digest::Of("content").ToString() + R"(","size":7})");
  }
}

TEST_P(AttachmentCatalogSuite, AReleaseIsAddedWithItsAttachments) {
  this->AddKeyTo("acme");
  ReleaseExtras extras;
  extras.attachments = {Sample("a.spdx.json"), Sample("b.sigstore.json", "other")};
  ASSERT_TRUE(RunTask(
      providers().AddRelease(Tester(), SampleRelease("acme/demo", "1.0.0"), std::nullopt, extras)));
  EXPECT_EQ(this->List(of_provider_), extras.attachments);
  const auto records = RunTask(audit().ListAudit({}, 3));
  ASSERT_TRUE(records);
  Texts actions;
  for (const AuditRecord& each : *records) actions.push_back(each.entry.action);
  EXPECT_EQ(actions, (Texts{"provider.attach", "provider.attach", "provider.publish"}));
  EXPECT_TRUE(this->IsPublished(Digest::Of("other")));
}

// As long as those of the version itself, and again when it is restored.
TEST_P(AttachmentCatalogSuite, TheirBlobsAreNeededAsTheVersionIs) {
  this->Publish();
  const Digest of_module = Digest::Of("of the module");
  const Digest of_provider = Digest::Of("of the provider");
  EXPECT_FALSE(this->IsReferenced(of_module));
  ASSERT_TRUE(this->Attach(of_module_, Sample("a.spdx.json", "of the module")));
  EXPECT_TRUE(this->IsReferenced(of_module));
  EXPECT_FALSE(this->IsReferenced(of_provider));
  ASSERT_TRUE(this->Attach(of_provider_, Sample("a.spdx.json", "of the provider")));
  this->Withdraw(std::chrono::hours(1));
  for (const Digest& digest : {of_module, of_provider}) {
    EXPECT_TRUE(this->IsReferenced(digest)) << "the withdrawal can be undone";
    EXPECT_TRUE(this->IsPublished(digest));
  }
  ASSERT_TRUE(RunTask(modules().Restore(Tester(), module_, V("1.0.0"), "by mistake")));
  ASSERT_TRUE(RunTask(providers().RestoreRelease(Tester(), provider_, V("1.0.0"), "by mistake")));
  EXPECT_EQ(this->List(of_module_).size(), 1U);
  EXPECT_EQ(this->List(of_provider_).size(), 1U);
  this->Withdraw(std::chrono::seconds(0));
  for (const Digest& digest : {of_module, of_provider}) {
    EXPECT_FALSE(this->IsReferenced(digest));
    EXPECT_FALSE(this->IsPublished(digest));
  }
}

}  // namespace
}  // namespace koya
