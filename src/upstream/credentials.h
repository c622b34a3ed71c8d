// Finds the tokens of this machine for other registries, by the rules of "tofu login" and
// "terraform login": settings first, then the clients' stored credentials, then a credentials
// helper. Tokens never appear in an error.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/expiring_map.h"
#include "base/result.h"
#include "clients/stored_credentials.h"
#include "upstream/service_directory.h"

namespace koya::upstream {

struct CredentialsHelper {
  // A path, or NAME for the program terraform-credentials-NAME in PATH.
  std::string program;
  std::vector<std::string> arguments;  // before "get HOST"
  std::chrono::milliseconds timeout{5000};
};

// The output of `terraform-credentials-NAME get HOST`: {"token":"…"}, or {} for "". Blocks. Fails:
// as RunChild; kInvalid if the output is no such object.
Result<std::string> AskCredentialsHelper(const CredentialsHelper& helper, const HostName& host);

// Thread-safe. Caches results of the helper for kHelperTtl, and failures for kHelperFailureTtl, for
// at most kMaxHosts hosts.
class Credentials {
 public:
  static constexpr std::chrono::seconds kHelperTtl{300};
  static constexpr std::chrono::seconds kHelperFailureTtl{10};
  static constexpr std::size_t kMaxHosts = 256;

  // `settings` by HostName::ascii(). `clock` must outlive this.
  Credentials(std::map<std::string, std::string> settings,
              std::vector<clients::StoredCredential> kept, std::optional<CredentialsHelper> helper,
              ExchangeClock& clock)
      : settings_(std::move(settings)),
        kept_(std::move(kept)),
        helper_(std::move(helper)),
        clock_(clock) {}

  // The token for `host`, or "". Fails: as AskCredentialsHelper; kInvalid for a token that no field
  // can hold.
  Result<std::string> FindToken(const HostName& host);

  // A source for requests: it returns no token where Find fails, as clients do, and passes the
  // error to `on_failure`, for the log. This must outlive the result.
  TokenSource Source(std::function<void(const Error&)> on_failure);

 private:
  Result<std::string> FromHelper(const HostName& host);

  const std::map<std::string, std::string> settings_;
  const std::vector<clients::StoredCredential> kept_;
  const std::optional<CredentialsHelper> helper_;
  ExchangeClock& clock_;
  ExpiringMap<std::string, Result<std::string>, SteadyTime> answers_{kMaxHosts};
};

}  // namespace koya::upstream
