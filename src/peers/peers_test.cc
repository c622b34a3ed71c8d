// Both sides over real sockets and TLS: a server that offers a fill, and another that reads it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/file_io.h"
#include "base/manual_clock_fake.h"
#include "base/temp_folder_fake.h"
#include "blobs/memory/memory_blob_store.h"
#include "http/client/client.h"
#include "http/scripted_server_fake.h"
#include "http/server/server.h"
#include "peers/http_peers.h"
#include "peers/peer_fills.h"
#include "peers/peer_keys.h"

namespace koya::peers {
namespace {

constexpr std::string_view kClusterSecret = "the secret of this cluster";

class NobodyLooks final : public http::Observer {
 public:
  void OnRequest(const http::RequestRecord& /*record*/) override {}
};

class PeersTest : public ::testing::Test {
 protected:
  PeersTest() {
    http::ServerOptions options;
    options.listen = "127.0.0.1:0";
    options.threads = 1;
    options.drain_deadline = std::chrono::milliseconds(500);
    options.tls = http::TlsOptions{"", "", keys_.certificate(), keys_.key(), true};
    server_ = std::make_unique<http::Server>(
        options, router_, observer_,
        [](const http::EngineError& error) { return http::Response::Json(error.status, ""); });
    Status started = server_->Start();
    EXPECT_TRUE(started) << started.error().message << started.error().detail;
  }
  ~PeersTest() override {
    if (server_) server_->Stop();
  }

  std::string Address() const { return fmt::format("127.0.0.1:{}", server_->port()); }
  // A fill of kBytes that has begun.
  std::shared_ptr<Fill> Begin() {
    auto fill = std::make_shared<Fill>();
    writer_ = *blobs_.Create();
    fill->Start({Digest::Of(kBytes), writer_, writer_->staged_file(), kBytes.size()});
    return fill;
  }
  void Write(Fill& fill, std::string_view bytes) {
    ASSERT_TRUE(writer_->Write(std::as_bytes(std::span(bytes))));
    fill.Grow(writer_->size());
  }
  PeerTransfer Wish(std::uint64_t offset = 0) {
    got_.clear();
    length_.reset();
    PeerTransfer wish{
        .address = Address(), .digest = Digest::Of(kBytes), .offset = offset, .max_bytes = 1 << 20};
    wish.on_start = [this](std::uint64_t length) -> Status {
      length_ = length;
      return {};
    };
    wish.sink = [this](std::span<const std::byte> bytes) -> Status {
      got_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      return {};
    };
    return wish;
  }
  PeerEnd Fetch(const PeerTransfer& wish) { return Fetch(peers_, wish); }
  PeerEnd Fetch(HttpPeers& peers, const PeerTransfer& wish) {
    Result<PeerAnswer> answer = peers.Fetch(wish);
    EXPECT_TRUE(answer) << answer.error().message;
    why_ = answer->why;
    return answer->end;
  }
  unsigned StatusOf(std::vector<std::pair<std::string, std::string>> fields, std::string path = "",
                    const std::string& method = "GET") {
    if (path.empty()) path = FillPath(Digest::Of(kBytes));
    http::Client client({.pinned_keys = keys_.pins()});
    auto response = client.Send(
        {.method = method, .url = "https://" + Address() + path, .fields = std::move(fields)});
    EXPECT_TRUE(response) << response.error().message;
    body_ = response->body;
    return response->status;
  }

  // However busy the machine is.
  static constexpr PeerTimes kPatient{.connect = std::chrono::minutes(1),
                                      .silence = std::chrono::minutes(1)};
  const std::string kBytes = std::string(100'000, 'a') + "the end";
  ManualClock clock_;
  PeerKeys keys_ = PeerKeys::Derive(kClusterSecret).value();
  FillOffers offers_;
  FillRoutesState state_{keys_, offers_, clock_};
  http::Router router_{FillRoutes(state_)};
  NobodyLooks observer_;
  MemoryBlobStore blobs_;
  std::shared_ptr<BlobWriter> writer_;
  std::unique_ptr<http::Server> server_;
  HttpPeers peers_{keys_, clock_, "koya-test", kPatient};
  std::string got_, why_, body_;
  std::optional<std::uint64_t> length_;
};

TEST_F(PeersTest, BytesAreReadAsTheyArriveAndTheLastWhenTheyAreRight) {
  std::shared_ptr<Fill> fill = Begin();
  auto offer = offers_.Offer(Digest::Of(kBytes), fill);
  Write(*fill, std::string_view(kBytes).substr(0, 60'000));
  PeerTransfer wish = Wish();
  // The rest comes only once the first part has been read by the other server.
  bool rest_sent = false;
  wish.sink = [&](std::span<const std::byte> bytes) -> Status {
    got_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (got_.size() == 60'000 && !rest_sent) {
      rest_sent = true;
      Write(*fill, std::string_view(kBytes).substr(60'000));
    }
    if (got_.size() == kBytes.size() - 1) fill->Succeed();
    return {};
  };
  EXPECT_EQ(Fetch(wish), PeerEnd::kComplete) << why_;
  EXPECT_EQ(length_, kBytes.size());
  EXPECT_EQ(got_, kBytes);
  EXPECT_EQ(state_.refused, 0U);
}

TEST_F(PeersTest, OneGoesOnAtAnOffset) {
  std::shared_ptr<Fill> fill = Begin();
  auto offer = offers_.Offer(Digest::Of(kBytes), fill);
  Write(*fill, kBytes);
  fill->Succeed();
  EXPECT_EQ(Fetch(Wish(99'000)), PeerEnd::kComplete) << why_;
  EXPECT_EQ(got_, kBytes.substr(99'000));
  EXPECT_EQ(length_, kBytes.size());
  EXPECT_EQ(Fetch(Wish(kBytes.size())), PeerEnd::kBroken) << "nothing is there";
  EXPECT_EQ(why_, "it responded with 416");
}

TEST_F(PeersTest, AFillThatFailsCutsItsReadersOff) {
  std::shared_ptr<Fill> fill = Begin();
  auto offer = offers_.Offer(Digest::Of(kBytes), fill);
  Write(*fill, std::string_view(kBytes).substr(0, 60'000));
  PeerTransfer wish = Wish();
  wish.sink = [&](std::span<const std::byte> bytes) -> Status {
    got_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (got_.size() == 60'000) fill->End(FailBadUpstream("wrong bytes"));
    return {};
  };
  EXPECT_EQ(Fetch(wish), PeerEnd::kBroken);
  EXPECT_LT(got_.size(), kBytes.size());
  EXPECT_EQ(Fetch(Wish()), PeerEnd::kBroken);
  EXPECT_EQ(why_, "it responded with 503");
}

TEST_F(PeersTest, WhoeverHasNothingIsGone) {
  EXPECT_EQ(Fetch(Wish()), PeerEnd::kGone);
  {
    auto offer = offers_.Offer(Digest::Of(kBytes), Begin());
    EXPECT_NE(offers_.FindFill(Digest::Of(kBytes)), nullptr);
  }
  EXPECT_EQ(offers_.FindFill(Digest::Of(kBytes)), nullptr);
  EXPECT_EQ(Fetch(Wish()), PeerEnd::kGone) << "it is over";
  PeerTransfer wish = Wish();
  server_->Stop();
  server_.reset();
  EXPECT_EQ(Fetch(wish), PeerEnd::kGone) << "nobody listens any more: " << why_;
}

TEST_F(PeersTest, SilenceIsNoticed) {
  auto offer = offers_.Offer(Digest::Of(kBytes), Begin());
  Fill& fill = *offers_.FindFill(Digest::Of(kBytes));
  Write(fill, std::string_view(kBytes).substr(0, 60'000));
  // A busy machine may be silent by itself: the more time it has, the less so.
  for (int seconds : {1, 5, 25}) {
    PeerTimes times = kPatient;
    times.silence = std::chrono::seconds(seconds);
    HttpPeers peers(keys_, clock_, "koya-test", times);
    EXPECT_EQ(Fetch(peers, Wish()), PeerEnd::kSilent) << why_;
    if (!got_.empty()) break;
  }
  EXPECT_EQ(got_.size(), 60'000U) << "what had come is not lost";
}

TEST_F(PeersTest, WhatTheCallerFailsWithIsItsOwn) {
  std::shared_ptr<Fill> fill = Begin();
  auto offer = offers_.Offer(Digest::Of(kBytes), fill);
  Write(*fill, kBytes);
  fill->Succeed();
  PeerTransfer wish = Wish();
  wish.sink = [](std::span<const std::byte>) -> Status {
    return Fail(ErrorKind::kStorageFull, "no room");
  };
  auto answer = peers_.Fetch(wish);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::kStorageFull);
  wish = Wish();
  wish.max_bytes = 1000;
  EXPECT_EQ(Fetch(wish), PeerEnd::kBroken) << "more than it may have";
}

TEST_F(PeersTest, StrangersGet403WithoutAWord) {
  std::shared_ptr<Fill> fill = Begin();
  auto offer = offers_.Offer(Digest::Of(kBytes), fill);
  Write(*fill, kBytes);
  fill->Succeed();
  const std::string path = FillPath(Digest::Of(kBytes));
  const UnixSeconds now = clock_.Now();
  auto fields = [&](const PeerKeys& keys, UnixSeconds time, std::uint64_t offset,
                    const std::string& range) {
    return std::vector<std::pair<std::string, std::string>>{
        {"Range", range},
        {std::string(kTimeField), std::to_string(time)},
        {std::string(kMacField), keys.Sign({"GET", path, offset, time})}};
  };
  EXPECT_EQ(StatusOf(fields(keys_, now, 5, "bytes=5-")), 206U) << "who has the key";
  PeerKeys others = PeerKeys::Derive("the secret of another").value();
  auto without_range = fields(keys_, now, 0, "");
  without_range.erase(without_range.begin());
  struct {
    const char* what;
    std::vector<std::pair<std::string, std::string>> fields;
  } rows[] = {
      {"nothing", {}},
      {"no range", without_range},
      {"another key", fields(others, now, 0, "bytes=0-")},
      {"too old", fields(keys_, now - 61, 0, "bytes=0-")},
      {"of the future", fields(keys_, now + 61, 0, "bytes=0-")},
      {"another offset", fields(keys_, now, 1, "bytes=0-")},
      {"a range with an end", fields(keys_, now, 0, "bytes=0-5")},
      {"two ranges", fields(keys_, now, 0, "bytes=0-,5-")},
      {"a suffix", fields(keys_, now, 0, "bytes=-5")},
      {"words", fields(keys_, now, 0, "bytes=all-")},
  };
  std::uint64_t refused = 0;
  for (auto& row : rows) {
    EXPECT_EQ(StatusOf(row.fields), 403U) << row.what;
    EXPECT_EQ(body_, "") << row.what;
    EXPECT_EQ(state_.refused, ++refused) << row.what;
  }
  EXPECT_EQ(StatusOf(fields(keys_, now, 0, "bytes=0-"), path, "HEAD"), 403U);
  EXPECT_EQ(StatusOf({}, "/internal/fills/sha256/xyz"), 403U) << "before anything is looked at";
  EXPECT_EQ(StatusOf({}, "/v1/modules"), 404U);
}

TEST_F(PeersTest, AServerWithoutTheSecretIsNotReadFrom) {
  PeerKeys others = PeerKeys::Derive("the secret of another").value();
  HttpPeers stranger(others, clock_, "koya-test", kPatient);
  auto offer = offers_.Offer(Digest::Of(kBytes), Begin());
  auto answer = stranger.Fetch(Wish());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->end, PeerEnd::kBroken);
  EXPECT_TRUE(answer->why.contains("is not trusted")) << answer->why;
  EXPECT_EQ(state_.refused, 0U) << "it is not even asked";
  // Who has both of two secrets reads from servers that have the one before.
  PeerKeys turning = PeerKeys::Derive("the secret of another", kClusterSecret).value();
  HttpPeers half(turning, clock_, "koya-test", kPatient);
  std::shared_ptr<Fill> fill = offers_.FindFill(Digest::Of(kBytes));
  Write(*fill, kBytes);
  fill->Succeed();
  answer = half.Fetch(Wish());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->end, PeerEnd::kComplete) << answer->why;
}

TEST_F(PeersTest, OddAnswersAreTriedAgainLater) {
  TempFolder folder;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> tls(SSL_CTX_new(TLS_server_method()),
                                                        SSL_CTX_free);
  folder.Write("both.pem", keys_.certificate() + keys_.key());
  std::string both = (folder / "both.pem").string();
  ASSERT_EQ(SSL_CTX_use_certificate_chain_file(tls.get(), both.c_str()), 1);
  ASSERT_EQ(SSL_CTX_use_PrivateKey_file(tls.get(), both.c_str(), SSL_FILETYPE_PEM), 1);
  struct {
    unsigned status;
    const char* content_range;
  } rows[] = {{200, ""},
              {206, ""},
              {206, "bytes 1-4/5"},
              {206, "bytes 0-3/5"},
              {206, "bytes 0-4/*"},
              {206, "bytes 0-4/5x"},
              {500, "bytes 0-4/5"},
              {302, "bytes 0-4/5"}};
  for (const auto& row : rows) {
    http::ScriptedServer odd(
        [&](const http::ScriptedRequest&) {
          return http::ScriptedAnswer{.status = row.status,
                                      .fields = {{"Content-Range", row.content_range}},
                                      .body = "abcde"};
        },
        tls.get());
    PeerTransfer wish = Wish();
    wish.address = fmt::format("127.0.0.1:{}", odd.port());
    EXPECT_EQ(Fetch(wish), PeerEnd::kBroken) << row.status << row.content_range;
    EXPECT_EQ(got_, "") << row.status << row.content_range;
  }
}

}  // namespace
}  // namespace koya::peers
