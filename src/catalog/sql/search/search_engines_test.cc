// Both engines give the same hits, in the same order, of a made corpus.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/temp_folder_fake.h"
#include "base/text.h"
#include "catalog/access_suite_base.h"
#include "catalog/catalog.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/postgres_fixture_fake.h"
#include "catalog/sql/catalog_backends_fake.h"
#include "catalog/sql/open_catalog.h"
#include "domain/page.h"
#include "domain/search_query.h"
#include "domain/search_record.h"

namespace koya {

// What the suites about the search index run on.
std::vector<CatalogEngine> CatalogEngines() {
  return {{"Sqlite", [] { return std::make_unique<SqliteBackend>(false); }},
          {"Postgres", [] { return std::make_unique<PostgresBackend>(); }}};
}

namespace {

constexpr int kModules = 120;
constexpr int kEntriesOfModule = 30;

class Corpus {
 public:
  std::string Word() { return kWords[Below(std::size(kWords))]; }
  std::string Words(std::size_t most) {
    std::string text;
    for (std::size_t count = Below(most + 1); count > 0; --count) {
      text += Word() + (Below(4) == 0 ? "_" : " ");
    }
    return text;
  }
  SearchEntry MakeEntry() {
    SearchEntry entry;
    entry.kind = kSearchKinds[Below(kSearchKinds.size())];
    entry.name = Word() + (Below(2) == 0 ? "_" + Word() : "");
    entry.title = Words(6);
    entry.text = Words(20);
    if (Below(3) == 0) entry.uses = {"aws_" + Word()};
    if (Below(3) == 0) entry.needs = {"hashicorp/" + Word()};
    return entry;
  }
  std::vector<SearchEntry> Entries() {
    std::vector<SearchEntry> entries;
    for (int i = 0; i < kEntriesOfModule; ++i) entries.push_back(MakeEntry());
    return entries;
  }
  std::string Query() {
    std::string query;
    for (std::size_t count = Below(3); count > 0; --count) query += Asked() + " ";
    switch (Below(8)) {
      case 0:
        return query + "ns:team" + std::to_string(Below(5));
      case 1:
        return query + "kind:" + std::string(SearchKindName(kSearchKinds[Below(8)]));
      case 2:
        return query + "uses:aws_" + Word();
      case 3:
        return query + "needs:" + Word();
      case 4:
        return query + "version:any";
      default:
        return query + Asked();
    }
  }
  std::size_t Below(std::size_t end) { return random_() % end; }

 private:
  std::string Asked() {
    std::string word = Word();
    switch (Below(6)) {
      case 5:
        // The beginning of a long one.
        if (word.size() > 6 && IsUtf8(word.substr(0, 6))) word.resize(6);
        return word;
      case 0:
        return "\"" + word + " " + Word() + "\"";
      case 1:
        return word + "_" + Word();
      case 2:
        if (word.size() > 2) std::swap(word[1], word[2]);  // misspelt, or no word at all
        return IsUtf8(word) ? word : Word();
      default:
        return word;
    }
  }

  static constexpr const char* kWords[] = {
      "network", "networks", "subnet",  "private",  "public",    "aws",    "vpc",  "cidrBlock",
      "größe",   "日本語",   "本日",    "データ",   "HTTPProxy", "bucket", "s3",   "database",
      "data",    "a",        "Привет",  "x.y",      "10.0.0.0",  "한국어", "日",   "loadBalancer",
      "load",    "balancer", "cluster", "clusters", "node",      "nodes",  "Pool", "it's"};
  std::mt19937 random_{20261124};
};

std::string Described(const SearchPage& page) {
  std::string text = page.forgiven ? "forgiven\n" : "";
  for (const auto& [kind, count] : page.counts) {
    text += std::string(SearchKindName(kind)) + " " + std::to_string(count) + "\n";
  }
  for (const SearchHit& hit : page.items) {
    text += std::string(SearchKindName(hit.kind)) + " " + hit.address + " " + hit.version + " " +
            hit.name + " | " + hit.title + " | " + hit.snippet;
    for (const TextRange& mark : hit.marks) text += " " + std::to_string(mark.begin);
    text += "\n";
  }
  return text + (page.more ? "…" : "");
}

class SearchEnginesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    server_ = PostgresServer::Shared(&reason);
    if (server_ == nullptr) GTEST_SKIP() << reason;
    postgres_ = server_->MakeDatabase();
    for (const std::string& url : {"sqlite:" + (folder_ / "koya.db").string(), postgres_}) {
      auto opened = OpenCatalog(
          {.url = url, .read_timeout = kPatience, .write_timeout = kPatience, .durable = false});
      ASSERT_TRUE(opened) << opened.error().message;
      catalogs_.push_back(*std::move(opened));
    }
  }
  void Fill(Corpus corpus) {
    for (int i = 0; i < kModules; ++i) {
      const std::string address =
          "team" + std::to_string(i % 5) + "/m" + std::to_string(i % 100) + "/aws";
      const std::string version = "1." + std::to_string(i / 100) + ".0";
      ModuleVersionRecord record = Record(address, version, std::to_string(i));
      record.published_at = kSuiteNow + static_cast<UnixSeconds>(corpus.Below(20));
      const std::vector<SearchEntry> entries = corpus.Entries();
      for (const auto& catalog : catalogs_) {
        ASSERT_TRUE(RunTask(catalog->AddVersion(Tester(), record)));
        ASSERT_TRUE(RunTask(
            catalog->PutSearchEntries(SearchSubject::Of(Address(address), V(version)), entries)));
      }
    }
    for (const auto& catalog : catalogs_) {
      for (const char* ns : {"team0", "team1"}) {
        ASSERT_TRUE(
            RunTask(catalog->AddNamespace(Tester(), {ns, Visibility::kPrivate, kSuiteNow, "ann"})));
      }
    }
  }

  TempFolder folder_;
  PostgresServer* server_ = nullptr;
  std::string postgres_;
  std::vector<std::unique_ptr<Catalog>> catalogs_;
};

TEST_F(SearchEnginesTest, GiveTheSameHitsInTheSameOrder) {
  Fill(Corpus());
  Corpus queries;
  int found = 0, forgiven = 0;
  for (int i = 0; i < 400; ++i) {
    // From then on, its statistics of words decide how it looks for them, not the results.
    if (i == 200) server_->Run(postgres_, "ANALYZE");
    const std::string text = queries.Query();
    const Result<SearchQuery> query = SearchQuery::Parse(text);
    if (!query) continue;  // a filter twice, or no word
    const ReadableNamespaces readable = i % 3 == 0   ? Stranger({"team1"})
                                        : i % 3 == 1 ? Stranger()
                                                     : ReadableNamespaces();
    const PageRequest page{i % 7 == 0 ? 10u : 0u, 20};
    const auto first = RunTask(catalogs_[0]->Search({*query, readable, page}));
    const auto second = RunTask(catalogs_[1]->Search({*query, readable, page}));
    ASSERT_TRUE(first) << text << first.error().detail;
    ASSERT_TRUE(second) << text << second.error().detail;
    // Above the limit, each examines the first that it finds: for words that are frequent, or that
    // begin so.
    ASSERT_EQ(first->cut, second->cut) << text;
    if (first->cut) continue;
    ASSERT_EQ(Described(*first), Described(*second)) << text;
    found += first->items.empty() ? 0 : 1;
    forgiven += first->forgiven ? 1 : 0;
  }
  EXPECT_GT(found, 150);
  EXPECT_GT(forgiven, 3);
}

}  // namespace

}  // namespace koya
