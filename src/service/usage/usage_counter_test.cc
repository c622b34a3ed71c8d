#include "service/usage/usage_counter.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "auth/principal.h"
#include "base/manual_clock_fake.h"
#include "base/run_task.h"
#include "domain/account_record.h"
#include "domain/module_address.h"
#include "domain/version.h"
#include "obs/log.h"
#include "obs/log_capture_fake.h"

namespace koya::service {
namespace {

using What = UsageCounter::What;

// Stores the batches; on command rejects them or loses responses.
class UsageBook final : public UsageCatalog {
 public:
  Task<bool> AddUsage(UsageBatch batch) override {
    ++asked;
    if (away) co_return FailUnavailable("the database is away");
    if (refuses) co_return FailInvalid("this cannot be kept");
    const bool is_new = ids.insert(batch.id).second;
    if (is_new) rows.insert(rows.end(), batch.rows.begin(), batch.rows.end());
    if (is_new) ++batches;
    if (loses_answers) co_return FailUnavailable("the answer was lost");
    co_return is_new;
  }
  Task<std::vector<UsageSum>> ListUsage(UsageFilter) override { co_return Nothing(); }
  Task<std::vector<UsageDaySum>> ListUsageDays(UsageFilter) override { co_return Nothing(); }
  Task<std::vector<UsageTotal>> ListUsageTotals(UsageKind, std::vector<std::string>) override {
    co_return Nothing();
  }
  Task<std::vector<UsageLeader>> ListLeaders(UsageDay, std::uint64_t) override {
    co_return Nothing();
  }
  Task<UsageDay> FindFirstUsageDay() override { co_return Nothing(); }
  Task<UsageTotal> FindUsageTotal(UsageItem) override { co_return Nothing(); }
  Task<bool> FoldUsageDay(UsageDay) override { co_return Nothing(); }
  Task<void> RemoveUsageBefore(UsageDay) override { co_return Nothing(); }
  Task<std::uint64_t> ForgetUsageOf(Actor, std::vector<std::string>) override {
    co_return Nothing();
  }

  // "DAY VERSION by PRINCIPAL/LABEL with CLIENT: FETCHES+ARCHIVES", in order.
  std::multiset<std::string> Lines(UsageDay today) const {
    std::multiset<std::string> lines;
    for (const UsageRow& row : rows) {
      lines.insert(std::to_string(row.day - today) + " " + row.item.version + " by " +
                   row.by.principal + "/" + row.by.label + " with " + row.by.client.ToString() +
                   ": " + std::to_string(row.counts.fetches) + "+" +
                   std::to_string(row.counts.archives));
    }
    return lines;
  }
  std::uint64_t Sum() const {
    std::uint64_t sum = 0;
    for (const UsageRow& row : rows) sum += row.counts.fetches + row.counts.archives;
    return sum;
  }

  bool away = false;
  bool refuses = false;
  bool loses_answers = false;
  int asked = 0;
  int batches = 0;
  std::set<std::string> ids;
  std::vector<UsageRow> rows;

 private:
  static Failure Nothing() { return FailInternal("nobody asks for this here"); }
};

class UsageCounterTest : public ::testing::Test {
 protected:
  using Lines = std::multiset<std::string>;

  static UsageCounter::Item Vpc(std::string_view version) {
    return std::make_shared<const UsageItem>(
        UsageItem::Of(*ModuleAddress::Parse("acme/vpc/aws"), *Version::Parse(version)));
  }
  // Of no account.
  static UsageCounter::Presenter Token(std::string name) {
    return std::make_shared<const auth::Principal>(
        auth::Principal{.name = std::move(name), .scope = Scope::kRead, .namespaces = {}});
  }
  static UsageCounter::Presenter Service(std::string name) {
    return Account(AccountKind::kService, std::move(name));
  }
  static UsageCounter::Presenter Account(AccountKind kind, std::string name) {
    auth::Principal who{.name = "a-token", .scope = Scope::kRead, .namespaces = {}};
    AccountRights rights;
    rights.account.id = "id-of-" + name;
    rights.account.kind = kind;
    rights.account.name = std::move(name);
    who.account = std::make_shared<const AccountRights>(std::move(rights));
    return std::make_shared<const auth::Principal>(std::move(who));
  }
  static std::string Agent(const std::string& label = "") {
    return "OpenTofu/1.12.0 (+https://opentofu.org)" +
           (label.empty() ? "" : " koya-consumer/" + label);
  }

  // As a loop does: a fetch is counted once its answer was sent.
  void Fetch(const UsageCounter::Item& item, const UsageCounter::Presenter& who,
             const std::string& agent, What what = What::kDocument) {
    if (auto tally = counter_->Count({what, item, who, agent})) *tally += 1;
  }
  Lines Written() {
    RunTask(counter_->Write());
    return book_.Lines(clock_.now / kSecondsOfDay);
  }
  void Make(UsageRules rules) {
    counter_ = std::make_unique<UsageCounter>(book_, log_, clock_, rules);
  }

  UsageBook book_;
  ManualClock clock_;
  LogCapture captured_;
  Logger log_{captured_.writer(), LogLevel::kInfo};
  std::unique_ptr<UsageCounter> counter_ =
      std::make_unique<UsageCounter>(book_, log_, clock_, UsageRules{});
  const UsageCounter::Item vpc_ = Vpc("1.0.0");
  const UsageCounter::Presenter ci_ = Service("ci");
};

TEST_F(UsageCounterTest, FetchesAreAddedUpByWhatWhoAndWith) {
  for (int i = 0; i < 3; ++i) Fetch(vpc_, ci_, Agent("prod"));
  Fetch(vpc_, Service("ci"), Agent("prod"));  // the same account, looked up again
  Fetch(Vpc("1.0.0"), ci_, Agent("prod"));    // the same version, rendered again
  Fetch(vpc_, ci_, Agent("prod"), What::kArchive);
  Fetch(vpc_, ci_, Agent("test"));
  Fetch(vpc_, ci_, "OpenTofu/1.11.0");
  Fetch(Vpc("2.0.0"), nullptr, "curl/7.88.1");
  EXPECT_EQ(Written(), (Lines{"0 1.0.0 by service:ci/prod with OpenTofu 1.12: 5+1",
                              "0 1.0.0 by service:ci/test with OpenTofu 1.12: 1+0",
                              "0 1.0.0 by service:ci/ with OpenTofu 1.11: 1+0",
                              "0 2.0.0 by / with other: 1+0"}));
  EXPECT_EQ(book_.batches, 1);
  EXPECT_EQ(counter_->Numbers().counted, 9U);
  book_.rows.clear();
  EXPECT_EQ(Written(), Lines{}) << "nothing is written twice";
  EXPECT_EQ(book_.batches, 1);
}

TEST_F(UsageCounterTest, WhatWasNotSentIsNotCounted) {
  counter_->Count({What::kDocument, vpc_, ci_, Agent()});
  EXPECT_EQ(Written(), Lines{});
  EXPECT_EQ(book_.asked, 0) << "nobody is asked for nothing";
}

TEST_F(UsageCounterTest, AnAnswerThatIsStillBeingSentIsCountedWithTheNextWrite) {
  UsageCounter::Tally tally = counter_->Count({What::kArchive, vpc_, ci_, Agent()});
  EXPECT_EQ(Written(), Lines{});
  EXPECT_EQ(Written(), Lines{});
  *tally += 1;
  tally.reset();
  EXPECT_EQ(Written(), Lines{"0 1.0.0 by service:ci/ with OpenTofu 1.12: 0+1"});
  EXPECT_EQ(Written().size(), 1U);
}

TEST_F(UsageCounterTest, EachDayIsItsOwn) {
  clock_.now = 20'000 * kSecondsOfDay - 1;
  Fetch(vpc_, ci_, Agent());
  clock_.now = 20'000 * kSecondsOfDay;
  Fetch(vpc_, ci_, Agent());
  Fetch(vpc_, ci_, Agent());
  clock_.now = 20'000 * kSecondsOfDay - 1;  // it jumped
  Fetch(vpc_, ci_, Agent());
  clock_.now = 20'000 * kSecondsOfDay;
  EXPECT_EQ(Written(), (Lines{"-1 1.0.0 by service:ci/ with OpenTofu 1.12: 2+0",
                              "0 1.0.0 by service:ci/ with OpenTofu 1.12: 2+0"}));
}

TEST_F(UsageCounterTest, PeopleAreAMarkUnlessTheyMayBeNamed) {
  const auto ada = Account(AccountKind::kUser, "ada");
  const auto token = Token("ci");
  Fetch(vpc_, ada, Agent());
  Fetch(vpc_, token, Agent());
  Fetch(vpc_, Service("build"), Agent());
  RunTask(counter_->Write());
  std::set<std::string> names;
  for (const UsageRow& row : book_.rows) names.insert(row.by.principal);
  EXPECT_EQ(names, (std::set<std::string>{UsageMarkOf("id-of-ada"), UsageMarkOf("token:ci"),
                                          "service:build"}));
  EXPECT_TRUE(UsageMarkOf("id-of-ada").starts_with(kPerson));
  EXPECT_NE(UsageMarkOf("id-of-ada"), UsageMarkOf("id-of-bob"));
  EXPECT_FALSE(UsageMarkOf("id-of-ada").contains("ada"));
  Make({.enabled = true, .names_people = true});
  book_.rows.clear();
  Fetch(vpc_, ada, Agent());
  Fetch(vpc_, token, Agent());
  EXPECT_EQ(Written(), (Lines{"0 1.0.0 by user:ada/ with OpenTofu 1.12: 1+0",
                              "0 1.0.0 by token:ci/ with OpenTofu 1.12: 1+0"}));
}

TEST_F(UsageCounterTest, NothingIsKeptWhenItIsOff) {
  Make({.enabled = false});
  EXPECT_FALSE(counter_->on());
  EXPECT_EQ(counter_->Count({What::kDocument, vpc_, ci_, Agent()}), nullptr);
  EXPECT_EQ(Written(), Lines{});
  EXPECT_EQ(book_.asked, 0);
}

TEST_F(UsageCounterTest, TenThousandLabelsOfOneTokenAreAHundredAndOther) {
  for (int i = 0; i < 5'000; ++i) Fetch(vpc_, ci_, Agent("l" + std::to_string(i)));
  RunTask(counter_->Write());
  for (int i = 5'000; i < 10'000; ++i) Fetch(vpc_, ci_, Agent("l" + std::to_string(i)));
  Fetch(vpc_, Service("build"), Agent("mine"));
  RunTask(counter_->Write());
  std::set<std::string> labels;
  std::uint64_t other = 0;
  for (const UsageRow& row : book_.rows) {
    if (row.by.principal != "service:ci") continue;
    labels.insert(row.by.label);
    if (row.by.label == kOtherLabel) other += row.counts.fetches;
  }
  EXPECT_EQ(labels.size(), UsageCounter::kMostLabels + 1);
  EXPECT_EQ(other, 10'000 - UsageCounter::kMostLabels);
  EXPECT_EQ(book_.Sum(), 10'001U);
  EXPECT_TRUE(book_.Lines(clock_.now / kSecondsOfDay)
                  .contains("0 1.0.0 by service:build/mine with OpenTofu 1.12: 1+0"))
      << "another account has labels of its own";
  // The next day starts with no labels.
  book_.rows.clear();
  clock_.now += 2 * kSecondsOfDay;
  Fetch(vpc_, ci_, Agent("l9999"));
  EXPECT_EQ(Written(), Lines{"0 1.0.0 by service:ci/l9999 with OpenTofu 1.12: 1+0"});
}

TEST_F(UsageCounterTest, AFloodOfKeysLosesWhoAndNotWhat) {
  const std::size_t all = UsageCounter::kMostKeys + 1'000;
  for (std::size_t i = 0; i < all; ++i) Fetch(vpc_, ci_, "agent/" + std::to_string(i));
  Fetch(Vpc("2.0.0"), ci_, Agent("late"));
  RunTask(counter_->Write());
  EXPECT_EQ(book_.Lines(clock_.now / kSecondsOfDay),
            (Lines{"0 1.0.0 by service:ci/ with other: 100000+0", "0 1.0.0 by / with other: 1000+0",
                   "0 2.0.0 by / with other: 1+0"}));
  EXPECT_GE(counter_->Numbers().folded, 2U);
  book_.rows.clear();
  Fetch(Vpc("2.0.0"), ci_, Agent("next"));
  EXPECT_EQ(Written(), Lines{"0 2.0.0 by service:ci/next with OpenTofu 1.12: 1+0"});
}

TEST_F(UsageCounterTest, ABatchWhoseAnswerWasLostIsNotCountedTwice) {
  Fetch(vpc_, ci_, Agent());
  book_.loses_answers = true;
  RunTask(counter_->Write());
  Fetch(vpc_, ci_, Agent());
  RunTask(counter_->Write());
  EXPECT_EQ(book_.batches, 1) << "the first is asked about again before the next";
  book_.loses_answers = false;
  RunTask(counter_->Write());
  EXPECT_EQ(book_.batches, 2);
  EXPECT_EQ(book_.Sum(), 2U);
  EXPECT_EQ(counter_->Numbers().waiting, 0U);
}

TEST_F(UsageCounterTest, ASickCatalogIsToldOfOnceAndNothingIsLostBeforeTheBound) {
  book_.away = true;
  for (std::size_t i = 0; i < UsageCounter::kMostBatches; ++i) {
    Fetch(vpc_, ci_, Agent());
    RunTask(counter_->Write());
  }
  EXPECT_EQ(book_.asked, static_cast<int>(UsageCounter::kMostBatches)) << "once a minute";
  EXPECT_EQ(counter_->Numbers().waiting, UsageCounter::kMostBatches);
  EXPECT_EQ(counter_->Numbers().dropped, 0U);
  Fetch(vpc_, ci_, Agent());
  RunTask(counter_->Write());
  EXPECT_EQ(counter_->Numbers().dropped, 1U) << "the oldest goes";
  EXPECT_EQ(captured_.Lines().size(), 1U);
  book_.away = false;
  RunTask(counter_->Write());
  EXPECT_EQ(book_.Sum(), UsageCounter::kMostBatches);
  EXPECT_EQ(counter_->Numbers().waiting, 0U);
}

TEST_F(UsageCounterTest, ABatchThatIsRefusedDoesNotKeepOthersWaiting) {
  book_.refuses = true;
  Fetch(vpc_, ci_, Agent());
  RunTask(counter_->Write());
  EXPECT_EQ(counter_->Numbers().dropped, 1U);
  book_.refuses = false;
  Fetch(vpc_, ci_, Agent());
  EXPECT_EQ(Written().size(), 1U);
}

TEST_F(UsageCounterTest, BatchesAreNotLargerThanTheCatalogTakes) {
  for (int i = 0; i < 2'500; ++i) {
    Fetch(Vpc("1.0." + std::to_string(i)), ci_, Agent());
  }
  RunTask(counter_->Write());
  EXPECT_EQ(book_.batches, 3);
  EXPECT_EQ(book_.rows.size(), 2'500U);
}

TEST_F(UsageCounterTest, LoopsCountAtOnceAndNothingIsLostOrDoubled) {
  constexpr int kThreads = 4;
  constexpr int kEach = 5'000;
  std::atomic<int> left = kThreads;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([this, &left] {
        for (int n = 0; n < kEach; ++n) Fetch(vpc_, ci_, Agent(n % 2 == 0 ? "a" : "b"));
        --left;
      });
    }
    while (left > 0) RunTask(counter_->Write());
  }
  RunTask(counter_->Write());
  EXPECT_EQ(book_.Sum(), std::uint64_t{kThreads} * kEach);
}

}  // namespace
}  // namespace koya::service
