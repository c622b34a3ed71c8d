// Small files of releases, cached in memory: they survive a failing store, and bypass no
// permissions.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "api/common/api_fixture_fake.h"
#include "base/run_task.h"
#include "domain/digest.h"
#include "domain/platform.h"

namespace koya::api {
namespace {

constexpr const char* kSmallArchive =
    "/download/modules/acme/vpc/aws/1.0.0/acme-vpc-aws-1.0.0.tar.gz";

// A blob with other bytes than its name says.
class WrongBytesBlob final : public Blob {
 public:
  explicit WrongBytesBlob(std::string bytes) : bytes_(std::move(bytes)) {}
  std::uint64_t size() const override { return bytes_.size(); }
  std::optional<int> file_descriptor() const override { return std::nullopt; }
  Task<std::size_t> ReadAt(std::uint64_t offset, std::span<std::byte> into) override {
    const std::size_t count = std::min<std::size_t>(into.size(), bytes_.size() - offset);
    std::memcpy(into.data(), bytes_.data() + offset, count);
    co_return count;
  }

 private:
  const std::string bytes_;
};

// What does not become smaller by packing.
std::string SmallNoise(std::size_t size) {
  std::string noise;
  for (int i = 0; noise.size() < size; ++i) noise += Digest::Of(std::to_string(i)).hex();
  return noise;
}

class SmallFilesApiTest : public ::testing::Test {
 protected:
  void SetUp() override { api.token = api.Token(Scope::kAdmin); }

  MemoryBlobStore& store() { return dynamic_cast<MemoryBlobStore&>(api.blobs()); }
  void Lose(std::string_view bytes) {
    EXPECT_EQ(RunTask(api.blobs().RemoveIfOlder(Digest::Of(bytes), std::chrono::seconds(0))), true);
  }
  Reply Head(const std::string& path) {
    Question question;
    question.method = http::Method::kHead;
    question.path = path;
    return api.Ask(question);
  }

  ApiFixture api;
};

TEST_F(SmallFilesApiTest, AreServedWithoutTheStoreUntilTheirTopicChanges) {
  const std::string archive = ModuleArchive("one");
  ASSERT_EQ(api.Publish("acme/vpc/aws", "1.0.0", archive).status, 201U);
  const Reply first = api.Get(kSmallArchive);
  ASSERT_EQ(first.status, 200U);
  Lose(archive);
  const Reply kept = api.Get(kSmallArchive);
  EXPECT_EQ(kept.status, 200U);
  EXPECT_EQ(kept.body, archive);
  EXPECT_EQ(kept.etag, first.etag);
  EXPECT_EQ(kept.fields, first.fields);
  EXPECT_EQ(Head(kSmallArchive).status, 200U);
  EXPECT_EQ(Head(kSmallArchive).etag, first.etag);
  // Looked for where it should be, it is missing; what that is called is tested elsewhere.
  ASSERT_EQ(api.Publish("acme/vpc/aws", "1.1.0", ModuleArchive("two")).status, 201U);
  EXPECT_EQ(api.Get(kSmallArchive).status, 500U);
}

TEST_F(SmallFilesApiTest, LargerOnesAreNotKept) {
  const std::size_t edge = std::size_t{64} * 1024;
  for (const auto& [size, status] : {std::pair{edge / 2, 200U}, {4 * edge, 500U}}) {
    const std::string name = size < edge ? "small" : "large";
    const std::string archive = PackFiles({{"main.tf", "# " + SmallNoise(size)}});
    ASSERT_EQ(archive.size() <= edge, size < edge) << archive.size();
    ASSERT_EQ(api.Publish("acme/" + name + "/aws", "1.0.0", archive).status, 201U);
    const std::string path =
        "/download/modules/acme/" + name + "/aws/1.0.0/acme-" + name + "-aws-1.0.0.tar.gz";
    ASSERT_EQ(api.Get(path).body, archive);
    Lose(archive);
    EXPECT_EQ(api.Get(path).status, status) << name;
  }
}

TEST_F(SmallFilesApiTest, TakeNoMoreMemoryThanDocumentsMay) {
  std::vector<std::string> paths;
  for (int i = 0; i < 30; ++i) {
    const std::string name = "module-" + std::to_string(i);
    const std::string archive = PackFiles({{"main.tf", "# " + SmallNoise(80'000) + name}});
    ASSERT_EQ(api.Publish("acme/" + name + "/aws", "1.0.0", archive).status, 201U);
    paths.push_back("/download/modules/acme/" + name + "/aws/1.0.0/acme-" + name +
                    "-aws-1.0.0.tar.gz");
    ASSERT_EQ(api.Get(paths.back()).status, 200U);
    EXPECT_LE(api.documents().Counters().cost, ApiFixture::kDocumentBytes);
  }
  EXPECT_GT(api.documents().Counters().entries, 1U);
  EXPECT_LT(api.documents().Counters().entries, 30U);
  for (const std::string& path : paths) EXPECT_EQ(api.Get(path).status, 200U) << path;
}

TEST_F(SmallFilesApiTest, WhatIsDamagedIsNotKept) {
  const std::string archive = ModuleArchive("one");
  ASSERT_EQ(api.Publish("acme/vpc/aws", "1.0.0", archive).status, 201U);
  Lose(archive);
  std::string damaged = archive;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  store().AddBlob({Digest::Of(archive), archive.size()}, std::make_shared<WrongBytesBlob>(damaged));
  const Reply reply = api.Get(kSmallArchive);
  EXPECT_EQ(reply.status, 200U);
  EXPECT_EQ(reply.body, damaged) << "which its client finds out by the checksum";
  Lose(archive);
  EXPECT_EQ(api.Get(kSmallArchive).status, 500U) << "nothing was kept of it";
}

TEST_F(SmallFilesApiTest, AreForThoseWhoMayReadThem) {
  const std::string archive = ModuleArchive("one");
  ASSERT_EQ(api.Publish("acme/vpc/aws", "1.0.0", archive).status, 201U);
  ASSERT_TRUE(api.Get(kSmallArchive).Get("Cache-Control").starts_with("public"));
  Question hide;
  hide.method = http::Method::kPut;
  hide.path = "/api/v1/namespaces/acme";
  hide.body = R"({"visibility":"private"})";
  ASSERT_EQ(api.Ask(hide).status, 200U);
  const std::string location =
      api.Get("/v1/modules/acme/vpc/aws/1.0.0/download").Get("X-Terraform-Get");
  Question signed_url;
  signed_url.path = kSmallArchive;
  signed_url.query = location.substr(location.find('?') + 1);
  api.token.clear();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(api.Get(kSmallArchive).status, 404U);
    const Reply reply = api.Ask(signed_url);
    EXPECT_EQ(reply.status, 200U) << location;
    EXPECT_EQ(reply.body, archive);
    EXPECT_TRUE(reply.Get("Cache-Control").starts_with("private"));
  }
}

class SmallMirrorFilesTest : public SmallFilesApiTest {
 protected:
  void SetUp() override {
    zip = api.upstream.Zip("1.0.0", *Platform::Parse("linux_amd64"));
    ASSERT_EQ(api.Get(kZip).status, 200U);
    api.SettleMirror();
    ASSERT_EQ(api.Get(kZip).body, zip);
    ASSERT_EQ(api.Get(kSums).status, 200U);
  }
  // From here on a cached file is opened again, so that its use is noted.
  void LetTimePass() { api.clock.now += 7200; }

  static constexpr const char* kZip =
      "/mirror/registry.example.org/acme/demo/1.0.0/terraform-provider-demo_1.0.0_linux_amd64.zip";
  static constexpr const char* kSums =
      "/mirror/registry.example.org/acme/demo/1.0.0/terraform-provider-demo_1.0.0_SHA256SUMS";
  std::string zip;
};

TEST_F(SmallMirrorFilesTest, AreServedAtAnyTimeWhileTheCatalogIsAway) {
  LetTimePass();
  Lose(zip);
  api.upstream.failure = Error{ErrorKind::kBadUpstream, "down", {}};
  api.upstream.archive_failure = api.upstream.failure;
  api.silent_for = std::chrono::hours(5);
  EXPECT_EQ(api.Get(kZip).body, zip);
  api.silent_for = {};
  EXPECT_EQ(api.Get(kZip).status, 502U) << "it is opened anew, as others are";
}

TEST_F(SmallMirrorFilesTest, AreServedWhenTheyCannotBeOpenedForAWhile) {
  LetTimePass();
  Lose(zip);
  api.upstream.failure = Error{ErrorKind::kUnavailable, "busy", {}};
  api.upstream.archive_failure = api.upstream.failure;
  EXPECT_EQ(api.Get(kZip).body, zip);
}

TEST_F(SmallMirrorFilesTest, DocumentsAreKeptForAsLongAsNothingChanges) {
  const std::string sums = api.Get(kSums).body;
  EXPECT_TRUE(sums.contains(Digest::Of(zip).hex()));
  LetTimePass();
  Lose(sums);
  api.upstream.failure = Error{ErrorKind::kBadUpstream, "down", {}};
  EXPECT_EQ(api.Get(kSums).body, sums);
}

}  // namespace
}  // namespace koya::api
