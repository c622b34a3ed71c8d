// Several uploads at once, against a server that serves each connection on a thread of its own.
#include "cli/api/local_file.h"
#include "cli/uploads.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <latch>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/temp_folder_fake.h"
#include "domain/digest.h"

namespace koya::cli {
namespace {

constexpr std::uint64_t kLarge = 256ULL << 20;

// Refuses the small file, and takes the large one only when the client has seen that.
class RefusingServer {
 public:
  RefusingServer() {
    listener_ = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_.get(), generic, size) == 0 && ::listen(listener_.get(), 4) == 0 &&
        ::getsockname(listener_.get(), generic, &size) == 0) {
      port_ = ntohs(address.sin_port);
    }
    thread_ = std::jthread([this] { Accept(); });
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::uint64_t received() const { return received_; }
  void Join() { thread_ = {}; }

 private:
  void Accept() {
    std::array<std::jthread, 2> connections;  // one for each file
    for (std::jthread& each : connections) {
      int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      each = std::jthread([this, fd] { Serve(UniqueFd(fd)); });
    }
  }

  void Serve(const UniqueFd& connection) {
    std::string head;
    std::vector<char> buffer(1 << 20);
    while (head.find("\r\n\r\n") == std::string::npos) {
      ssize_t got = ::recv(connection.get(), buffer.data(), buffer.size(), 0);
      if (got <= 0) return;
      head.append(buffer.data(), static_cast<std::size_t>(got));
    }
    // Both are under way before either goes on.
    both_.arrive_and_wait();
    bool large = head.find("linux_amd64.zip") != std::string::npos;
    std::string_view answer = "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n";
    if (large) {
      refusal_seen_.wait();
      answer = "HTTP/1.1 100 Continue\r\n\r\n";
    }
    ::send(connection.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
    for (ssize_t got = 1; got > 0;) {
      got = ::recv(connection.get(), buffer.data(), buffer.size(), 0);
      if (large && got > 0) received_ += static_cast<std::uint64_t>(got);
    }
    // The client is gone from this connection, so its worker has ended.
    if (!large) refusal_seen_.count_down();
  }

  UniqueFd listener_;
  std::uint16_t port_ = 0;
  std::latch both_{2};
  std::latch refusal_seen_{1};
  std::atomic<std::uint64_t> received_ = 0;
  std::jthread thread_;
};

TEST(ReleaseUploadTest, AFailureBreaksTheOtherUploadsOff) {
  TempFolder folder;
  const std::string kZip = "terraform-provider-demo_1.2.0_linux_amd64.zip";
  const std::string kSums = "terraform-provider-demo_1.2.0_SHA256SUMS";
  std::ofstream(folder / kZip).put('x');
  std::filesystem::resize_file(folder / kZip, kLarge);
  std::ofstream(folder / kSums) << "sums";

  RefusingServer server;
  ReleaseId release{*ProviderAddress::Parse("acme/demo"), *Version::Parse("1.2.0")};
  ReleaseFolder files{.path = folder.path(),
                      .version = release.version,
                      .files = {{kSums, 4, ReleaseFile::Kind::kSums}, {kZip, kLarge}},
                      .notes = {}};
  RegistryClientOptions connection{
      .server = *http::ParseUrl(server.url()), .token = "", .http = {}};
  wire::Draft draft;
  draft.id = "d1";
  std::ostringstream terminal;
  UploadProgress progress(terminal, kLarge + 4, true);
  auto report = UploadRelease(
      {.connection = connection, .release = release, .folder = files, .draft = draft, .jobs = 4},
      progress);
  server.Join();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::kForbidden) << report.error().message;
  EXPECT_LT(server.received(), kLarge / 2);
}

TEST(ReleaseUploadTest, NamesALocalFileThatIsGone) {
  TempFolder folder;
  ReleaseId release{*ProviderAddress::Parse("acme/demo"), *Version::Parse("1.2.0")};
  ReleaseFolder files{
      .path = folder.path(), .version = release.version, .files = {{"gone.zip", 4}}, .notes = {}};
  RegistryClientOptions connection{
      .server = *http::ParseUrl("http://127.0.0.1:1"), .token = "", .http = {}};
  std::ostringstream terminal;
  UploadProgress progress(terminal, 4, true);
  auto report = UploadRelease(
      {.connection = connection, .release = release, .folder = files, .draft = {}}, progress);
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().message.find("gone.zip"), std::string::npos);
}

TEST(FileDigestTest, IsThatOfTheBytes) {
  TempFolder folder;
  std::string content((2 << 20) + 7, 'x');
  std::ofstream(folder / "file") << content;
  EXPECT_EQ(FileDigest(folder / "file"), Digest::Of(content).ToString());
  EXPECT_FALSE(FileDigest(folder / "gone"));
}

}  // namespace
}  // namespace koya::cli
