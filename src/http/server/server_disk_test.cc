// A slow disk delays only the requests that wait for it.
#include <future>
#include <optional>

#include "base/file.h"
#include "base/offload.h"
#include "http/server/page_cache.h"
#include "http/server/server_fixture_fake.h"

namespace koya::http {
namespace {

constexpr std::string_view kGetRoot = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
constexpr std::string_view kGetFile = "GET /file HTTP/1.1\r\nHost: h\r\n\r\n";

class ServerDiskTest : public ProtocolTest {
 protected:
  ServerDiskTest() {
    disk_.Post([answers = answers_.get_future().share()] { answers.wait(); });
  }
  ~ServerDiskTest() override {
    Answer();
    server_.reset();
  }
  // Until then the disk does not respond.
  void Answer() {
    if (!std::exchange(answered_, true)) answers_.set_value();
  }
  std::promise<void> answers_;
  bool answered_ = false;
  WorkerPool disk_{1};
};

INSTANTIATE_TEST_SUITE_P(Engine, ServerDiskTest,
                         testing::Values(Wire::kPlain, Wire::kTls, Wire::kHttp2), WireName);

TEST_P(ServerDiskTest, AColdFileDoesNotHoldUpTheOthersOfItsLoop) {
  Start({.threads = 1, .disk = &disk_, .is_in_memory = [](const FileSlice&) { return false; }});
  auto waiting = Connect();
  waiting->Send(kGetFile);
  auto other = Connect();
  for (std::size_t i = 1; i <= 20; ++i) {
    other->Send(kGetRoot);
    ASSERT_TRUE(other->ReadAnswer());
    observer_.WaitForRequests(i);
  }
  EXPECT_EQ(observer_.request_count(), 20U) << "the loop read the file itself";
  Answer();
  auto answer = waiting->ReadAnswer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, routes_.file_bytes);
}

TEST_P(ServerDiskTest, AFileInMemoryDoesNotWaitForTheDisk) {
  Start({.threads = 1, .disk = &disk_});
  {
    UniqueFd file(open((folder_ / "file").c_str(), O_RDONLY | O_CLOEXEC));
    ReadIntoMemory({file.get(), 0, routes_.file_bytes.size()});
    if (!IsInMemory({file.get(), 0, 1})) GTEST_SKIP() << "skipped: this file system does not say";
  }
  auto answer = Ask(kGetFile);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, routes_.file_bytes);
}

}  // namespace
}  // namespace koya::http
