// The tokens that this machine keeps for other registries, under the rules of "tofu login" and
// "terraform login": settings first, then what the clients keep, then a credentials helper. Tokens
// never stand in an error.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/exchange_clock.h"
#include "base/expiring_map.h"
#include "base/result.h"
#include "clients/kept_credentials.h"
#include "upstream/service_directory.h"

namespace koya::upstream {

struct CredentialsHelper {
  // A path, or NAME for the program terraform-credentials-NAME in PATH.
  std::string program;
  std::vector<std::string> arguments;  // before "get HOST"
  std::chrono::milliseconds timeout{5000};
};

// What `terraform-credentials-NAME get HOST` answers: {"token":"…"}, or {} for "". Blocks. Fails:
// as RunChild; kInvalid when its answer is no such object.
Result<std::string> AskCredentialsHelper(const CredentialsHelper& helper, const HostName& host);

// Thread-safe. What the helper answers is believed for kHelperTtl, that it failed for
// kHelperFailureTtl; at most kMaxHosts hosts are remembered.
class Credentials {
 public:
  static constexpr std::chrono::seconds kHelperTtl{300};
  static constexpr std::chrono::seconds kHelperFailureTtl{10};
  static constexpr std::size_t kMaxHosts = 256;

  // `settings` by HostName::ascii(). `clock` must outlive this.
  Credentials(std::map<std::string, std::string> settings,
              std::vector<clients::KeptCredential> kept, std::optional<CredentialsHelper> helper,
              ExchangeClock& clock)
      : settings_(std::move(settings)),
        kept_(std::move(kept)),
        helper_(std::move(helper)),
        clock_(clock) {}

  // The token for `host`, or "". Fails: as AskCredentialsHelper; kInvalid for a token that no field
  // can hold.
  Result<std::string> Find(const HostName& host);

  // For those who ask: without a token where Find fails, as clients do; `on_failure` is told why,
  // for the log. This must outlive what is returned.
  TokenSource Source(std::function<void(const Error&)> on_failure);

 private:
  Result<std::string> FromHelper(const HostName& host);

  const std::map<std::string, std::string> settings_;
  const std::vector<clients::KeptCredential> kept_;
  const std::optional<CredentialsHelper> helper_;
  ExchangeClock& clock_;
  ExpiringMap<std::string, Result<std::string>, SteadyTime> answers_{kMaxHosts};
};

}  // namespace koya::upstream
