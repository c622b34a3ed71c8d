// What every catalog must do: drafts of releases. See catalog_suite_base.h.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog_samples_fake.h"
#include "catalog/change_log.h"
#include "catalog/provider_catalog.h"
#include "domain/provider_record.h"

namespace koya {
namespace {

class DraftCatalogSuite : public CatalogSuiteBase {
 protected:
  Status AddDraft(const DraftRecord& draft, std::uint64_t most_open = 9) {
    return RunTask(this->drafts().AddDraft(draft, most_open));
  }
  Status Put(const std::string& id, const DraftFile& file, std::uint64_t most_files = 9,
             UnixSeconds expires_at = kSuiteNow + 100) {
    return RunTask(this->drafts().PutDraftFile(id, file, expires_at, most_files));
  }
  Result<DraftRecord> Find(const std::string& id, UnixSeconds now = kSuiteNow) {
    return RunTask(this->drafts().FindDraft(id, now));
  }
  Texts List(std::string_view address, std::string_view version, UnixSeconds now = kSuiteNow) {
    Texts ids;
    auto drafts = RunTask(this->drafts().ListDrafts(Provider(address), V(version), now));
    EXPECT_TRUE(drafts) << drafts.error().message << drafts.error().detail;
    for (const DraftRecord& draft : *drafts) {
      EXPECT_TRUE(draft.files.empty());
      ids.push_back(draft.id);
    }
    return ids;
  }
};
INSTANTIATE_CATALOG_SUITE(DraftCatalogSuite);

TEST_P(DraftCatalogSuite, KeepsEveryFieldOfADraft) {
  DraftRecord draft = SampleDraft("id-1_é", "größe/demo", "1.0.0-rc.1+b");
  draft.created_by = "ci \"1\"";
  draft.upload = "sha256:01";
  ASSERT_TRUE(this->AddDraft(draft));
  auto found = this->Find("id-1_é");
  ASSERT_TRUE(found) << found.error().message << found.error().detail;
  EXPECT_EQ(found->id, "id-1_é");
  EXPECT_EQ(found->address, draft.address);
  EXPECT_EQ(found->version.ToString(), "1.0.0-rc.1+b");
  EXPECT_EQ(found->created_at, kSuiteNow);
  EXPECT_EQ(found->created_by, "ci \"1\"");
  EXPECT_EQ(found->upload, "sha256:01");
  EXPECT_EQ(found->expires_at, kSuiteNow + 100);
  EXPECT_TRUE(found->files.empty());
}

TEST_P(DraftCatalogSuite, KeepsEveryFieldOfAFile) {
  ASSERT_TRUE(this->AddDraft(SampleDraft("draft")));
  ASSERT_TRUE(this->AddDraft(SampleDraft("other")));
  DraftFile zip = SampleFile("b.zip");
  zip.size = 5'000'000'000;
  zip.h1 = {"h1:a+/=", "h1:b"};
  zip.problems = {"two\nlines, 100%0A", "", "it's \"broken\"", "tab\t, \x01, \xff and é"};
  DraftFile plain = SampleFile("Ä 'name' %41.txt");
  DraftFile first = SampleFile("B", "");
  for (const DraftFile& file : {zip, plain, first}) ASSERT_TRUE(this->Put("draft", file));
  ASSERT_TRUE(this->Put("other", SampleFile("elsewhere")));
  EXPECT_EQ(this->Find("draft")->files, (std::vector{first, zip, plain})) << "by name, bytewise";
  EXPECT_EQ(this->Find("other")->files.size(), 1u);
}

TEST_P(DraftCatalogSuite, AFileReplacesThatOfTheSameName) {
  ASSERT_TRUE(this->AddDraft(SampleDraft("draft")));
  DraftFile old = SampleFile("a.zip", "old");
  old.h1 = {"h1:old"};
  old.problems = {"a symlink"};
  ASSERT_TRUE(this->Put("draft", old));
  ASSERT_TRUE(this->Put("draft", SampleFile("A.zip", "another")));
  ASSERT_TRUE(this->Put("draft", SampleFile("a.zip", "newer")));
  EXPECT_EQ(this->Find("draft")->files,
            (std::vector{SampleFile("A.zip", "another"), SampleFile("a.zip", "newer")}));
  EXPECT_FALSE(this->IsReferenced(Digest::Of("old")));
  EXPECT_TRUE(this->IsReferenced(Digest::Of("newer")));
}

TEST_P(DraftCatalogSuite, AFileMovesTheExpiryAndTooManyAreRefused) {
  ASSERT_TRUE(this->AddDraft(SampleDraft("draft")));
  ASSERT_TRUE(this->Put("draft", SampleFile("a"), 2, kSuiteNow + 500));
  EXPECT_EQ(this->Find("draft")->expires_at, kSuiteNow + 500);
  ASSERT_TRUE(this->Put("draft", SampleFile("b"), 2, kSuiteNow + 600));
  this->ExpectFails(this->Put("draft", SampleFile("c"), 2, kSuiteNow + 700), ErrorKind::kTooLarge,
                    "the draft already has 2 files, the limit of a release: \"c\"");
  EXPECT_EQ(this->Find("draft")->expires_at, kSuiteNow + 600) << "nothing changed";
  EXPECT_EQ(this->Find("draft")->files.size(), 2u);
  EXPECT_TRUE(this->Put("draft", SampleFile("b", "newer"), 2)) << "one of them, again";
  Status more = this->Put("draft", SampleFile("b"), 1);
  this->ExpectFails(more, ErrorKind::kTooLarge, "1 files");
  EXPECT_EQ(more.error().limit.text(), "fixed.draft_files") << "it counts";
}

TEST_P(DraftCatalogSuite, AnUnknownDraftIsNotFound) {
  ASSERT_TRUE(this->AddDraft(SampleDraft("draft")));
  for (const std::string& id : {std::string("unknown"), std::string("DRAFT"), std::string(),
                                std::string("\xff"), std::string("draft\0", 6)}) {
    for (const Status& status :
         {this->Put(id, SampleFile("a")), RunTask(drafts().RemoveDraft(id))}) {
      this->ExpectFails(status, ErrorKind::kNotFound, "there is no open draft \"");
    }
    this->ExpectFails(this->Find(id), ErrorKind::kNotFound, "open a new one");
  }
}

TEST_P(DraftCatalogSuite, AnExpiredDraftIsNotFound) {
  ASSERT_TRUE(this->AddDraft(SampleDraft("draft")));
  EXPECT_TRUE(this->Find("draft", kSuiteNow + 99));
  EXPECT_EQ(this->List("acme/demo", "1.0.0", kSuiteNow + 99), Texts{"draft"});
  this->ExpectFails(this->Find("draft", kSuiteNow + 100), ErrorKind::kNotFound, "has expired");
  EXPECT_EQ(this->List("acme/demo", "1.0.0", kSuiteNow + 100), Texts{});
}

TEST_P(DraftCatalogSuite, ListsTheDraftsOfOneReleaseNewestFirst) {
  UnixSeconds at = kSuiteNow;
  for (const char* id : {"first", "second", "third"}) {
    DraftRecord draft = SampleDraft(id);
    draft.created_at = at++;
    ASSERT_TRUE(this->AddDraft(draft));
    ASSERT_TRUE(this->Put(id, SampleFile("a")));
  }
  ASSERT_TRUE(this->AddDraft(SampleDraft("build", "acme/demo", "1.0.0+b")));
  ASSERT_TRUE(this->AddDraft(SampleDraft("type", "acme/other")));
  ASSERT_TRUE(this->AddDraft(SampleDraft("ns", "beta/demo")));
  EXPECT_EQ(this->List("acme/demo", "1.0.0"), (Texts{"third", "second", "first"}));
  EXPECT_EQ(this->List("acme/demo", "1.0.0+b"), Texts{"build"});
  EXPECT_EQ(this->List("acme/demo", "2.0.0"), Texts{});
  EXPECT_EQ(this->List("no/body", "1.0.0"), Texts{});
}

TEST_P(DraftCatalogSuite, ANamespaceHasSoManyOpenDrafts) {
  ASSERT_TRUE(this->AddDraft(SampleDraft("one"), 2));
  ASSERT_TRUE(this->AddDraft(SampleDraft("two", "acme/other", "2.0.0"), 2));
  this->ExpectFails(this->AddDraft(SampleDraft("three"), 2), ErrorKind::kConflict,
                    "the namespace acme already has 2 open drafts");
  EXPECT_FALSE(this->Find("three"));
  EXPECT_TRUE(this->AddDraft(SampleDraft("beta", "beta/demo"), 2)) << "another namespace";
  this->ExpectFails(this->AddDraft(SampleDraft("none"), 0), ErrorKind::kConflict, "open drafts");
  DraftRecord later = SampleDraft("later");
  later.created_at = kSuiteNow + 99;
  this->ExpectFails(this->AddDraft(later, 2), ErrorKind::kConflict, "2 open drafts");
  later.created_at = kSuiteNow + 100;  // the others expire at this very second
  later.expires_at = kSuiteNow + 200;
  EXPECT_TRUE(this->AddDraft(later, 1));
  this->ExpectFails(this->AddDraft(SampleDraft("later"), 9), ErrorKind::kConflict, "this ID");
  EXPECT_EQ(this->Find("later")->expires_at, kSuiteNow + 200);
}

TEST_P(DraftCatalogSuite, ARemovedDraftIsGoneWithItsFiles) {
  ASSERT_TRUE(this->AddDraft(SampleDraft("draft"), 1));
  ASSERT_TRUE(this->Put("draft", SampleFile("a")));
  ASSERT_TRUE(RunTask(drafts().RemoveDraft("draft")));
  EXPECT_FALSE(this->IsReferenced(Digest::Of("content")));
  this->ExpectFails(RunTask(drafts().RemoveDraft("draft")), ErrorKind::kNotFound, "draft");
  ASSERT_TRUE(this->AddDraft(SampleDraft("draft"), 1)) << "there is room again";
  EXPECT_TRUE(this->Find("draft")->files.empty());
}

TEST_P(DraftCatalogSuite, FilesOfAllDraftsAreListedByDigest) {
  std::vector<Digest> expected;
  for (const char* id : {"one", "two", "gone"}) {
    ASSERT_TRUE(this->AddDraft(SampleDraft(id)));
    ASSERT_TRUE(this->Put(id, SampleFile("a", id), 9, kSuiteNow + 100));
    expected.push_back(Digest::Of(id));
  }
  ASSERT_TRUE(RunTask(drafts().RemoveDraft("gone")));
  expected.pop_back();
  std::ranges::sort(expected);
  std::vector<Digest> found;
  std::optional<Digest> after;
  for (int page = 0; page < 3; ++page) {
    const auto files = RunTask(drafts().ListDraftFiles(after, 1)).value();
    if (files.empty()) break;
    ASSERT_EQ(files[0].files.size(), 1U);
    EXPECT_EQ(files[0].files[0].name, "a");
    EXPECT_EQ(files[0].address, SampleDraft("one").address);
    after = files[0].files[0].digest;
    found.push_back(*after);
  }
  EXPECT_EQ(found, expected);
  EXPECT_TRUE(RunTask(drafts().ListDraftFiles(after, 10)).value().empty());
}

TEST_P(DraftCatalogSuite, ExpiredDraftsAreRemovedAndCounted) {
  for (int i = 0; i < 5; ++i) {
    DraftRecord draft = SampleDraft("draft" + std::to_string(i));
    draft.expires_at = kSuiteNow + i;
    ASSERT_TRUE(this->AddDraft(draft));
    ASSERT_TRUE(this->Put(draft.id, SampleFile("a", draft.id), 9, draft.expires_at));
    ASSERT_TRUE(this->Put(draft.id, SampleFile("b", draft.id), 9, draft.expires_at));
  }
  EXPECT_EQ(RunTask(drafts().RemoveExpiredDrafts(kSuiteNow - 1)), 0u);
  EXPECT_EQ(RunTask(drafts().RemoveExpiredDrafts(kSuiteNow + 2)), 3u);
  EXPECT_EQ(RunTask(drafts().RemoveExpiredDrafts(kSuiteNow + 2)), 0u);
  for (int i = 0; i < 5; ++i) {
    const std::string id = "draft" + std::to_string(i);
    EXPECT_EQ(this->Find(id, 0).has_value(), i > 2) << id;
    EXPECT_EQ(this->IsReferenced(Digest::Of(id)), i > 2) << id;
  }
}

TEST_P(DraftCatalogSuite, WhatCannotBeKeptIsRefused) {
  DraftRecord draft = SampleDraft("\xff");
  this->ExpectFails(this->AddDraft(draft), ErrorKind::kInvalid, "the draft's ID must be UTF-8");
  draft = SampleDraft("draft");
  draft.created_by = std::string("a\0b", 3);
  this->ExpectFails(this->AddDraft(draft), ErrorKind::kInvalid, "the publisher's name");
  ASSERT_TRUE(this->AddDraft(SampleDraft("draft")));
  this->ExpectFails(this->Put("draft", SampleFile("\xff")), ErrorKind::kInvalid,
                    "the file's name must be UTF-8 text without NUL, not \"\\xff\"");
}

TEST_P(DraftCatalogSuite, DraftsChangeNoDocument) {
  ASSERT_TRUE(this->AddDraft(SampleDraft("draft")));
  ASSERT_TRUE(this->Put("draft", SampleFile("a")));
  ASSERT_TRUE(RunTask(drafts().RemoveDraft("draft")));
  EXPECT_EQ(RunTask(changes().LatestChange())->sequence, 0);
}

TEST_P(DraftCatalogSuite, ParallelUploadsLoseNoFile) {
  ASSERT_TRUE(this->AddDraft(SampleDraft("draft")));
  constexpr int kFiles = 48;
  Racers racers;
  std::vector<Result<void>> put;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kFiles; ++i) {
      DraftFile file = SampleFile("file" + std::to_string(i), std::to_string(i));
      racers.Add(drafts().PutDraftFile("draft", file, kSuiteNow + 100, kFiles), &put);
    }
  }
  racers.Run();
  EXPECT_EQ(put.size(), 2u * kFiles);
  for (const Status& status : put) {
    EXPECT_TRUE(status) << status.error().message << status.error().detail;
  }
  auto draft = this->Find("draft");
  ASSERT_TRUE(draft);
  EXPECT_EQ(draft->files.size(), std::size_t{kFiles});
  for (const DraftFile& file : draft->files) {
    EXPECT_EQ(file.digest, Digest::Of(file.name.substr(4))) << file.name;
  }
}

TEST_P(DraftCatalogSuite, BoundsHoldUnderRaces) {
  Racers racers;
  std::vector<Result<void>> opened;
  std::vector<Result<void>> put;
  for (int i = 0; i < 30; ++i) {
    racers.Add(this->drafts().AddDraft(SampleDraft("draft" + std::to_string(i)), 4), &opened);
  }
  racers.Run();
  EXPECT_EQ(std::ranges::count_if(opened, &Status::has_value), 4);
  const Texts drafts = this->List("acme/demo", "1.0.0");
  ASSERT_EQ(drafts.size(), 4u);
  Racers uploads;
  for (int i = 0; i < 30; ++i) {
    DraftFile file = SampleFile("file" + std::to_string(i));
    uploads.Add(this->drafts().PutDraftFile(drafts[0], file, kSuiteNow + 100, 4), &put);
  }
  uploads.Run();
  EXPECT_EQ(std::ranges::count_if(put, &Status::has_value), 4);
  EXPECT_EQ(this->Find(drafts[0])->files.size(), 4u);
}

}  // namespace
}  // namespace koya
