// What the two suites about providers share. See catalog_suite_base.h.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "catalog/catalog_samples_fake.h"
#include "catalog/change_log.h"
#include "catalog/key_catalog.h"
#include "catalog/provider_catalog.h"
#include "domain/page.h"

namespace koya {

class ProviderSuiteBase : public CatalogSuiteBase {
 protected:
  using What = ReleaseOutcome::What;
  // With the key that SampleRelease names.
  void AddKeyTo(const std::string& ns) {
    ASSERT_TRUE(RunTask(keys().AddKey(Tester(), SampleKey(ns))));
    changes_before_ = *RunTask(changes().LatestChange());
  }
  Texts Topics() { return this->TopicsSince(changes_before_); }

  // Of the draft as it is now; "" for a release without one.
  ReleaseOutcome Add(const ProviderRelease& release, const std::string& id = "") {
    std::optional<DraftRecord> draft;
    if (!id.empty()) draft = RunTask(drafts().FindDraft(id, 0)).value();
    Result<ReleaseOutcome> outcome =
        RunTask(providers().AddRelease(Tester(), release, std::move(draft)));
    EXPECT_TRUE(outcome) << outcome.error().message << outcome.error().detail;
    return outcome ? *outcome : ReleaseOutcome{.what = What::kWithdrawn};
  }
  What AddWhat(std::string_view address, std::string_view version,
               const std::string& content = "content") {
    return Add(SampleRelease(address, version, content)).what;
  }
  Status Withdraw(std::string_view address, std::string_view version) {
    Withdrawal withdrawal{.at = kSuiteNow + 100, .by = "admin", .reason = "leaked a secret"};
    return RunTask(
        providers().WithdrawRelease(Tester(), Provider(address), V(version), withdrawal));
  }
  Status Deprecate(std::string_view address, std::string_view version, std::string message) {
    return RunTask(
        providers().DeprecateRelease(Tester(), Provider(address), V(version), std::move(message)));
  }
  Result<ProviderRelease> Find(std::string_view address, std::string_view version) {
    return RunTask(providers().FindRelease(Provider(address), V(version)));
  }
  Texts Versions(std::string_view address) {
    Texts texts;
    auto releases = RunTask(providers().ListReleases(Provider(address)));
    if (!releases) return texts;
    for (const ReleaseSummary& release : *releases) texts.push_back(release.version.ToString());
    return texts;
  }
  // "acme/demo 1.0.0" for each provider of a page; "…" when there are more.
  Texts List(ProviderFilter filter = {}, PageRequest page = {0, 100}) {
    Texts texts;
    auto found = RunTask(providers().ListProviders(std::move(filter), page));
    EXPECT_TRUE(found) << found.error().message << found.error().detail;
    if (!found) return texts;
    for (const ProviderSummary& item : found->items) {
      texts.push_back(item.address.ToString() + " " + item.latest.ToString());
    }
    if (found->more) texts.push_back("…");
    return texts;
  }

 private:
  ChangePosition changes_before_;
};

}  // namespace koya
