// What every catalog must do: adding, finding and withdrawing releases. See catalog_suite_base.h.
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "catalog/catalog_parts_fake.h"
#include "catalog/change_log.h"
#include "catalog/key_catalog.h"
#include "catalog/provider_catalog.h"
#include "catalog/provider_suite_base.h"
#include "domain/provider_record.h"
#include "domain/withdrawal.h"

namespace koya {
namespace {

class ProviderCatalogSuite : public ProviderSuiteBase {};
INSTANTIATE_CATALOG_SUITE(ProviderCatalogSuite);

TEST_P(ProviderCatalogSuite, KeepsEveryFieldOfARelease) {
  this->AddKeyTo("größe");
  ProviderRelease release = SampleRelease("größe/demo", "1.2.3-rc.1+build.7");
  release.protocols = {"5.0", "6.0"};
  release.sums.size = 5'000'000'000;
  release.published_by = "ci \"1\" é";
  release.deprecation = "Größe, 'quotes', 100% {{key}} :name\n豆腐";
  release.packages[0].size = 6'000'000'000;
  release.packages[0].h1 = {"h1:a+/=", "h1:b"};
  release.packages[1].h1 = {};
  ASSERT_EQ(this->Add(release).what, ReleaseOutcome::What::kAdded);
  auto found = this->Find("größe/demo", "1.2.3-rc.1+build.7");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(*found, release);
  EXPECT_EQ(found->version.ToString(), "1.2.3-rc.1+build.7");
}

TEST_P(ProviderCatalogSuite, PackagesComeByPlatformWhateverTheirOrder) {
  this->AddKeyTo("acme");
  ProviderRelease release = SampleRelease("acme/demo", "1.0.0");
  release.packages.clear();
  for (const char* platform : {"windows_386", "linux_arm64", "linux_386", "darwin_arm64"}) {
    release.packages.push_back(SamplePackage(platform, "content"));
  }
  ASSERT_EQ(this->Add(release).what, ReleaseOutcome::What::kAdded);
  std::ranges::sort(release.packages, {}, &ProviderPackage::platform);
  EXPECT_EQ(this->Find("acme/demo", "1.0.0")->packages, release.packages);
  auto listed = RunTask(providers().ListReleases(Provider("acme/demo")));
  ASSERT_TRUE(listed);
  EXPECT_EQ((*listed)[0].platforms, (std::vector{On("darwin_arm64"), On("linux_386"),
                                                 On("linux_arm64"), On("windows_386")}));
}

TEST_P(ProviderCatalogSuite, UnknownProvidersAndReleasesAreNotFound) {
  this->AddKeyTo("acme");
  this->AddWhat("acme/demo", "1.0.0");
  constexpr ErrorKind kNotFound = ErrorKind::kNotFound;
  this->ExpectFails(RunTask(providers().ListReleases(Provider("acme/other"))), kNotFound,
                    "this registry has no provider acme/other");
  this->ExpectFails(this->Find("acme/other", "1.0.0"), kNotFound, "acme/other has no version");
  this->ExpectFails(this->Find("acme/demo", "1.0.1"), kNotFound,
                    "provider acme/demo has no version 1.0.1");
  this->ExpectFails(this->Find("acme/demo", "1.0.0+b"), kNotFound, "no version 1.0.0+b");
  this->ExpectFails(this->Withdraw("acme/other", "1.0.0"), kNotFound, "no provider acme/other");
  this->ExpectFails(this->Withdraw("acme/demo", "9.9.9"), kNotFound, "no version 9.9.9");
  this->ExpectFails(this->Withdraw("acme/demo", "1.0.0+b"), kNotFound, "no version 1.0.0+b");
  this->ExpectFails(this->Deprecate("acme/other", "1.0.0", "old"), kNotFound, "no version 1.0.0");
  this->ExpectFails(this->Deprecate("acme/demo", "1.0.0+b", "old"), kNotFound, "1.0.0+b");
  EXPECT_EQ(this->Topics(), Texts{"provider:acme/demo"});
}

TEST_P(ProviderCatalogSuite, AReleaseNeverChanges) {
  using What = ReleaseOutcome::What;
  this->AddKeyTo("acme");
  struct Case {
    const char* version;
    const char* content;
    What wanted;
  };
  const Case kCases[] = {{"1.0.0+a", "one", What::kAdded},      {"1.0.0+a", "one", What::kSameSums},
                         {"1.0.0+a", "two", What::kOtherSums},  {"1.0.0", "one", What::kOtherBuild},
                         {"1.0.0+b", "one", What::kOtherBuild}, {"1.0.0-rc.1", "one", What::kAdded},
                         {"1.0.0-RC.1", "one", What::kAdded},   {"1.0.1", "one", What::kAdded}};
  const ProviderRelease first = SampleRelease("acme/demo", "1.0.0+a", "one");
  for (const Case& c : kCases) {
    ProviderRelease release = SampleRelease("acme/demo", c.version, c.content);
    auto check =
        RunTask(providers().CheckRelease(release.address, release.version, release.sums.digest));
    ASSERT_TRUE(check);
    EXPECT_EQ(check->what, c.wanted) << c.version;
    ReleaseOutcome outcome = this->Add(release);
    EXPECT_EQ(outcome.what, c.wanted) << c.version;
    EXPECT_FALSE(outcome.withdrawal);
    if (c.wanted == What::kAdded) {
      EXPECT_FALSE(outcome.existing) << c.version;
    } else {
      EXPECT_EQ(outcome.existing, first) << c.version;
      EXPECT_EQ(check->existing, first) << c.version;
    }
  }
  EXPECT_EQ(*this->Find("acme/demo", "1.0.0+a"), first);
  EXPECT_EQ(this->Topics().size(), 4u);
}

TEST_P(ProviderCatalogSuite, CheckingWithoutSumsSaysWhatIsCertain) {
  using What = ReleaseOutcome::What;
  this->AddKeyTo("acme");
  this->AddWhat("acme/demo", "1.0.0+a");
  this->AddWhat("acme/demo", "2.0.0");
  ASSERT_TRUE(this->Withdraw("acme/demo", "2.0.0"));
  auto check = [this](std::string_view version) {
    return RunTask(providers().CheckRelease(Provider("acme/demo"), V(version), std::nullopt))->what;
  };
  EXPECT_EQ(check("3.0.0"), What::kAdded);
  EXPECT_EQ(check("1.0.0+a"), What::kSameSums);
  EXPECT_EQ(check("1.0.0"), What::kOtherBuild);
  EXPECT_EQ(check("2.0.0"), What::kWithdrawn);
  EXPECT_EQ(RunTask(providers().CheckRelease(Provider("no/body"), V("1.0.0"), std::nullopt))->what,
            What::kAdded);
}

TEST_P(ProviderCatalogSuite, AReleaseNeedsAKeyThatItsNamespaceUses) {
  const ProviderRelease release = SampleRelease("acme/demo", "1.0.0");
  const std::string fingerprint(kSampleKey);
  auto expect_refused = [&] {
    this->ExpectFails(RunTask(providers().AddRelease(Tester(), release, SampleDraft("draft"))),
                      ErrorKind::kConflict,
                      fingerprint + ", which is not (or no longer) a key of the namespace acme");
    EXPECT_TRUE(RunTask(drafts().FindDraft("draft", kSuiteNow))) << "nothing changed";
    EXPECT_EQ(this->Topics(), Texts{});
  };
  ASSERT_TRUE(RunTask(drafts().AddDraft(SampleDraft("draft"), 1)));
  this->AddKeyTo("other");
  expect_refused();
  this->AddKeyTo("acme");
  ASSERT_TRUE(RunTask(keys().RemoveKey(Tester(), "acme", fingerprint, kSuiteNow)));
  this->AddKeyTo("other");  // counts changes from here
  expect_refused();
  this->AddKeyTo("acme");
  EXPECT_EQ(this->Add(release, "draft").what, ReleaseOutcome::What::kAdded);
  ASSERT_TRUE(RunTask(keys().RemoveKey(Tester(), "acme", fingerprint, kSuiteNow)));
  EXPECT_EQ(this->Add(release).what, ReleaseOutcome::What::kSameSums) << "it is there already";
  EXPECT_EQ(this->Find("acme/demo", "1.0.0")->key_fingerprint, fingerprint) << "it stays valid";
}

TEST_P(ProviderCatalogSuite, AnImportedReleaseMayHaveAKeyThatWasRemoved) {
  const ProviderRelease release = SampleRelease("acme/demo", "1.0.0");
  ReleaseExtras extras;
  extras.imported = true;
  this->AddKeyTo("other");
  EXPECT_FALSE(RunTask(providers().AddRelease(Tester(), release, std::nullopt, extras)));
  this->AddKeyTo("acme");
  ASSERT_TRUE(RunTask(keys().RemoveKey(Tester(), "acme", std::string(kSampleKey), kSuiteNow)));
  const Result<ReleaseOutcome> added =
      RunTask(providers().AddRelease(Tester(), release, std::nullopt, extras));
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_EQ(added->what, ReleaseOutcome::What::kAdded);
}

TEST_P(ProviderCatalogSuite, AnAddedReleaseTakesItsDraftAway) {
  this->AddKeyTo("acme");
  const Digest in_draft = Digest::Of("only in the draft");
  for (const char* id : {"mine", "other"}) {
    ASSERT_TRUE(RunTask(drafts().AddDraft(SampleDraft(id), 9)));
    ASSERT_TRUE(
        RunTask(drafts().PutDraftFile(id, SampleFile("f", "only in the draft"), 1 << 30, 9)));
  }
  ASSERT_EQ(this->Add(SampleRelease("acme/demo", "1.0.0"), "mine").what,
            ReleaseOutcome::What::kAdded);
  this->ExpectFails(RunTask(drafts().FindDraft("mine", 0)), ErrorKind::kNotFound, "\"mine\"");
  EXPECT_TRUE(RunTask(drafts().FindDraft("other", 0)));
  EXPECT_TRUE(this->IsReferenced(in_draft));
  EXPECT_EQ(this->Add(SampleRelease("acme/demo", "1.0.0"), "other").what,
            ReleaseOutcome::What::kSameSums);
  EXPECT_TRUE(RunTask(drafts().FindDraft("other", 0))) << "only an addition changes anything";
  EXPECT_EQ(this->Add(SampleRelease("acme/demo", "1.0.1"), "other").what,
            ReleaseOutcome::What::kAdded);
  EXPECT_FALSE(this->IsReferenced(in_draft)) << "its files went with it";
}

TEST_P(ProviderCatalogSuite, AnAbandonedDraftIsNeverPublished) {
  this->AddKeyTo("acme");
  ASSERT_TRUE(RunTask(drafts().AddDraft(SampleDraft("draft"), 9)));
  const DraftRecord found = RunTask(drafts().FindDraft("draft", kSuiteNow)).value();
  ASSERT_TRUE(RunTask(drafts().RemoveDraft("draft")));
  for (const DraftRecord& gone : {found, SampleDraft(""), SampleDraft("\xff")}) {
    this->ExpectFails(
        RunTask(providers().AddRelease(Tester(), SampleRelease("acme/demo", "1.0.0"), gone)),
        ErrorKind::kNotFound, "it was published, abandoned or has expired");
  }
  EXPECT_EQ(this->Versions("acme/demo"), Texts{});
  EXPECT_EQ(this->List(), Texts{});
  EXPECT_EQ(this->Topics(), Texts{});
}

TEST_P(ProviderCatalogSuite, ADraftThatGotOtherFilesSinceItWasReadIsNotPublished) {
  this->AddKeyTo("acme");
  ASSERT_TRUE(RunTask(drafts().AddDraft(SampleDraft("draft"), 9)));
  auto put = [this](const DraftFile& file) {
    EXPECT_TRUE(RunTask(drafts().PutDraftFile("draft", file, kSuiteNow + 100, 9)));
    return RunTask(drafts().FindDraft("draft", kSuiteNow)).value();
  };
  const ProviderRelease release = SampleRelease("acme/demo", "1.0.0");
  const DraftRecord with_one = put(SampleFile("a.zip", "old"));
  const DraftRecord replaced = put(SampleFile("a.zip", "newer"));
  const DraftRecord with_two = put(SampleFile("b.zip"));
  for (const DraftRecord& stale : {with_one, replaced}) {
    this->ExpectFails(RunTask(providers().AddRelease(Tester(), release, stale)),
                      ErrorKind::kConflict, "got other files while it was being published");
    EXPECT_EQ(this->Versions("acme/demo"), Texts{});
    EXPECT_EQ(RunTask(drafts().FindDraft("draft", kSuiteNow))->files, with_two.files) << "it stays";
  }
  EXPECT_EQ(RunTask(providers().AddRelease(Tester(), release, with_two))->what,
            ReleaseOutcome::What::kAdded);
}

TEST_P(ProviderCatalogSuite, AWithdrawnReleaseIsGoneButRemembered) {
  this->AddKeyTo("acme");
  this->AddWhat("acme/demo", "1.0.0");
  this->AddWhat("acme/demo", "1.1.0");
  ASSERT_TRUE(this->Withdraw("acme/demo", "1.1.0"));
  EXPECT_EQ(this->Versions("acme/demo"), Texts{"1.0.0"});
  EXPECT_EQ(this->List(), Texts{"acme/demo 1.0.0"});
  this->ExpectFails(this->Find("acme/demo", "1.1.0"), ErrorKind::kGone, "leaked a secret");
  this->ExpectFails(this->Withdraw("acme/demo", "1.1.0"), ErrorKind::kGone, "1.1.0");
  this->ExpectFails(this->Deprecate("acme/demo", "1.1.0", "old"), ErrorKind::kGone, "1.1.0");
  for (const char* version : {"1.1.0", "1.1.0+again"}) {
    ReleaseOutcome outcome = this->Add(SampleRelease("acme/demo", version));
    EXPECT_EQ(outcome.what, ReleaseOutcome::What::kWithdrawn);
    ASSERT_TRUE(outcome.withdrawal);
    EXPECT_EQ(outcome.withdrawal->reason, "leaked a secret");
    EXPECT_EQ(outcome.withdrawal->by, "admin");
    EXPECT_EQ(outcome.withdrawal->at, kSuiteNow + 100);
    EXPECT_EQ(outcome.existing->packages.size(), 2u);
  }
}

TEST_P(ProviderCatalogSuite, AWithdrawalCanBeUndoneWhileItsBytesAreKept) {
  const ProviderAddress address = Provider("acme/demo");
  auto restore = [&](const char* version) {
    return RunTask(providers().RestoreRelease(Tester(), address, V(version), "by mistake"));
  };
  auto withdraw = [&](std::chrono::seconds keep_for) {
    const Withdrawal withdrawal{.at = kSuiteNow, .by = "admin", .reason = "leaks"};
    return RunTask(
        providers().WithdrawRelease(Tester(), address, V("1.1.0"), withdrawal, keep_for));
  };
  this->AddKeyTo("acme");
  this->ExpectFails(restore("1.1.0"), ErrorKind::kNotFound, "acme/demo");
  this->AddWhat("acme/demo", "1.0.0");
  const ProviderRelease release = SampleRelease("acme/demo", "1.1.0");
  ASSERT_EQ(this->Add(release).what, ReleaseOutcome::What::kAdded);
  this->ExpectFails(restore("1.1.0"), ErrorKind::kConflict, "not withdrawn");
  this->ExpectFails(restore("1.2.0"), ErrorKind::kNotFound, "1.2.0");
  ASSERT_TRUE(withdraw(std::chrono::hours(1)));
  for (const Digest& digest :
       {release.packages[0].digest, release.sums.digest, release.signature.digest}) {
    EXPECT_TRUE(this->IsReferenced(digest) && this->IsPublished(digest));
  }
  ASSERT_TRUE(restore("1.1.0"));
  EXPECT_EQ(this->Versions("acme/demo"), (Texts{"1.1.0", "1.0.0"}));
  EXPECT_EQ(this->List(), Texts{"acme/demo 1.1.0"});
  EXPECT_EQ(this->Find("acme/demo", "1.1.0")->packages, release.packages);
  ASSERT_TRUE(withdraw(std::chrono::seconds(-1)));
  this->ExpectFails(restore("1.1.0"), ErrorKind::kGone, "blobs.gc_grace");
}

TEST_P(ProviderCatalogSuite, ABlobIsReferencedWhileAReleaseOrADraftNeedsIt) {
  this->AddKeyTo("acme");
  const ProviderRelease release = SampleRelease("acme/demo", "1.0.0");
  const std::vector<Digest> all = {release.packages[0].digest, release.packages[1].digest,
                                   release.sums.digest, release.signature.digest};
  auto count = [&] {
    return std::ranges::count_if(all, [this](const Digest& digest) {
      EXPECT_EQ(this->IsPublished(digest), this->IsReferenced(digest));
      return this->IsReferenced(digest);
    });
  };
  EXPECT_EQ(count(), 0);
  this->Add(release);
  EXPECT_EQ(count(), 4);
  ASSERT_EQ(this->AddWhat("acme/copy", "1.0.0"), ReleaseOutcome::What::kAdded);
  ASSERT_TRUE(this->Deprecate("acme/copy", "1.0.0", "old"));
  ASSERT_TRUE(this->Withdraw("acme/demo", "1.0.0"));
  EXPECT_EQ(count(), 4) << "the copy is served from them";
  ASSERT_TRUE(this->Withdraw("acme/copy", "1.0.0"));
  EXPECT_EQ(count(), 0);

  ASSERT_TRUE(RunTask(drafts().AddDraft(SampleDraft("draft"), 1)));
  DraftFile file = SampleFile("a.zip");
  file.digest = all[0];
  ASSERT_TRUE(RunTask(drafts().PutDraftFile("draft", file, kSuiteNow - 1, 1)));
  this->ExpectFails(RunTask(drafts().FindDraft("draft", kSuiteNow)), ErrorKind::kNotFound, "draft");
  EXPECT_EQ(count(), 1) << "an expired draft holds its files until it is removed";
  EXPECT_EQ(RunTask(drafts().RemoveExpiredDrafts(kSuiteNow)), 1u);
  EXPECT_EQ(count(), 0);
}

TEST_P(ProviderCatalogSuite, WhatCannotBeKeptIsRefused) {
  this->AddKeyTo("acme");
  auto add = [this](auto&& change) {
    ProviderRelease release = SampleRelease("acme/demo", "1.0.0");
    change(release);
    return RunTask(providers().AddRelease(Tester(), release, std::nullopt));
  };
  constexpr ErrorKind kInvalid = ErrorKind::kInvalid;
  this->ExpectFails(add([](ProviderRelease& r) { r.packages.clear(); }), kInvalid,
                    "a package for at least one platform");
  this->ExpectFails(add([](ProviderRelease& r) { r.packages.push_back(r.packages[0]); }), kInvalid,
                    "two packages for darwin_arm64");
  this->ExpectFails(add([](ProviderRelease& r) { r.published_by = "\xff"; }), kInvalid,
                    "the publisher's name must be UTF-8 text without NUL, not \"\\xff\"");
  this->ExpectFails(add([](ProviderRelease& r) { r.deprecation = std::string(1, '\0'); }), kInvalid,
                    "the deprecation message");
  this->ExpectFails(add([](ProviderRelease& r) { r.packages[1].filename = "\xff"; }), kInvalid,
                    "the package's file name");
  this->ExpectFails(add([](ProviderRelease& r) { r.key_fingerprint = "\xff"; }),
                    ErrorKind::kConflict, "the key \\xff");
  EXPECT_EQ(this->List(), Texts{});
  this->AddWhat("acme/demo", "1.0.0");
  this->ExpectFails(this->Deprecate("acme/demo", "1.0.0", "\xff"), kInvalid, "deprecation");
  for (const Withdrawal& bad : {Withdrawal{.by = "\xff"}, Withdrawal{.reason = "\xff"}}) {
    this->ExpectFails(
        RunTask(providers().WithdrawRelease(Tester(), Provider("acme/demo"), V("1.0.0"), bad)),
        kInvalid, "must be UTF-8 text");
  }
  EXPECT_EQ(this->Versions("acme/demo"), Texts{"1.0.0"});
}

TEST_P(ProviderCatalogSuite, ChangesOfReleasesAreLogged) {
  this->AddKeyTo("größe");
  this->AddWhat("größe/demo", "1.0.0");
  this->AddWhat("größe/demo", "1.0.0");  // changes nothing
  EXPECT_EQ(this->Topics(), Texts{"provider:größe/demo"});
  ASSERT_TRUE(this->Deprecate("größe/demo", "1.0.0", "old"));
  EXPECT_EQ(this->Topics().size(), 2u);
  ASSERT_TRUE(this->Withdraw("größe/demo", "1.0.0"));
  EXPECT_EQ(this->Topics(), Texts(3, "provider:größe/demo"));
  ASSERT_TRUE(RunTask(changes().WaitForChange()));
}

TEST_P(ProviderCatalogSuite, OfRacingCommitsOneWins) {
  using What = ReleaseOutcome::What;
  this->AddKeyTo("acme");
  ASSERT_TRUE(RunTask(drafts().AddDraft(SampleDraft("draft"), 1)));
  Racers racers;
  std::vector<Result<ReleaseOutcome>> outcomes;
  for (int i = 0; i < 60; ++i) {
    // One version, six contents, two builds; the provider's row does not exist yet.
    auto release =
        SampleRelease("acme/demo", i % 3 == 0 ? "1.0.0" : "1.0.0+b", std::to_string(i % 6));
    racers.Add(providers().AddRelease(Tester(), std::move(release), SampleDraft("draft")),
               &outcomes);
  }
  racers.Run();
  ASSERT_EQ(outcomes.size(), 60u);
  std::vector<What> whats;
  for (const auto& outcome : outcomes) {
    ASSERT_TRUE(outcome) << outcome.error().message << outcome.error().detail;
    whats.push_back(outcome->what);
  }
  EXPECT_EQ(std::ranges::count(whats, What::kAdded), 1);
  EXPECT_EQ(std::ranges::count(whats, What::kSameSums), 9);
  EXPECT_EQ(
      std::ranges::count(whats, What::kOtherSums) + std::ranges::count(whats, What::kOtherBuild),
      50);
  EXPECT_EQ(this->Versions("acme/demo").size(), 1u);
  EXPECT_EQ(this->Topics(), Texts{"provider:acme/demo"});
  EXPECT_EQ(RunTask(providers().ListProviders({}, {}))->items[0].versions, 1u);
}

TEST_P(ProviderCatalogSuite, CommitsRaceUploadsAndRemovalsWithoutHarm) {
  this->AddKeyTo("acme");
  Racers racers;
  std::vector<Result<ReleaseOutcome>> added;
  std::vector<Result<void>> others;
  std::vector<Result<std::uint64_t>> collected;
  for (int i = 0; i < 12; ++i) {
    const std::string id = "draft" + std::to_string(i);
    ASSERT_TRUE(RunTask(drafts().AddDraft(SampleDraft(id), 99)));
    for (int file = 0; file < 3; ++file) {
      racers.Add(drafts().PutDraftFile(id, SampleFile("f" + std::to_string(file)), kSuiteNow, 9),
                 &others);
    }
    racers.Add(
        providers().AddRelease(Tester(), SampleRelease("acme/demo", "1.0." + std::to_string(i)),
                               SampleDraft(id)),
        &added);
    racers.Add(drafts().RemoveExpiredDrafts(0), &collected);
    if (i == 6) racers.Add(keys().RemoveKey(Tester(), "acme", std::string(kSampleKey), 5), &others);
  }
  racers.Run();
  ASSERT_EQ(added.size(), 12u);
  std::size_t kept = 0;
  for (const auto& outcome : added) {
    if (outcome) {
      ++kept;
    } else {
      EXPECT_EQ(outcome.error().kind, ErrorKind::kConflict) << outcome.error().detail;
    }
  }
  for (const auto& status : others) {
    if (!status) EXPECT_EQ(status.error().kind, ErrorKind::kNotFound) << status.error().detail;
  }
  EXPECT_EQ(this->Versions("acme/demo").size(), kept);
  auto left = RunTask(drafts().RemoveExpiredDrafts(1 << 30));
  ASSERT_TRUE(left);
  EXPECT_LE(*left, 12 - kept) << "a commit's draft does not come back";
}

}  // namespace
}  // namespace koya
