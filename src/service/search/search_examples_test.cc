#include "service/search/search.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "auth/principal.h"
#include "base/manual_clock_fake.h"
#include "base/run_task.h"
#include "catalog/access_catalog.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/search_index.h"
#include "domain/search_record.h"
#include "service/access/namespaces.h"

namespace koya::service {
namespace {

using Texts = std::vector<std::string>;

// Finds these, and counts how often it is asked; puts nothing in.
class FakeIndex final : public SearchIndex {
 public:
  Task<void> PutSearchEntries(SearchSubject /*subject*/,
                              std::vector<SearchEntry> /*entries*/) override {
    co_return Status();
  }
  Task<void> RemoveSearchEntries(SearchSubject /*subject*/) override { co_return Status(); }
  Task<void> ForgetSpellings() override { co_return Status(); }
  Task<std::vector<SearchSubject>> ListSearchSubjects(
      std::optional<SearchSubject> /*after*/) override {
    co_return std::vector<SearchSubject>();
  }
  Task<std::vector<SearchSubject>> ListUnindexed(SearchKind /*kind*/,
                                                 std::optional<SearchSubject> /*after*/) override {
    co_return std::vector<SearchSubject>();
  }
  Task<std::vector<SearchSubject>> ListUnindexedMirrored(
      std::optional<SearchSubject> /*after*/) override {
    co_return std::vector<SearchSubject>();
  }
  Task<SearchPage> Search(SearchRequest request) override {
    ++asked;
    EXPECT_EQ(request.order, SearchOrder::kNewest);
    EXPECT_EQ(request.query.kinds(), std::vector{SearchKind::kResource});
    EXPECT_TRUE(request.query.here());
    if (while_asked) while_asked();
    if (away) co_return FailUnavailable("the database is away");
    co_return SearchPage{.items = hits, .counts = {}};
  }

  void Add(std::string address, std::string name) {
    SearchHit hit;
    hit.kind = SearchKind::kResource;
    hit.address = std::move(address);
    hit.name = std::move(name);
    hits.push_back(std::move(hit));
  }

  int asked = 0;
  bool away = false;
  std::function<void()> while_asked;
  std::vector<SearchHit> hits;
};

SearchHit PackageAt(std::string address) {
  SearchHit hit;
  hit.address = std::move(address);
  return hit;
}

class SearchExamplesTest : public ::testing::Test {
 protected:
  void AddNamespace(const std::string& name, Visibility visibility) {
    NamespaceRecord record{
        .name = name, .visibility = visibility, .created_at = 1, .created_by = "test"};
    ASSERT_TRUE(RunTask(catalog_.namespaces().AddNamespace(Actor::Server(), record)));
  }
  Texts Find(std::vector<SearchHit> shown, auth::Principal by = {}) {
    auto found = RunTask(examples_.FindExamples(std::move(by), std::move(shown)));
    EXPECT_TRUE(found) << found.error().message;
    return found.value_or(Texts());
  }
  Texts Types() { return Find({PackageAt("acme/x/aws")}); }

  ManualClock clock_;
  TestCatalog catalog_;
  Namespaces namespaces_{catalog_, Visibility::kPublic};
  FakeIndex index_;
  SearchExamples examples_{index_, namespaces_, clock_};
};

TEST_F(SearchExamplesTest, AreMadeOfWhatIsHere) {
  index_.Add("acme/vpc/aws", "aws_vpc.this");
  EXPECT_EQ(Find({PackageAt("acme/network/aws"), PackageAt("data/lake")}),
            (Texts{"network", "uses:aws_vpc", "ns:data"}));
  EXPECT_EQ(Find({PackageAt("data/lake")}), (Texts{"lake", "uses:aws_vpc", "ns:data"}));
}

TEST_F(SearchExamplesTest, ThereAreNoneWhereNothingIsShown) {
  index_.Add("acme/vpc/aws", "aws_vpc.this");
  EXPECT_EQ(Find({}), Texts{});
  EXPECT_EQ(index_.asked, 0);
}

TEST_F(SearchExamplesTest, ATypeIsAResourcesOwn) {
  struct Case {
    const char* name;
    const char* example;  // "": none
  };
  for (const Case& each :
       {Case{"aws_vpc.this", "uses:aws_vpc"}, Case{"private/aws_subnet.this", "uses:aws_subnet"},
        Case{"my_v1.2/a/aws_subnet.this", "uses:aws_subnet"}, Case{"data.aws_ami.x", ""},
        Case{"ephemeral.aws_secret.x", ""}, Case{"größe_x.this", ""}, Case{"a_b:c.this", ""},
        Case{"null.this", ""}, Case{"", ""},
        Case{"a_very_long_type_that_no_line_has_room_for_at_all.this", ""}}) {
    index_.hits.clear();
    index_.Add("acme/vpc/aws", each.name);
    examples_.Invalidate("module:acme/vpc/aws");
    Texts expected{"x", "ns:acme"};
    if (*each.example != '\0') expected.insert(expected.begin() + 1, each.example);
    EXPECT_EQ(Types(), expected) << each.name;
  }
}

TEST_F(SearchExamplesTest, NobodyIsToldOfWhatTheyMayNotRead) {
  AddNamespace("hidden", Visibility::kPrivate);
  AddNamespace("inside", Visibility::kInternal);
  index_.Add("hidden/vpc/aws", "aws_secret.this");
  index_.Add("hidden/vpc/aws", "aws_other.this");
  index_.Add("inside/vpc/aws", "aws_inner.this");
  index_.Add("acme/vpc/aws", "aws_vpc.this");
  EXPECT_EQ(Types()[1], "uses:aws_vpc");
  auth::Principal reader{.name = "ci", .scope = Scope::kRead, .namespaces = {"acme"}};
  EXPECT_EQ(Find({PackageAt("acme/x/aws")}, reader)[1], "uses:aws_inner");
  EXPECT_EQ(Find({PackageAt("acme/x/aws")}, auth::Principal::Operator())[1], "uses:aws_secret");
  EXPECT_EQ(index_.asked, 1) << "once for everybody";
}

TEST_F(SearchExamplesTest, TheIndexIsAskedEveryFiveMinutesAndAfterAChange) {
  clock_.now += 1000;
  index_.Add("acme/vpc/aws", "aws_vpc.this");
  Types();
  clock_.now += 299;
  Types();
  EXPECT_EQ(index_.asked, 1);
  clock_.now += 1;
  Types();
  EXPECT_EQ(index_.asked, 2);
  for (const char* topic : {"provider:acme/demo", "token:ci", "namespace:acme", "access"}) {
    examples_.Invalidate(topic);
    Types();
    EXPECT_EQ(index_.asked, 2) << topic;
  }
  for (const char* topic : {"module:acme/vpc/aws", ""}) {
    examples_.Invalidate(topic);
    const int before = index_.asked;
    Types();
    EXPECT_EQ(index_.asked, before + 1) << topic;
  }
}

TEST_F(SearchExamplesTest, UntilTheIndexHasSettledItIsAskedMoreOften) {
  index_.Add("acme/vpc/aws", "aws_vpc.this");
  examples_.Invalidate("module:acme/vpc/aws");
  Types();
  index_.hits.clear();
  clock_.now += 4;
  EXPECT_EQ(Types().size(), 3U);
  clock_.now += 1;
  EXPECT_EQ(Types(), (Texts{"x", "ns:acme"}));
  EXPECT_EQ(index_.asked, 2);
}

TEST_F(SearchExamplesTest, WhatWasAskedBeforeAChangeIsNotKept) {
  index_.Add("acme/vpc/aws", "aws_vpc.this");
  index_.while_asked = [this] { examples_.Invalidate("module:acme/vpc/aws"); };
  Types();
  index_.while_asked = nullptr;
  Types();
  EXPECT_EQ(index_.asked, 2);
}

TEST_F(SearchExamplesTest, WithoutTheCatalogThereIsNoType) {
  index_.away = true;
  EXPECT_EQ(Types(), (Texts{"x", "ns:acme"}));
}

}  // namespace
}  // namespace koya::service
