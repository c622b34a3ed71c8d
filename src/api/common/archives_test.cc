#include "api/common/archives.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>

#include "base/run_task.h"
#include "blobs/blob_store.h"
#include "http/server/message.h"

namespace koya::api {
namespace {

class BlobElsewhere final : public Blob {
 public:
  std::uint64_t size() const override { return 4; }
  std::optional<int> file_descriptor() const override { return std::nullopt; }
  Task<std::size_t> ReadAt(std::uint64_t /*offset*/, std::span<std::byte> /*into*/) override {
    co_return std::size_t{0};
  }
  Awaitable<std::optional<std::string>> RedirectUrl() override {
    ++asked;
    co_return url;
  }
  std::optional<std::string> url = "https://store.test/name?signature";
  int asked = 0;
};

TEST(RedirectReply, SendsWhoGetsTheBytesWithoutACredential) {
  BlobElsewhere blob;
  http::Request request;
  auto reply = RunTask(RedirectReply(request, blob));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 302U);
  const std::vector<std::pair<std::string, std::string>> fields = {
      {"Location", "https://store.test/name?signature"}, {"Cache-Control", "no-store"}};
  EXPECT_EQ(reply->fields, fields);
  EXPECT_TRUE(reply->etag.empty());
  blob.url.reset();
  EXPECT_FALSE(RunTask(RedirectReply(request, blob)));
}

TEST(RedirectReply, SendsNobodyElse) {
  BlobElsewhere blob;
  const std::array<http::Field, 1> bearer{{{"authorization", "Bearer koya_x"}}};
  const std::array<http::Field, 1> known{{{"if-none-match", "\"x\""}}};
  http::Request head;
  head.method = http::Method::kHead;
  http::Request with_token;
  with_token.fields = bearer;
  http::Request conditional;
  conditional.fields = known;
  for (const http::Request* request : {&head, &with_token, &conditional}) {
    EXPECT_FALSE(RunTask(RedirectReply(*request, blob)));
  }
  EXPECT_EQ(blob.asked, 0);
}

}  // namespace
}  // namespace koya::api
