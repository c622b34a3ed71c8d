// What every catalog must do: documents of other registries. See catalog_suite_base.h.
#include <string>
#include <vector>

#include "catalog/upstream_catalog.h"
#include "catalog/upstream_samples_fake.h"
#include "domain/upstream_record.h"

namespace koya {
namespace {

class UpstreamDocumentSuite : public CatalogSuiteBase {
 protected:
  Status Put(const CachedDocument& document) {
    RETURN_IF_ERROR(RunTask(upstream_documents().PutDocument(document)));
    return {};
  }
  // The list of `versions`, each with its statement, as received at `at`.
  Result<ReleaseTimes> PutTimes(std::vector<ListedRelease> versions, UnixSeconds at) {
    CachedDocument document = SampleDocument(kKey, "body", at);
    if (Result<CachedDocument> held = Find()) document.times = held->times;
    document.times.AddList(versions, at);
    return RunTask(upstream_documents().PutDocument(std::move(document)));
  }
  Status Put(std::string body, UnixSeconds checked_at) {
    return Put(SampleDocument(kKey, std::move(body), checked_at));
  }
  Result<CachedDocument> Find(std::string key = kKey) {
    return RunTask(upstream_documents().FindDocument(std::move(key)));
  }
  Texts Topics() { return this->TopicsSince({}); }

  static constexpr const char* kKey = "provider-versions:registry.example.com/acme/demo";
};
INSTANTIATE_CATALOG_SUITE(UpstreamDocumentSuite);

TEST_P(UpstreamDocumentSuite, KeepsEveryFieldOfADocument) {
  CachedDocument document = SampleDocument("module-versions:xn--wgv71a.example:8443/größe/a/b",
                                           "{\"größe\": \"豆腐\", 'x': \"%0A\n\\\"}", kSuiteNow);
  document.etag = "W/\"é 1\"";
  ASSERT_TRUE(this->Put(document));
  auto found = this->Find(document.key);
  ASSERT_TRUE(found) << found.error().message << found.error().detail;
  EXPECT_EQ(found->key, document.key);
  EXPECT_EQ(found->body, document.body);
  EXPECT_EQ(found->etag, "W/\"é 1\"");
  EXPECT_EQ(found->last_modified, "Sat, 21 Nov 2026 16:41:10 GMT");
  EXPECT_EQ(found->checked_at, kSuiteNow);
  EXPECT_EQ(found->changed_at, kSuiteNow);
  EXPECT_EQ(this->Topics(), Texts{"mirror:xn--wgv71a.example:8443/größe/a/b"});
}

TEST_P(UpstreamDocumentSuite, ANewerDocumentReplacesTheOneBefore) {
  ASSERT_TRUE(this->Put("old", kSuiteNow));
  ASSERT_TRUE(this->Put("new", kSuiteNow + 10));
  EXPECT_EQ(this->Find()->body, "new");
  EXPECT_EQ(this->Find()->checked_at, kSuiteNow + 10);
  EXPECT_EQ(this->Find()->changed_at, kSuiteNow + 10);
  ASSERT_TRUE(this->Put("newer", kSuiteNow + 10)) << "within the same second";
  EXPECT_EQ(this->Find()->body, "newer");
  EXPECT_EQ(this->Topics(), Texts(3, "mirror:registry.example.com/acme/demo"));
}

TEST_P(UpstreamDocumentSuite, AnOlderCheckChangesNothing) {
  ASSERT_TRUE(this->Put("new", kSuiteNow));
  CachedDocument older = SampleDocument(this->kKey, "old", kSuiteNow - 1);
  older.etag = "old";
  ASSERT_TRUE(this->Put(older));
  EXPECT_EQ(this->Find()->body, "new");
  EXPECT_EQ(this->Find()->etag, "\"etag\"");
  EXPECT_EQ(this->Find()->checked_at, kSuiteNow);
  EXPECT_EQ(this->Topics().size(), 1u);
}

TEST_P(UpstreamDocumentSuite, ACheckFromTheFutureGivesWayToTheNext) {
  const UnixSeconds now = SystemClock().Now();
  const UnixSeconds ahead = now + 4 * 365 * 86'400;
  ASSERT_TRUE(this->Put("seen while the clock was ahead", ahead));
  ASSERT_TRUE(this->Put("newer", now));
  EXPECT_EQ(this->Find()->body, "newer");
  EXPECT_EQ(this->Find()->checked_at, now);
  ASSERT_TRUE(this->Put("newer", ahead));
  ASSERT_TRUE(RunTask(upstream_documents().ConfirmDocument(this->kKey, now)));
  EXPECT_EQ(this->Find()->checked_at, now);
}

TEST_P(UpstreamDocumentSuite, ABodyThatDidNotChangeAppendsNothing) {
  ASSERT_TRUE(this->Put("body", kSuiteNow));
  for (UnixSeconds later : {0, 5}) {
    CachedDocument same = SampleDocument(this->kKey, "body", kSuiteNow + later);
    same.etag = "another";
    same.last_modified = "";
    ASSERT_TRUE(this->Put(same));
    EXPECT_EQ(this->Find()->etag, "another");
    EXPECT_EQ(this->Find()->last_modified, "");
    EXPECT_EQ(this->Find()->checked_at, kSuiteNow + later);
    EXPECT_EQ(this->Find()->changed_at, kSuiteNow);
  }
  EXPECT_EQ(this->Topics().size(), 1u);
}

TEST_P(UpstreamDocumentSuite, AConfirmationMovesTheCheckForwardOnly) {
  ASSERT_TRUE(this->Put("body", kSuiteNow));
  ASSERT_TRUE(RunTask(upstream_documents().ConfirmDocument(this->kKey, kSuiteNow + 60)));
  EXPECT_EQ(this->Find()->checked_at, kSuiteNow + 60);
  ASSERT_TRUE(RunTask(upstream_documents().ConfirmDocument(this->kKey, kSuiteNow + 30)));
  EXPECT_EQ(this->Find()->checked_at, kSuiteNow + 60);
  EXPECT_EQ(this->Find()->changed_at, kSuiteNow);
  EXPECT_EQ(this->Find()->body, "body");
  EXPECT_EQ(this->Topics().size(), 1u);
  ASSERT_TRUE(this->Put("before the confirmation", kSuiteNow + 59));
  EXPECT_EQ(this->Find()->body, "body");
}

TEST_P(UpstreamDocumentSuite, AnUnknownDocumentIsNotFoundAndNotConfirmed) {
  ASSERT_TRUE(this->Put("body", kSuiteNow));
  for (const std::string& key :
       {std::string("provider-versions:registry.example.com/acme/Demo"), std::string(),
        std::string("\xff"), this->kKey + std::string(1, '\0')}) {
    EXPECT_TRUE(RunTask(upstream_documents().ConfirmDocument(key, kSuiteNow + 60)));
    this->ExpectFails(this->Find(key), ErrorKind::kNotFound, "\" is not stored here");
  }
  EXPECT_EQ(this->Find()->checked_at, kSuiteNow);
}

TEST_P(UpstreamDocumentSuite, ListsKeysOfAKindPageByPage) {
  const std::vector<std::string> keys = {
      "module-versions:a.example/acme/vpc/aws", "provider-versions:a.example/Acme/demo",
      "provider-versions:a.example/acme/demo", "provider-versions:xn--wgv71a.example/größe/a"};
  for (const std::string& key : keys) {
    ASSERT_TRUE(this->Put(SampleDocument(key, "body", kSuiteNow)));
  }
  auto list = [this](std::string kind, std::string after, std::uint64_t limit) {
    return RunTask(upstream_documents().ListDocumentKeys(std::move(kind), std::move(after), limit))
        .value();
  };
  EXPECT_EQ(list("provider-versions:", "", 2), Texts({keys[1], keys[2]}));
  EXPECT_EQ(list("provider-versions:", keys[2], 2), Texts({keys[3]}));
  EXPECT_EQ(list("provider-versions:", keys[3], 2), Texts());
  EXPECT_EQ(list("module-versions:", "", 9), Texts({keys[0]}));
  EXPECT_EQ(list("provider-docs:", "", 9), Texts());
  EXPECT_EQ(list("", "", 9), Texts());
  EXPECT_EQ(list("provider-versions:", "\xff", 9), Texts());
}

TEST_P(UpstreamDocumentSuite, ADocumentOfTenThousandVersionsComesBackWhole) {
  std::string body = "[";
  for (int i = 0; i < 10'000; ++i) {
    body += R"({"version":"1.)" + std::to_string(i) +
            R"(.0","protocols":["5.0"],"platforms":["darwin_arm64","linux_amd64","größe_)" +
            std::string(110, 'x') + "\"]},\n";
  }
  body += "]";
  ASSERT_GT(body.size(), std::size_t{2'000'000});
  ASSERT_TRUE(this->Put(body, kSuiteNow));
  EXPECT_TRUE(this->Find()->body == body);
  body[1'000'000] = '!';
  ASSERT_TRUE(this->Put(body, kSuiteNow + 1));
  EXPECT_TRUE(this->Find()->body == body) << "one letter in the middle";
  EXPECT_EQ(this->Topics().size(), 2u);
}

TEST_P(UpstreamDocumentSuite, WhatCannotBeKeptIsRefused) {
  struct Case {
    std::string key, body;
    ErrorKind kind;
    const char* words;
  };
  const std::string zero(1, '\0');
  const Case kCases[] = {
      {"a:" + zero, "", ErrorKind::kInvalid, "the document's key must be UTF-8 text without NUL"},
      {"a:\xff", "", ErrorKind::kInvalid, "the document's key must be UTF-8"},
      {"a:" + std::string(1023, 'x'), "", ErrorKind::kTooLarge,
       "the document's key would take 1025 bytes, and the limit is 1024"},
      {"registry.example.com/acme/demo", "", ErrorKind::kInvalid, "write KIND:SUBJECT"},
      {":registry.example.com", "", ErrorKind::kInvalid, "write KIND:SUBJECT"},
      {"provider-versions:", "", ErrorKind::kInvalid, "write KIND:SUBJECT"},
      {this->kKey, "a" + zero + "b", ErrorKind::kInvalid, "the document must be UTF-8"},
      {this->kKey, "\xed\xa0\x80", ErrorKind::kInvalid, "the document must be UTF-8"},
      {this->kKey, std::string((32 << 20) + 1, 'x'), ErrorKind::kTooLarge,
       "the document would take 33554433 bytes, and the limit is 33554432"}};
  for (const Case& bad : kCases) {
    this->ExpectFails(this->Put(SampleDocument(bad.key, bad.body, kSuiteNow)), bad.kind, bad.words);
  }
  EXPECT_EQ(this->Topics(), Texts{});
  EXPECT_TRUE(this->Put(SampleDocument("a:" + std::string(1022, 'x'), "", kSuiteNow)));
}

TEST_P(UpstreamDocumentSuite, ValidatorsThatCannotBeKeptAreLeftOut) {
  for (const std::string& bad :
       {std::string("\xfc"), std::string("a\0b", 3), std::string(1025, 'x')}) {
    CachedDocument document = SampleDocument(this->kKey, "body", kSuiteNow);
    document.etag = bad;
    ASSERT_TRUE(this->Put(document));
    EXPECT_EQ(this->Find()->etag, "");
    EXPECT_EQ(this->Find()->last_modified, "Sat, 21 Nov 2026 16:41:10 GMT");
    document.etag = std::string(1024, 'x');
    document.last_modified = bad;
    ASSERT_TRUE(this->Put(document));
    EXPECT_EQ(this->Find()->etag, document.etag);
    EXPECT_EQ(this->Find()->last_modified, "");
  }
}

TEST_P(UpstreamDocumentSuite, BytesOfADocumentAreHeldUntilTheyAreLetGo) {
  const Digest digest = Digest::Of("a page");
  const CachedDocument page =
      SampleDocument("provider-doc:registry.example.com/acme/demo@1.0.0/1", "page", kSuiteNow);
  EXPECT_FALSE(this->IsReferenced(digest));
  ASSERT_TRUE(RunTask(upstream_documents().HoldDocument(page, digest, 1234)));
  EXPECT_EQ(this->Find(page.key)->body, "page");
  EXPECT_TRUE(this->IsReferenced(digest));
  EXPECT_EQ(RunTask(upstream_holdings().HeldBytes()), 1234u);
  EXPECT_EQ(this->Topics(), Texts{"mirror:registry.example.com/acme/demo@1.0.0/1"});
  // Another document of the same bytes.
  CachedDocument other = page;
  other.key += "1";
  ASSERT_TRUE(RunTask(upstream_documents().HoldDocument(other, digest, 1234)));
  EXPECT_EQ(RunTask(upstream_holdings().HeldBytes()), 1234u) << "they count once";
  auto evicted = RunTask(upstream_holdings().EvictHeld({.max_bytes = 0, .hosts = {}}));
  ASSERT_TRUE(evicted) << evicted.error().message;
  ASSERT_EQ(evicted->size(), 1u) << "whatever registry it is of: it was fetched";
  EXPECT_EQ(evicted->front().digest, digest);
  EXPECT_FALSE(this->IsReferenced(digest));
  EXPECT_EQ(this->Find(page.key)->body, "page") << "the document stays";
  ASSERT_TRUE(RunTask(upstream_documents().HoldDocument(page, digest, 1234)));
  EXPECT_TRUE(this->IsReferenced(digest)) << "and its bytes may come back";
}

TEST_P(UpstreamDocumentSuite, ADocumentThatCannotBeKeptHoldsNothing) {
  const Digest digest = Digest::Of("a page");
  this->ExpectFails(RunTask(upstream_documents().HoldDocument(
                        SampleDocument(this->kKey, "page", kSuiteNow), digest, 0)),
                    ErrorKind::kInvalid, "its size must be known");
  this->ExpectFails(RunTask(upstream_documents().HoldDocument(
                        SampleDocument("no key", "page", kSuiteNow), digest, 5)),
                    ErrorKind::kInvalid, "is not a document's key");
  EXPECT_FALSE(this->IsReferenced(digest));
  EXPECT_EQ(RunTask(upstream_holdings().HeldBytes()), 0u);
  EXPECT_EQ(this->Topics(), Texts{});
}

TEST_P(UpstreamDocumentSuite, StoredReleaseTimesStay) {
  auto put = this->PutTimes({{"1.0.0", "2020-04-07T10:11:12Z"}, {"1.1.0", ""}}, kSuiteNow);
  ASSERT_TRUE(put) << put.error().message;
  ReleaseTimes times = this->Find()->times;
  EXPECT_EQ(*put, times);
  EXPECT_EQ(times.FindTime("1.0.0"), ParseTimestamp("2020-04-07T10:11:12Z"));
  EXPECT_TRUE(times.MayAskFor("1.1.0"));
  EXPECT_EQ(this->Topics().size(), 1u);
  ASSERT_TRUE(this->PutTimes({{"1.0.0", "2019-04-07T10:11:12Z"}, {"1.1.0", ""}}, kSuiteNow + 1));
  EXPECT_EQ(this->Find()->times, times);
  EXPECT_EQ(this->Topics().size(), 1u) << "nothing new";
  ASSERT_TRUE(this->Put("another body, without times", kSuiteNow + 2));
  EXPECT_EQ(this->Find()->times, times);
  ASSERT_TRUE(this->Put("body", kSuiteNow + 3));
  ASSERT_TRUE(this->PutTimes({{"1.2.0", ""}}, kSuiteNow + 4));
  EXPECT_EQ(this->Find()->times.FindTime("1.2.0"), std::optional<UnixSeconds>(kSuiteNow + 4));
  EXPECT_EQ(this->Topics().size(), 4u) << "a new time is a change, though the body is the same";
}

TEST_P(UpstreamDocumentSuite, TimesOfDetailsAreAddedToADocument) {
  ReleaseTimes added;
  added.AddDetails("1.0.0", "2020-04-07T10:11:12Z", kSuiteNow);
  ASSERT_TRUE(RunTask(upstream_documents().AddDetails(this->kKey, added, std::nullopt)));
  this->ExpectFails(this->Find(), ErrorKind::kNotFound, "is not stored here");
  ASSERT_TRUE(this->PutTimes({{"1.0.0", ""}, {"1.1.0", ""}}, kSuiteNow));
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(RunTask(upstream_documents().AddDetails(this->kKey, added, std::nullopt)));
    EXPECT_EQ(this->Find()->times.FindTime("1.0.0"), ParseTimestamp("2020-04-07T10:11:12Z"));
    EXPECT_TRUE(this->Find()->times.MayAskFor("1.1.0"));
    EXPECT_EQ(this->Topics().size(), 2u);
  }
  ReleaseTimes none;
  none.AddDetails("1.1.0", "", kSuiteNow);
  ASSERT_TRUE(RunTask(upstream_documents().AddDetails(this->kKey, none, std::nullopt)));
  EXPECT_FALSE(this->Find()->times.MayAskFor("1.1.0"));
  EXPECT_EQ(this->Topics().size(), 2u) << "no document changes";
  EXPECT_EQ(this->Find()->checked_at, kSuiteNow);
  this->ExpectFails(RunTask(upstream_documents().AddDetails("no key", added, std::nullopt)),
                    ErrorKind::kInvalid, "is not a document's key");
}

TEST_P(UpstreamDocumentSuite, TheSourceOfDetailsStaysUntilTheyStateAnother) {
  const auto source = SourceRepository::Parse("https://github.com/acme/größe");
  EXPECT_FALSE(source) << "nothing else needs escaping";
  ASSERT_TRUE(this->PutTimes({{"1.0.0", ""}}, kSuiteNow));
  EXPECT_EQ(this->Find()->source, std::nullopt);
  for (const char* url : {"https://github.com/acme/demo//a", "https://github.com/acme/moved"}) {
    const std::optional<SourceRepository> stated = *SourceRepository::Parse(url);
    ASSERT_TRUE(RunTask(upstream_documents().AddDetails(this->kKey, {}, stated)));
    ASSERT_TRUE(RunTask(upstream_documents().AddDetails(this->kKey, {}, std::nullopt)));
    EXPECT_EQ(this->Find()->source, stated) << url;
  }
  ASSERT_TRUE(this->Put("another body", kSuiteNow + 2));
  EXPECT_EQ(this->Find()->source->url(), "https://github.com/acme/moved");
}

TEST_P(UpstreamDocumentSuite, OfRacingServersOneTimeIsKept) {
  ASSERT_TRUE(this->PutTimes({{"1.0.0", ""}}, kSuiteNow));
  const ReleaseTimes before = this->Find()->times;
  Racers racers;
  std::vector<Result<ReleaseTimes>> put;
  for (int i = 0; i < 16; ++i) {
    CachedDocument document = SampleDocument(this->kKey, "body", kSuiteNow + 100);
    document.times = before;
    document.times.AddList(std::vector<ListedRelease>{{"1.1.0", ""}}, kSuiteNow + 1 + i);
    racers.Add(upstream_documents().PutDocument(std::move(document)), &put);
  }
  racers.Run();
  const ReleaseTimes stored = this->Find()->times;
  EXPECT_TRUE(stored.FindTime("1.1.0"));
  for (const auto& result : put) {
    ASSERT_TRUE(result) << result.error().detail;
    EXPECT_EQ(*result, stored);
  }
  EXPECT_EQ(this->Topics().size(), 2u);
}

TEST_P(UpstreamDocumentSuite, RacingPutsEndWithTheNewestCheck) {
  Racers racers;
  std::vector<Result<ReleaseTimes>> put;
  for (int i = 0; i < 30; ++i) {
    // 7 and 30 have no common divisor: every second once, in disorder.
    UnixSeconds at = kSuiteNow + (i * 7) % 30;
    racers.Add(upstream_documents().PutDocument(SampleDocument(this->kKey, std::to_string(at), at)),
               &put);
  }
  racers.Run();
  for (const auto& result : put) EXPECT_TRUE(result) << result.error().detail;
  EXPECT_EQ(this->Find()->checked_at, kSuiteNow + 29);
  EXPECT_EQ(this->Find()->body, std::to_string(kSuiteNow + 29));
}

}  // namespace
}  // namespace koya
