// Drafts and commits over a real catalog and blobs in memory.
#include "service/providers/publish_provider.h"
#include "base/manual_clock_fake.h"
#include "base/offload.h"
#include "base/text_source_fake.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "archive/archive_builder_fake.h"
#include "base/run_task.h"
#include "blobs/memory/memory_blob_store.h"
#include "catalog/attachment_catalog.h"
#include "catalog/catalog_parts_fake.h"
#include "domain/search_record.h"
#include "service/common/change_feed.h"
#include "service/common/reading.h"
#include "service/providers/provider_comparison.h"
#include "service/providers/provider_docs.h"
#include "service/providers/providers.h"
#include "service/providers/release_semver_check.h"
#include "service/providers/signing_keys.h"
#include "service/search/index_queue.h"
#include "signing/openpgp.h"
#include "signing/sealer.h"
#include "signing/sha256sums.h"

namespace koya::service {
namespace {

class PublishProviderTest : public ::testing::Test {
 protected:
  using Request = ProviderPublisher::Request;

  PublishProviderTest() {
    changes_ = std::make_unique<ChangeFeed>(catalog_);
    changes_->AddListener([this](std::string_view topic) { topics_.emplace_back(topic); });
    keys_ = std::make_unique<SigningKeys>(catalog_, sealer_, pool_, clock_);
    docs_ = std::make_unique<ProviderDocs>(catalog_, blobs_);
    comparison_ = std::make_unique<ProviderComparison>(catalog_, *docs_, pool_);
    judge_ = std::make_unique<ReleaseSemverCheck>(catalog_, *comparison_, SemverRule::kWarn);
    publisher_ = std::make_unique<ProviderPublisher>(catalog_, blobs_, *keys_, pool_, *changes_,
                                                     *judge_, index_, clock_, options_);
    providers_ =
        std::make_unique<Providers>(catalog_, blobs_, index_, clock_, std::chrono::hours(24));
  }

  static Request For(std::string_view version = "1.0.0", std::string_view address = "acme/demo") {
    return {.publisher = {.name = "ci", .scope = Scope::kPublish, .namespaces = {}},
            .address = *ProviderAddress::Parse(address),
            .version = *Version::Parse(version)};
  }
  static std::string Package(std::string_view content) {
    return Zip({{.name = "terraform-provider-demo_v1.0.0", .content = std::string(content)}});
  }
  static std::string FileName(std::string_view rest, std::string_view version = "1.0.0") {
    return "terraform-provider-demo_" + std::string(version) + "_" + std::string(rest);
  }

  std::string Open(const Request& request = For()) {
    Result<DraftRecord> draft = RunTask(publisher_->OpenDraft(request));
    EXPECT_TRUE(draft) << draft.error().message;
    return draft ? draft->id : std::string();
  }
  Result<DraftFile> Upload(const std::string& id, const std::string& name, std::string content,
                           const Request& request = For()) {
    TextSource source(std::move(content));
    return RunTask(publisher_->Upload(request, id, name, source));
  }
  void MustUpload(const std::string& id, const std::string& name, std::string content) {
    Result<DraftFile> file = Upload(id, name, std::move(content));
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->problems, std::vector<std::string>());
  }
  Result<CommitOutcome> Commit(const std::string& id, bool sign = true,
                               const Request& request = For()) {
    return RunTask(publisher_->CommitDraft(request, id, {.sign = sign, .protocols = {}}));
  }
  // Publishes one signed by the server, whose package holds `content`.
  Result<CommitOutcome> Publish(std::string_view content, const Request& request = For()) {
    std::string id = Open(request);
    std::string name = FileName("linux_amd64.zip", request.version.ToString());
    EXPECT_TRUE(Upload(id, name, Package(content), request));
    return Commit(id, true, request);
  }
  bool IsListed(std::string_view version = "1.0.0") {
    Request request = For(version);
    return RunTask(providers_->FindVersion(request.address, request.version)).has_value();
  }
  std::string Served(const std::string& file) {
    Request request = For();
    auto open = RunTask(providers_->OpenFile(request.address, request.version, file));
    EXPECT_TRUE(open) << open.error().message;
    if (!open) return {};
    std::string text(open->blob->size(), '\0');
    auto got = RunTask(open->blob->ReadAt(0, std::as_writable_bytes(std::span(text))));
    EXPECT_EQ(got.value_or(0), text.size());
    return text;
  }

  ManualClock clock_;
  WorkerPool pool_{2};
  MemoryBlobStore blobs_;
  signing::Sealer sealer_{"a secret of the tests"};
  ProviderPublishOptions options_{.zip_bytes = 4096,
                                  .archive = {},
                                  .attachments = {.bytes = 200, .count = 3},
                                  .draft_ttl = std::chrono::hours(1)};
  TestCatalog catalog_;
  std::unique_ptr<ChangeFeed> changes_;
  std::unique_ptr<SigningKeys> keys_;
  std::unique_ptr<ProviderDocs> docs_;
  std::unique_ptr<ProviderComparison> comparison_;
  std::unique_ptr<ReleaseSemverCheck> judge_;
  IndexQueue index_;
  std::unique_ptr<ProviderPublisher> publisher_;
  std::unique_ptr<Providers> providers_;
  std::vector<std::string> topics_;
};

ErrorKind KindOf(const auto& result) {
  EXPECT_FALSE(result.has_value());
  return result ? ErrorKind::kInternal : result.error().kind;
}

TEST_F(PublishProviderTest, ACommitShowsTheReleaseWhole) {
  std::string id = Open();
  std::string zip = Package("one");
  MustUpload(id, FileName("linux_amd64.zip"), zip);
  MustUpload(id, FileName("manifest.json"),
             R"({"version":1,"metadata":{"protocol_versions":["6.0"]}})");
  EXPECT_FALSE(IsListed());  // nothing before the commit
  Result<CommitOutcome> outcome = Commit(id);
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_TRUE(outcome->created);
  EXPECT_EQ(outcome->release->protocols, std::vector<std::string>{"6.0"});
  EXPECT_EQ(outcome->release->published_by, "ci");
  ASSERT_TRUE(IsListed());
  EXPECT_EQ(topics_.back(), "provider:acme/demo");

  EXPECT_EQ(Served(FileName("linux_amd64.zip")), zip);
  std::string sums = Served(FileName("SHA256SUMS"));
  EXPECT_TRUE(sums.contains(Digest::Of(zip).hex() + "  " + FileName("linux_amd64.zip")));
  EXPECT_TRUE(sums.contains(FileName("manifest.json")));
  auto key = RunTask(keys_->FindKey("acme", outcome->release->key_fingerprint));
  ASSERT_TRUE(key);
  std::vector<std::string> armors{key->armor};
  auto checked =
      signing::CheckSignatures(sums, Served(FileName("SHA256SUMS.sig")), armors, clock_.now);
  ASSERT_TRUE(checked) << checked.error().message;
  EXPECT_EQ(checked->front().state, signing::CheckedSignature::State::kGood);
  EXPECT_EQ(KindOf(RunTask(publisher_->Show(For(), id))), ErrorKind::kNotFound);  // it is spent
}

TEST_F(PublishProviderTest, AnAuthorsSignatureIsServedAsBinary) {
  signing::GeneratedKey author = signing::GenerateKey("Author", clock_.now).value();
  auth::Principal admin{.name = "admin", .scope = Scope::kAdmin, .namespaces = {}};
  ASSERT_TRUE(RunTask(keys_->Add(admin, "acme", author.public_key.armor)));
  std::string zip = Package("one");
  std::vector<signing::SumsLine> lines{{Digest::Of(zip), FileName("linux_amd64.zip")}};
  std::string sums = signing::WriteSums(lines);
  std::string signature = signing::SignDetached(sums, author.secret, clock_.now).value();
  std::string id = Open();
  MustUpload(id, FileName("SHA256SUMS.sig"), signature);  // in any order
  MustUpload(id, FileName("SHA256SUMS"), sums);
  MustUpload(id, FileName("linux_amd64.zip"), zip);
  Result<CommitOutcome> outcome = Commit(id, false);
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_TRUE(outcome->created);
  EXPECT_EQ(Served(FileName("SHA256SUMS")), sums);
  EXPECT_EQ(Served(FileName("SHA256SUMS.sig")), signature);
  EXPECT_EQ(outcome->release->key_fingerprint, author.public_key.fingerprint);
}

TEST_F(PublishProviderTest, ProblemsLeaveTheDraftToBeMended) {
  std::string id = Open();
  Result<DraftFile> file = Upload(id, FileName("linux_amd64.zip"), "no zip");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->problems.size(), 1U);
  Result<CommitOutcome> outcome = Commit(id);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->problems.size(), 1U);
  EXPECT_FALSE(outcome->release);
  EXPECT_FALSE(IsListed());
  MustUpload(id, FileName("linux_amd64.zip"), Package("mended"));
  outcome = Commit(id);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->created);
}

TEST_F(PublishProviderTest, TheSamePackagesAgainAreFine) {
  Result<CommitOutcome> first = Publish("one");
  ASSERT_TRUE(first);
  ++clock_.now;  // another signature would have another time
  Result<CommitOutcome> again = Publish("one");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(again->created);
  EXPECT_EQ(again->release->signature, first->release->signature);
  EXPECT_EQ(RunTask(publisher_->ListDrafts(For()))->size(), 0U);
}

// Published as any other; its author learns which clients reject it, each time.
// What a draft has beside the release's files, when its commit names it.
class ProviderAttachmentsTest : public PublishProviderTest {
 protected:
  static std::string Statement(std::string_view content) {
    return fmt::format(R"({{"subject":[{{"digest":{{"sha256":"{}"}}}}]}})",
                       Digest::Of(content).hex());
  }
  Result<CommitOutcome> CommitWith(const std::string& id, std::vector<std::string> attachments) {
    ProviderPublisher::Commit commit{.sign = true, .attachments = std::move(attachments)};
    return RunTask(publisher_->CommitDraft(For(), id, std::move(commit)));
  }
  std::vector<std::string> Names() {
    AttachmentCatalog& attachments = catalog_;
    std::vector<std::string> names;
    const SearchSubject release = SearchSubject::Of(For().address, For().version);
    for (const Attachment& each : *RunTask(attachments.ListAttachments(release))) {
      names.push_back(each.name);
    }
    return names;
  }

  const std::string zip_ = Package("one");
  const std::string spdx_ = R"({"spdxVersion":"SPDX-2.3"})";
};

TEST_F(ProviderAttachmentsTest, AreAddedWithTheReleaseAndLater) {
  std::string id = Open();
  MustUpload(id, FileName("linux_amd64.zip"), zip_);
  MustUpload(id, "a.intoto.jsonl", Statement(zip_));
  Result<CommitOutcome> outcome = CommitWith(id, {"a.intoto.jsonl", "a.intoto.jsonl"});
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_TRUE(outcome->created) << fmt::format("{}", fmt::join(outcome->problems, "\n"));
  EXPECT_EQ(Names(), std::vector<std::string>{"a.intoto.jsonl"});
  EXPECT_FALSE(Served(FileName("SHA256SUMS")).contains("intoto"));

  id = Open();
  MustUpload(id, FileName("linux_amd64.zip"), zip_);
  MustUpload(id, "b.spdx.json", spdx_);
  outcome = CommitWith(id, {"b.spdx.json"});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_FALSE(outcome->created);
  EXPECT_EQ(Names(), (std::vector<std::string>{"a.intoto.jsonl", "b.spdx.json"}));

  id = Open();
  MustUpload(id, FileName("linux_amd64.zip"), zip_);
  MustUpload(id, "b.spdx.json", spdx_ + " ");
  EXPECT_EQ(KindOf(CommitWith(id, {"b.spdx.json"})), ErrorKind::kConflict);
}

TEST_F(ProviderAttachmentsTest, WhatIsWrongWithThemIsReportedTogether) {
  std::string id = Open();
  MustUpload(id, FileName("linux_amd64.zip"), zip_);
  MustUpload(id, "a.intoto.jsonl", Statement("other"));
  MustUpload(id, "b.spdx.json", "{}");
  const std::vector<std::string> names{"a.intoto.jsonl", "b.spdx.json", "c.cdx.json", "notes.txt"};
  Result<CommitOutcome> outcome = CommitWith(id, names);
  ASSERT_TRUE(outcome) << outcome.error().message;
  const std::string problems = fmt::format("{}", fmt::join(outcome->problems, "\n"));
  for (const char* words : {"a.intoto.jsonl names no file", "b.spdx.json is no SPDX",
                            "c.cdx.json, which was not uploaded", "\"notes.txt\" does not"}) {
    EXPECT_TRUE(problems.contains(words)) << problems;
  }
  EXPECT_FALSE(IsListed());
  outcome = CommitWith(id, {});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->problems.size(), 2U) << "files that no release has";
}

TEST_F(ProviderAttachmentsTest, HaveALimitOfTheirOwn) {
  std::string id = Open();
  EXPECT_EQ(KindOf(Upload(id, "a.spdx.json", std::string(201, ' '))), ErrorKind::kTooLarge);
  MustUpload(id, FileName("linux_amd64.zip"), zip_);
  std::vector<std::string> names;
  for (int i = 0; i < 4; ++i) {
    names.push_back(fmt::format("{}.spdx.json", i));
    MustUpload(id, names.back(), spdx_);
  }
  Result<CommitOutcome> outcome = CommitWith(id, names);
  ASSERT_TRUE(outcome);
  ASSERT_EQ(outcome->problems.size(), 1U);
  EXPECT_TRUE(outcome->problems[0].contains("limits.attachments allows 3"));
}

TEST_F(PublishProviderTest, ANamespaceWithAnUnderscoreIsAWarning) {
  const Request request = For("1.0.0", "My_Org/demo");
  for (const bool created : {true, false}) {
    Result<CommitOutcome> outcome = Publish("one", request);
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->created, created);
    EXPECT_EQ(outcome->release->address.ToString(), "my_org/demo");
    ASSERT_EQ(outcome->warnings.size(), 1U);
    EXPECT_TRUE(outcome->warnings[0].text.contains("OpenTofu")) << outcome->warnings[0].text;
  }
  EXPECT_TRUE(RunTask(providers_->FindVersion(request.address, request.version)));
  EXPECT_TRUE(Publish("one")->warnings.empty());
}

TEST_F(PublishProviderTest, RefusesWhatContradictsTheCatalog) {
  ASSERT_TRUE(Publish("one"));
  Result<CommitOutcome> other = Publish("two");
  EXPECT_EQ(KindOf(other), ErrorKind::kConflict);
  EXPECT_TRUE(other.error().message.contains("already published with other content"));

  Result<DraftRecord> build = RunTask(publisher_->OpenDraft(For("1.0.0+b")));
  EXPECT_EQ(KindOf(build), ErrorKind::kConflict);
  EXPECT_TRUE(build.error().message.contains("differ only in build metadata"));

  auth::Principal admin{.name = "admin", .scope = Scope::kAdmin, .namespaces = {}};
  Request request = For();
  ASSERT_TRUE(RunTask(providers_->Withdraw(admin, request.address, request.version, "leaked", "")));
  Result<DraftRecord> withdrawn = RunTask(publisher_->OpenDraft(request));
  EXPECT_EQ(KindOf(withdrawn), ErrorKind::kConflict);
  EXPECT_TRUE(withdrawn.error().message.contains("was withdrawn (leaked)"));
}

TEST_F(PublishProviderTest, OneOfTwoRacingCommitsWins) {
  for (int round = 0; round < 10; ++round) {
    Request request = For(fmt::format("1.{}.0", round));
    std::string name = FileName("linux_amd64.zip", request.version.ToString());
    std::vector<std::string> ids;
    for (const char* content : {"one", "two"}) {
      ids.push_back(Open(request));
      ASSERT_TRUE(Upload(ids.back(), name, Package(content), request));
    }
    std::vector<Result<CommitOutcome>> outcomes(2, CommitOutcome{});
    {
      std::jthread first([&] { outcomes[0] = Commit(ids[0], true, request); });
      std::jthread second([&] { outcomes[1] = Commit(ids[1], true, request); });
    }
    auto won = std::ranges::count_if(outcomes, [](const auto& each) { return each.has_value(); });
    EXPECT_EQ(won, 1);
    for (const auto& outcome : outcomes) {
      if (!outcome) EXPECT_EQ(outcome.error().kind, ErrorKind::kConflict);
    }
    EXPECT_TRUE(IsListed(request.version.ToString()));
  }
}

TEST_F(PublishProviderTest, AnUploadThatBreaksOffLeavesNothing) {
  std::string id = Open();
  Error gone{ErrorKind::kTimeout, "the client stalled", {}};
  TextSource source(Package("one").substr(0, 50), gone);
  auto file = RunTask(publisher_->Upload(For(), id, FileName("linux_amd64.zip"), source));
  EXPECT_EQ(KindOf(file), ErrorKind::kTimeout);
  EXPECT_EQ(RunTask(publisher_->Show(For(), id))->files.size(), 0U);
}

TEST_F(PublishProviderTest, BoundsEveryFile) {
  std::string id = Open();
  auto zip = Upload(id, FileName("linux_amd64.zip"), std::string(5000, 'x'));
  EXPECT_EQ(KindOf(zip), ErrorKind::kTooLarge);
  EXPECT_TRUE(zip.error().message.contains("limits.provider_zip_bytes"));
  auto sums = Upload(id, FileName("SHA256SUMS"), std::string(signing::kMaxSums + 1, 'x'));
  EXPECT_EQ(KindOf(sums), ErrorKind::kTooLarge);
  EXPECT_EQ(KindOf(Upload(id, "..", "x")), ErrorKind::kInvalid);
  EXPECT_EQ(KindOf(Upload(id, "a/b.zip", "x")), ErrorKind::kInvalid);
}

TEST_F(PublishProviderTest, AnIdOpensOnlyItsOwnRelease) {
  std::string id = Open();
  EXPECT_TRUE(RunTask(publisher_->Show(For(), id)));
  for (const Request& request :
       {For("1.0.1"), For("1.0.0", "acme/other"), For("1.0.0", "b/demo")}) {
    EXPECT_EQ(KindOf(RunTask(publisher_->Show(request, id))), ErrorKind::kNotFound);
    EXPECT_EQ(KindOf(Commit(id, true, request)), ErrorKind::kNotFound);
    EXPECT_EQ(KindOf(RunTask(publisher_->Abandon(request, id))), ErrorKind::kNotFound);
  }
  EXPECT_EQ(KindOf(RunTask(publisher_->Show(For(), "guess"))), ErrorKind::kNotFound);
  ASSERT_TRUE(RunTask(publisher_->Abandon(For(), id)));
  EXPECT_EQ(KindOf(RunTask(publisher_->Show(For(), id))), ErrorKind::kNotFound);
}

TEST_F(PublishProviderTest, NeedsTheRights) {
  Request reader = For();
  reader.publisher.scope = Scope::kRead;
  EXPECT_EQ(KindOf(RunTask(publisher_->OpenDraft(reader))), ErrorKind::kForbidden);
  Request elsewhere = For();
  elsewhere.publisher.namespaces = {"other"};
  std::string id = Open();
  EXPECT_EQ(KindOf(RunTask(publisher_->OpenDraft(elsewhere))), ErrorKind::kForbidden);
  EXPECT_EQ(KindOf(RunTask(publisher_->Show(elsewhere, id))), ErrorKind::kForbidden);
  EXPECT_EQ(KindOf(Upload(id, FileName("linux_amd64.zip"), "x", elsewhere)), ErrorKind::kForbidden);
  EXPECT_EQ(KindOf(Commit(id, true, elsewhere)), ErrorKind::kForbidden);
  Result<DraftRecord> reserved = RunTask(publisher_->OpenDraft(For("1.0.0", "acme/terraform-x")));
  EXPECT_EQ(KindOf(reserved), ErrorKind::kInvalid);
  reserved = RunTask(publisher_->OpenDraft(For("1.0.0", "mirror/demo")));
  EXPECT_EQ(KindOf(reserved), ErrorKind::kInvalid);
}

TEST_F(PublishProviderTest, DraftsExpireUnlessTheyGrow) {
  std::string id = Open();
  clock_.now += 3000;
  MustUpload(id, FileName("linux_amd64.zip"), Package("one"));  // renews it
  clock_.now += 3000;
  EXPECT_TRUE(RunTask(publisher_->Show(For(), id)));
  EXPECT_EQ(RunTask(publisher_->ListDrafts(For()))->size(), 1U);
  clock_.now += 1000;
  EXPECT_EQ(KindOf(RunTask(publisher_->Show(For(), id))), ErrorKind::kNotFound);
  EXPECT_EQ(KindOf(Commit(id)), ErrorKind::kNotFound);
  EXPECT_EQ(RunTask(publisher_->ListDrafts(For()))->size(), 0U);
}

TEST_F(PublishProviderTest, ListsOnlyOnesOwnDrafts) {
  std::string older = Open();
  ++clock_.now;
  std::string newer = Open();
  Request other = For();
  other.publisher.name = "somebody";
  Open(other);
  auto drafts = RunTask(publisher_->ListDrafts(For()));
  ASSERT_TRUE(drafts);
  ASSERT_EQ(drafts->size(), 2U);
  EXPECT_EQ(drafts->front().id, newer);
  EXPECT_EQ(drafts->back().id, older);
}

TEST_F(PublishProviderTest, ADraftIsForItsPublisherAlone) {
  const std::string id = Open();
  MustUpload(id, FileName("linux_amd64.zip"), Package("one"));
  Request other = For();
  other.publisher.name = "somebody";
  const std::string name = FileName("linux_amd64.zip");
  EXPECT_EQ(KindOf(RunTask(publisher_->Show(other, id))), ErrorKind::kNotFound);
  EXPECT_EQ(KindOf(RunTask(publisher_->CheckUpload(other, id, name))), ErrorKind::kNotFound);
  EXPECT_EQ(KindOf(Upload(id, name, Package("other"), other)), ErrorKind::kNotFound);
  EXPECT_EQ(KindOf(Commit(id, true, other)), ErrorKind::kNotFound);
  EXPECT_EQ(KindOf(RunTask(publisher_->Abandon(other, id))), ErrorKind::kNotFound);
  EXPECT_TRUE(Commit(id)->created);
}

TEST_F(PublishProviderTest, ADraftSaysWhatItWasOpenedFor) {
  const std::string longest(100, 'x');
  for (const std::string& upload : {std::string(), std::string("sha256:0aF_-."), longest}) {
    Result<DraftRecord> draft = RunTask(publisher_->OpenDraft(For(), upload));
    ASSERT_TRUE(draft) << draft.error().message;
    EXPECT_EQ(draft->upload, upload);
    EXPECT_EQ(RunTask(publisher_->Show(For(), draft->id))->upload, upload);
    EXPECT_EQ(RunTask(publisher_->ListDrafts(For()))->front().upload, upload);
    ASSERT_TRUE(RunTask(publisher_->Abandon(For(), draft->id)));
  }
  for (const std::string& bad : {longest + "x", std::string("two words"), std::string("a/b"),
                                 std::string("\n"), std::string("\xc3\xa4")}) {
    EXPECT_EQ(KindOf(RunTask(publisher_->OpenDraft(For(), bad))), ErrorKind::kInvalid) << bad;
  }
}

// Two publishers of one name shared a draft, and both got success for the one release.
TEST_F(PublishProviderTest, OfDifferentReleasesOneWinsAndTheOthersAreToldSo) {
  std::vector<std::string> drafts;
  for (const char* content : {"one", "two", "three"}) {
    drafts.push_back(Open());
    MustUpload(drafts.back(), FileName("linux_amd64.zip"), Package(content));
  }
  int won = 0;
  for (const std::string& id : drafts) {
    Result<CommitOutcome> outcome = Commit(id);
    if (outcome) {
      EXPECT_TRUE(outcome->created);
      ++won;
    } else {
      EXPECT_EQ(outcome.error().kind, ErrorKind::kConflict) << outcome.error().message;
    }
  }
  EXPECT_EQ(won, 1);
  EXPECT_EQ(Served(FileName("linux_amd64.zip")), Package("one"));
  EXPECT_TRUE(RunTask(publisher_->ListDrafts(For()))->empty()) << "none can be published any more";
}

TEST_F(PublishProviderTest, ADeprecationIsOneLineOfPlainText) {
  ASSERT_TRUE(Publish("one"));
  Request request = For();
  auto deprecate = [&](const std::string& message) {
    return RunTask(
        providers_->Deprecate(request.publisher, request.address, request.version, message));
  };
  ASSERT_TRUE(deprecate("use 2.0.0"));
  auto found = RunTask(providers_->FindVersion(request.address, request.version));
  EXPECT_EQ(found->deprecation, "use 2.0.0");
  for (const std::string& bad : {std::string("two\nlines"), std::string("\x1b[31mred"),
                                 std::string(1001, 'x'), std::string("\xff")}) {
    EXPECT_EQ(KindOf(deprecate(bad)), ErrorKind::kInvalid);
  }
  ASSERT_TRUE(deprecate(""));
  found = RunTask(providers_->FindVersion(request.address, request.version));
  EXPECT_EQ(found->deprecation, "");
}

}  // namespace
}  // namespace koya::service
