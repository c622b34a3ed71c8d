// An IssuerClient over the network, under the rules of upstream/: timeouts, sizes, the circuit
// breaker, and only public addresses for issuers that owners named. It follows no redirects: an
// issuer's documents are at the address that it names.
#pragma once

#include <chrono>
#include <memory>

#include "base/clock.h"
#include "upstream/openid/issuer_client.h"
#include "upstream/upstream_options.h"

namespace koya::upstream {

class HttpIssuerClient final : public IssuerClient {
 public:
  static constexpr std::chrono::hours kFresh{1};
  static constexpr std::chrono::hours kUsable{24};  // while the issuer does not respond
  static constexpr std::chrono::seconds kAnew{60};  // between reloads of keys; old ones meanwhile
  static constexpr std::chrono::seconds kNothing{10};  // how long a failure is cached
  static constexpr std::size_t kMostKept = 1000;       // issuers, for each kind of document

  // `clock` must outlive this. Fails: kInvalid for options that cannot be read.
  static Result<std::unique_ptr<HttpIssuerClient>> Create(const UpstreamOptions& options,
                                                          ExchangeClock& clock);
  // Waits for running requests; Stop() ends these soon and prevents new ones.
  ~HttpIssuerClient() override;
  void Stop();

  Task<std::shared_ptr<const oidc::DiscoveryDocument>> Discover(std::string issuer,
                                                                IssuerTrust trust) override;
  Task<std::shared_ptr<const oidc::KeySet>> Keys(std::string issuer, IssuerTrust trust,
                                                 bool refresh) override;
  Task<std::string> PostForm(std::string url, IssuerTrust trust, std::string form,
                             std::string authorization) override;
  void DropDocuments(const std::string& issuer) override;

 private:
  struct Impl;
  explicit HttpIssuerClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya::upstream
