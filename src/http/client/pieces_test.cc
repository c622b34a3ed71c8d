// How a body is cut into pieces for the sink that gets it.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <future>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/file.h"
#include "http/client/client.h"

namespace koya::http {
namespace {

constexpr std::size_t kPiece = 64 << 10;
// What libcurl hands out at most.
constexpr std::size_t kOfCurl = 16 << 10;

// Accepts one connection, reads a request's head, and does the rest as the test says.
class OneAnswer {
 public:
  using Act = std::function<void(OneAnswer&)>;

  explicit OneAnswer(Act act) : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener_.get(), generic, size), 0);
    EXPECT_EQ(::listen(listener_.get(), 1), 0);
    EXPECT_EQ(::getsockname(listener_.get(), generic, &size), 0);
    url_ = fmt::format("http://127.0.0.1:{}/", ntohs(address.sin_port));
    thread_ = std::jthread([this, act = std::move(act)] {
      connection_ = UniqueFd(::accept(listener_.get(), nullptr, nullptr));
      std::string head;
      std::array<char, 4096> buffer{};
      while (!head.contains("\r\n\r\n")) {
        ssize_t got = ::recv(connection_.get(), buffer.data(), buffer.size(), 0);
        if (got <= 0) return;
        head.append(buffer.data(), static_cast<std::size_t>(got));
      }
      act(*this);
      connection_.Reset();
    });
  }
  // Before what the test's own function uses is gone.
  void Join() { thread_.join(); }
  const std::string& url() const { return url_; }

  void Send(std::string_view bytes) {
    while (!bytes.empty()) {
      ssize_t sent = ::send(connection_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  void SendHead(std::size_t length) {
    Send(fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", length));
  }

 private:
  UniqueFd listener_;
  UniqueFd connection_;
  std::string url_;
  std::jthread thread_;
};

std::string Content(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; text.size() < size; ++i) text += fmt::format("{:x}.", i * 2'654'435'761U);
  text.resize(size);
  return text;
}

// What a sink was given.
struct Taken {
  std::string bytes;
  std::vector<std::size_t> sizes;

  void Add(std::span<const std::byte> piece) {
    bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    sizes.push_back(piece.size());
  }
};

TEST(PiecesTest, AreGatheredWhileMoreIsAtHand) {
  const std::string content = Content(200'000);
  std::promise<void> sent;
  OneAnswer server([&](OneAnswer& answer) {
    answer.SendHead(content.size());
    answer.Send(content);
    sent.set_value();
  });
  Taken taken;
  ClientRequest request{.url = server.url(), .piece_bytes = kPiece};
  request.sink = [&](std::span<const std::byte> bytes) -> Status {
    // From now on everything is at hand.
    if (taken.sizes.empty()) sent.get_future().wait();
    taken.Add(bytes);
    return {};
  };
  Client client;
  auto answer = client.Send(request);
  server.Join();
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(taken.bytes == content);
  EXPECT_LE(taken.sizes.front(), kOfCurl) << "the first bytes are not waited with";
  EXPECT_GT(std::ranges::max(taken.sizes), kOfCurl);
  EXPECT_LE(std::ranges::max(taken.sizes), kPiece);
}

TEST(PiecesTest, NothingIsHeldBackWhileTheServerIsWaitedFor) {
  const std::string content = Content(100'000);
  constexpr std::size_t kSteps[] = {1, 5'000, 30'000, 30'001, 99'999, 100'000};
  std::array<std::promise<void>, std::size(kSteps)> here;
  OneAnswer server([&](OneAnswer& answer) {
    answer.SendHead(content.size());
    std::size_t from = 0;
    for (std::size_t i = 0; i < std::size(kSteps); ++i) {
      answer.Send(std::string_view(content).substr(from, kSteps[i] - from));
      from = kSteps[i];
      // Sends more only after everything sent so far has arrived.
      here[i].get_future().wait();
    }
  });
  Taken taken;
  std::size_t step = 0;
  ClientRequest request{.url = server.url(), .piece_bytes = kPiece};
  request.sink = [&](std::span<const std::byte> bytes) -> Status {
    taken.Add(bytes);
    if (taken.bytes.size() == kSteps[step]) here[step++].set_value();
    return {};
  };
  // A machine that is busy is no server that hangs: but a client that hangs is found out.
  Client client({.stall_timeout = std::chrono::minutes(1)});
  auto answer = client.Send(request);
  for (; step < std::size(kSteps); ++step) here[step].set_value();
  server.Join();
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(taken.bytes == content);
}

TEST(PiecesTest, WhatCameBeforeABreakIsHandedOver) {
  const std::string content = Content(90'000);
  OneAnswer server([&](OneAnswer& answer) {
    answer.SendHead(content.size() + 1);
    answer.Send(content);
  });
  Taken taken;
  ClientRequest request{.url = server.url(), .piece_bytes = kPiece};
  request.sink = [&](std::span<const std::byte> bytes) -> Status {
    taken.Add(bytes);
    return {};
  };
  Client client;
  auto answer = client.Send(request);
  server.Join();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::kUnavailable);
  EXPECT_TRUE(taken.bytes == content);
}

TEST(PiecesTest, ASinkThatFailsEndsTheExchange) {
  const std::string content = Content(200'000);
  // After the first bytes, in the midst, and with the last ones.
  for (std::size_t enough : {std::size_t{1}, std::size_t{100'000}, content.size()}) {
    OneAnswer server([&](OneAnswer& answer) {
      answer.SendHead(content.size());
      answer.Send(content);
    });
    std::size_t taken = 0;
    ClientRequest request{.url = server.url(), .piece_bytes = kPiece};
    request.sink = [&](std::span<const std::byte> bytes) -> Status {
      EXPECT_LT(taken, enough) << "it has failed before";
      taken += bytes.size();
      if (taken < enough) return {};
      return Fail(ErrorKind::kStorageFull, "no room");
    };
    Client client;
    auto answer = client.Send(request);
    server.Join();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, ErrorKind::kStorageFull);
  }
}

}  // namespace
}  // namespace koya::http
