// For tests of the upstream client: certificates made on the spot, scripted https servers on
// loopback that show them, options that allow them, and a clock without real waits.
#pragma once

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/manual_clock_fake.h"
#include "base/temp_folder_fake.h"
#include "http/scripted_server_fake.h"
#include "upstream/fetcher.h"
#include "upstream/upstream_options.h"

namespace koya::upstream {

struct CertificateWish {
  std::string common_name;
  std::string alternative_names = {};  // OpenSSL's form: "IP:127.0.0.1,DNS:a.test"; "" for none
  long valid_from = -3600;             // seconds from now
  long valid_for = 90 * 24 * 3600;     // seconds from now
  bool authority = false;
};

// A certificate with its key. Shared by the copies of a chain.
struct TestCertificate {
  std::shared_ptr<X509> certificate;
  std::shared_ptr<EVP_PKEY> key;
  std::string Pem() const;
};

// Signed by `issuer`, or by itself when there is none.
TestCertificate MakeCertificate(const CertificateWish& wish,
                                const TestCertificate* issuer = nullptr);

// A server's context that shows `chain`, its own certificate first.
std::shared_ptr<SSL_CTX> ServerContext(const std::vector<TestCertificate>& chain);

// What a scripted server answers, by target; 404 to the rest. Thread-safe: tests change it between
// requests.
class AnswersByPath {
 public:
  void Set(std::string_view path, http::ScriptedAnswer answer) {
    std::lock_guard lock(mutex_);
    answers_.insert_or_assign(std::string(path), std::move(answer));
  }
  http::ScriptedAnswer Get(const std::string& path) const {
    std::lock_guard lock(mutex_);
    auto found = answers_.find(path);
    return found == answers_.end() ? http::ScriptedAnswer{.status = 404} : found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, http::ScriptedAnswer> answers_;
};

class UpstreamTest : public testing::Test {
 protected:
  using Respond = http::ScriptedServer::Respond;

  UpstreamTest();

  // An https server that the fetcher trusts.
  std::unique_ptr<http::ScriptedServer> Serve(Respond respond);
  // The same answer to everything.
  std::unique_ptr<http::ScriptedServer> Serve(http::ScriptedAnswer answer);

  // 127.0.0.0/8 allowed, the test's root trusted; 30 s for an exchange, which none needs.
  UpstreamOptions Options() const;
  UpstreamOptions HastyOptions(std::chrono::milliseconds timeout) const;  // for those who hang
  // Timeouts for servers that hang: the first is enough if the machine is fast enough to connect
  // within it.
  static constexpr std::array<std::chrono::milliseconds, 3> kPatience{
      std::chrono::milliseconds(300), std::chrono::milliseconds(2'000),
      std::chrono::milliseconds(10'000)};
  std::unique_ptr<Fetcher> MakeFetcher(UpstreamOptions options);
  std::unique_ptr<Fetcher> MakeFetcher() { return MakeFetcher(Options()); }

  FakeExchangeClock clock_;

 private:
  TempFolder folder_;
  TestCertificate root_ = MakeCertificate({.common_name = "Test Root", .authority = true});
  TestCertificate leaf_ = MakeCertificate(
      {.common_name = "127.0.0.1", .alternative_names = "IP:127.0.0.1,DNS:localhost"}, &root_);
  std::shared_ptr<SSL_CTX> context_ = ServerContext({leaf_});
};

}  // namespace koya::upstream
