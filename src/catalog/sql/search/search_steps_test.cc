#include "catalog/sql/search/search_query_builder.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "catalog/access_suite_base.h"
#include "catalog/catalog.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/postgres_fixture_fake.h"
#include "catalog/sql/engine/postgres_engine.h"
#include "catalog/sql/open_catalog.h"
#include "domain/search_record.h"

namespace koya::sql {
namespace {

constexpr std::int64_t kLastId = 3'000'000;

WordShares Known() {
  return {.of = {{"n:network", 0.1}, {"t:network", 0.2}, {"k:doc", 0.5}, {"x:all", 1}},
          .of_others = 0.001,
          .entries = 1e6,
          .last_id = kLastId};
}

TEST(SearchStepsTest, SharesAreThoseOfWordsSpreadEvenly) {
  const struct {
    const char* words;
    double share;
  } cases[] = {
      {"'n:network'", 0.1},
      {"('n:network' | 't:network')", 0.28},
      {"('n:network' & 't:network')", 0.02},
      {"((('n:network')) | ('t:network')) & ('k:doc')", 0.14},
      {"('k:doc') & !(('n:network'))", 0.45},
      {"'n:rare'", 0.001},
      {"'n:rare' & 'k:doc'", 0.0005},
      {"'n:netw':*", 0.1},
      {"('x:all')", 1},
      {"", 1},
      {"no words", 1},
      {"'n:unended", 0.001},
      {"('n:network' & ('t:network'", 0.02},
  };
  for (const auto& c : cases) {
    EXPECT_NEAR(EstimateShare(c.words, Known()), c.share, 1e-9) << c.words;
  }
}

TEST(SearchStepsTest, WhatIsRareIsAskedForAtOnce) {
  for (const char* words : {"'n:rare'", "'n:rare' & 'k:doc'", "'n:network' & 'n:a' & 'n:b'"}) {
    const std::vector<SearchStep> steps = InSteps(words, 400, false, Known());
    ASSERT_EQ(steps.size(), 1U) << words;
    EXPECT_EQ(steps[0].words, words);
    EXPECT_GT(steps[0].below_id, kLastId) << "and what others add meanwhile";
  }
}

TEST(SearchStepsTest, OfWhatIsFrequentTheLastAreAskedForFirst) {
  const std::vector<SearchStep> steps = InSteps("'n:network'", 400, false, Known());
  ASSERT_GT(steps.size(), 2U);
  // 2^10 entries are expected to have a fifth of the wanted ones; 3,000,000 >> 10 is 2929.
  EXPECT_EQ(steps[0].words, "('n:network') & ('0=2929' | '0=2928')");
  EXPECT_EQ(steps[1].words, "('n:network') & ('1=732' | '1=731')");
  EXPECT_EQ(steps.back().words, "'n:network'");
  const std::vector<SearchStep> of_kinds = InSteps("'n:network'", 400, true, Known());
  EXPECT_EQ(of_kinds[0].words, "('n:network') & ('1=732' | '1=731')");
  EXPECT_LT(of_kinds.size(), steps.size()) << "they need not lie at the end";
  EXPECT_LT(InSteps("'k:doc'", 10'000, false, Known()).size(), steps.size());
}

// Each entry is found by one step: the first whose part of all it is in.
TEST(SearchStepsTest, EachStepEndsWhereTheOneBeforeBegins) {
  for (std::int64_t last_id : {1LL, 1023LL, 3072LL, 4096LL, 100'000LL, 3'000'000LL, 1LL << 40}) {
    WordShares shares = Known();
    shares.last_id = last_id;
    const std::vector<SearchStep> steps = InSteps("'x:all'", 100, false, shares);
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
      // "('x:all') & ('1=732' | '1=731')"
      const std::size_t at = steps[i].words.rfind("| '") + 3;
      const int power = 10 + 2 * (steps[i].words[at] - '0');
      const std::int64_t first = std::stoll(steps[i].words.substr(at + 2)) << power;
      EXPECT_EQ(steps[i + 1].below_id, first);
      EXPECT_LT(first, last_id - (std::int64_t{1} << power) + 1);
      EXPECT_LT(steps[i + 1].below_id, steps[i].below_id);
    }
    EXPECT_EQ(steps.back().words, "'x:all'");
  }
}

TEST(SearchStepsTest, WithoutNumbersStepsAreTakenAllTheSame) {
  const std::vector<SearchStep> steps = InSteps("'n:rare'", 400, false, {.last_id = kLastId});
  EXPECT_GT(steps.size(), 2U);
  EXPECT_EQ(InSteps("'n:rare'", 400, false, {}).size(), 1U) << "there are no entries";
}

TEST(SearchStepsTest, SharesAreKnownOnceTheIndexWasAnalyzed) {
  std::string reason;
  PostgresServer* server = PostgresServer::Shared(&reason);
  if (server == nullptr) GTEST_SKIP() << reason;
  const std::string url = server->MakeDatabase();
  auto catalog =
      OpenCatalog({.url = url, .read_timeout = kPatience, .write_timeout = kPatience}).value();
  ASSERT_TRUE(RunTask(catalog->AddVersion(Tester(), Record("acme/vpc/aws", "1.0.0", "a"))));
  std::vector<SearchEntry> entries(1000);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].kind = SearchKind::kInput;
    entries[i].name = i % 4 == 0 ? "network" : "subnet" + std::to_string(i);
    entries[i].title = "größe_of aws.x-y:z 日本語 it's";
  }
  ASSERT_TRUE(RunTask(
      catalog->PutSearchEntries(SearchSubject::Of(Address("acme/vpc/aws"), V("1.0.0")), entries)));

  // The words that it stored are those of the entries.
  EXPECT_EQ(server->Run(url, "SELECT string_agg(word, ' ' ORDER BY word) FROM search_word"),
            server->Run(url,
                        "SELECT string_agg(DISTINCT word, ' ' ORDER BY word) FROM search_entry "
                        "CROSS JOIN LATERAL unnest(string_to_array(btrim(words), ' ')) "
                        "AS told (word) WHERE word ~ '^[ntx]:[^-+./:_]+$'"));

  auto engine = MakePostgresEngine(*PostgresConnectionString(url));
  Session session(*engine, kPatience);
  const std::string words = "('n:network' | 'k:input' | 'n:nothing')";
  const WordShares before = FindWordShares(session, IndexedVersions::kNewest, words);
  EXPECT_EQ(before.of_others, 1);
  EXPECT_EQ(before.last_id, 1000);
  server->Run(url, "ANALYZE search_entry");
  const WordShares after = FindWordShares(session, IndexedVersions::kNewest, words);
  EXPECT_EQ(after.entries, 1000);
  EXPECT_NEAR(after.of.at("n:network"), 0.25, 0.01);
  EXPECT_NEAR(after.of.at("k:input"), 1, 0.01);
  EXPECT_FALSE(after.of.contains("n:nothing"));
  EXPECT_LT(after.of_others, 0.25);
  EXPECT_EQ(FindWordShares(session, IndexedVersions::kOlder, words).of_others, 1);
}

}  // namespace
}  // namespace koya::sql
