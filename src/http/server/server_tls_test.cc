// TLS: protocol versions, refused connections, and certificates that change under a running server.
#include <fmt/format.h>
#include <openssl/ssl.h>

#include <fstream>

#include "http/server/server_fixture_fake.h"

namespace koya::http {
namespace {

using End = RawClient::End;
using std::chrono::milliseconds;

constexpr std::string_view kGetSecret = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

class TlsServerTest : public ServerTest {
 protected:
  std::string NameOfCertificate() const {
    RawClient client(server_->port(), ClientOptions());
    return client.peer_certificate_name();
  }
};

TEST_P(TlsServerTest, SpeaksBothVersions) {
  Start();
  for (int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    RawClient::Options options = ClientOptions();
    options.tls_version = version;
    RawClient client(server_->port(), options);
    ASSERT_TRUE(client.connected()) << version;
    EXPECT_EQ(client.negotiated_protocol(), "http/1.1");
    client.Send("GET /large-doc HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_EQ(client.ReadAnswer()->body, routes_.large_document->body);
  }
}

TEST_P(TlsServerTest, ChoosesTheCipherThatCostsLeast) {
  constexpr std::string_view kAes128 = "TLS_AES_128_GCM_SHA256";
  constexpr std::string_view kAes256 = "TLS_AES_256_GCM_SHA384";
  constexpr std::string_view kChaCha = "TLS_CHACHA20_POLY1305_SHA256";
  struct Case {
    std::string offered;
    std::string_view chosen;  // "": the handshake fails
  };
  const Case kCases[] = {
      {"", kAes128},
      {fmt::format("{}:{}:{}", kAes256, kChaCha, kAes128), kAes128},
      {fmt::format("{}:{}", kAes256, kChaCha), kAes256},
      {std::string(kAes256), kAes256},
      {fmt::format("{}:{}:{}", kChaCha, kAes128, kAes256), kChaCha},
      {std::string(kChaCha), kChaCha},
      {"TLS_AES_128_CCM_8_SHA256", ""},
  };
  Start();
  for (const Case& c : kCases) {
    RawClient::Options options = ClientOptions();
    options.tls_version = TLS1_3_VERSION;
    options.ciphers = c.offered;
    RawClient client(server_->port(), options);
    EXPECT_EQ(client.connected(), !c.chosen.empty()) << c.offered;
    if (client.connected()) EXPECT_EQ(client.negotiated_cipher(), c.chosen) << c.offered;
  }
}

TEST_P(TlsServerTest, RefusesOldVersionsAndOtherProtocols) {
  Start();
  RawClient::Options old = ClientOptions();
  old.tls_version = TLS1_1_VERSION;
  EXPECT_FALSE(RawClient(server_->port(), old).connected());
  RawClient::Options other = ClientOptions();
  other.protocols = {"h2"};
  EXPECT_FALSE(RawClient(server_->port(), other).connected());
  RawClient::Options several = ClientOptions();
  several.protocols = {"h2", "http/1.1"};
  EXPECT_EQ(RawClient(server_->port(), several).negotiated_protocol(), "http/1.1");
  RawClient::Options none = ClientOptions();
  none.protocols = {};
  EXPECT_TRUE(RawClient(server_->port(), none).connected());
}

TEST_P(TlsServerTest, ClosesOnPlainHttpAtOnce) {
  Start();
  RawClient plain(server_->port());
  plain.SendRaw(kGetSecret);
  EXPECT_EQ(plain.ReadToEnd(), "");
  EXPECT_TRUE(Ask(kGetSecret));
}

TEST_P(TlsServerTest, GivesAHandshakeSoLong) {
  Start({.handshake_deadline = milliseconds(300)});
  RawClient silent(server_->port());
  EXPECT_NE(silent.WaitForEnd(), End::kStillOpen);
  RawClient halting(server_->port());
  halting.SendRaw("\x16\x03\x01");
  EXPECT_NE(halting.WaitForEnd(), End::kStillOpen);
}

TEST_P(TlsServerTest, SaysGoodbye) {
  Start();
  auto client = Connect();
  client->Send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(client->ReadAnswer());
  EXPECT_EQ(client->WaitForEnd(), End::kOrderly);
  EXPECT_TRUE(client->got_goodbye());
}

TEST_P(TlsServerTest, TakesUpANewCertificate) {
  Start({.certificate_check_interval = milliseconds(20)});
  auto before = Connect();
  EXPECT_EQ(NameOfCertificate(), "first");
  WriteTestCertificate((folder_ / "next.pem"), (folder_ / "next-key.pem"), "second");
  std::filesystem::rename((folder_ / "next-key.pem"), (folder_ / "key.pem"));
  std::filesystem::rename((folder_ / "next.pem"), (folder_ / "cert.pem"));
  // Between the two renames the files may have been seen not to match.
  for (std::size_t count = 1; !observer_.WaitForReloads(count).back(); ++count) {
    ASSERT_LT(count, 3u);
  }
  EXPECT_EQ(NameOfCertificate(), "second");
  before->Send(kGetSecret);
  EXPECT_TRUE(before->ReadAnswer());
}

TEST_P(TlsServerTest, KeepsTheCertificateWhenTheNewOneIsBad) {
  Start({.certificate_check_interval = milliseconds(20)});
  std::ofstream(folder_ / "cert.pem") << "not a certificate";
  auto reloads = observer_.WaitForReloads(1);
  ASSERT_FALSE(reloads[0]);
  EXPECT_EQ(reloads[0].error().kind, ErrorKind::kInvalid);
  EXPECT_NE(reloads[0].error().message.find("cert.pem"), std::string::npos);
  EXPECT_EQ(NameOfCertificate(), "first");
}

INSTANTIATE_TEST_SUITE_P(Engine, TlsServerTest, testing::Values(Wire::kTls));

}  // namespace
}  // namespace koya::http
