// The IssuerClient that asks over the network, under the rules of upstream/: times, sizes, the
// breaker, and for issuers that owners named public addresses only. No redirect is followed: what
// an issuer says of itself is at the address that it names.
#pragma once

#include <chrono>
#include <memory>

#include "base/exchange_clock.h"
#include "upstream/openid/issuer_client.h"
#include "upstream/upstream_options.h"

namespace koya::upstream {

class HttpIssuerClient final : public IssuerClient {
 public:
  static constexpr std::chrono::hours kFresh{1};
  static constexpr std::chrono::hours kUsable{24};     // while the issuer does not answer
  static constexpr std::chrono::seconds kAnew{60};     // keys, at most so often; old ones meanwhile
  static constexpr std::chrono::seconds kNothing{10};  // how long a failure is believed
  static constexpr std::size_t kMostKept = 1000;       // issuers, of each kind of document

  // `clock` must outlive this. Fails: kInvalid for options that cannot be read.
  static Result<std::unique_ptr<HttpIssuerClient>> Create(const UpstreamOptions& options,
                                                          ExchangeClock& clock);
  // Waits for what is under way; Stop() ends that soon, and nothing is asked any more.
  ~HttpIssuerClient() override;
  void Stop();

  Task<std::shared_ptr<const oidc::DiscoveryDocument>> Discover(std::string issuer,
                                                                IssuerTrust trust) override;
  Task<std::shared_ptr<const oidc::KeySet>> Keys(std::string issuer, IssuerTrust trust,
                                                 bool anew) override;
  Task<std::string> PostForm(std::string url, IssuerTrust trust, std::string form,
                             std::string authorization) override;
  void Forget(const std::string& issuer) override;

 private:
  struct Impl;
  explicit HttpIssuerClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya::upstream
