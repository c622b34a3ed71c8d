// The tokens that this machine keeps for other registries, under the rules of "tofu login" and
// "terraform login": settings first, then TF_TOKEN_… variables, then credentials.tfrc.json, then a
// credentials helper. Tokens never stand in an error.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "domain/host_name.h"
#include "upstream/exchange_clock.h"
#include "upstream/service_directory.h"

namespace koya::upstream {

// ---- what is kept; pure functions, but for ReadKeptCredentials ----

// Environment variables in the order the process was given them.
using Variables = std::vector<std::pair<std::string, std::string>>;

struct KeptCredential {
  std::string host;   // as CredentialHost writes it
  std::string token;  // not empty
  std::string place;  // "TF_TOKEN_example_com", "~/.terraform.d/credentials.tfrc.json"
};

// One spelling per host: HostName::ascii() where it is one; else (IPv6) lower case, without ":443",
// the port without leading zeros.
std::string CredentialHost(std::string_view host);

// Credentials out of TF_TOKEN_… variables: "__" stands for "-", then "_" for "."; a port follows a
// literal colon; letter case does not matter; of two names for one host the later wins.
std::vector<KeptCredential> CredentialsFromVariables(const Variables& variables);

// Credentials out of {"credentials":{"HOST":{"token":"…"}}}. Entries of another shape are passed
// over, as the clients do. Fails: kInvalid when `body` is not a JSON object.
Result<std::vector<KeptCredential>> CredentialsFromFile(std::string_view body,
                                                        const std::string& place);

// Where the clients keep that file, the preferred place first.
std::vector<std::filesystem::path> CredentialFiles(const Variables& variables);

// Variables first, then the files that exist. Fails: kInvalid for a file that cannot be read.
Result<std::vector<KeptCredential>> ReadKeptCredentials(const Variables& variables);

// ---- a credentials helper ----

struct CredentialsHelper {
  // A path, or NAME for the program terraform-credentials-NAME in PATH.
  std::string program;
  std::vector<std::string> arguments;  // before "get HOST"
  std::chrono::milliseconds timeout{5000};
};

// What `terraform-credentials-NAME get HOST` answers: {"token":"…"}, or {} for "". Blocks. Fails:
// kUnavailable, kTimeout, kTooLarge, kRefused; kInvalid when its answer is no such object.
Result<std::string> AskCredentialsHelper(const CredentialsHelper& helper, const HostName& host);

// ---- all of them, in their order ----

// Thread-safe. What the helper answers is believed for kHelperTtl, that it failed for
// kHelperFailureTtl; at most kMaxHosts hosts are remembered.
class Credentials {
 public:
  static constexpr std::chrono::seconds kHelperTtl{300};
  static constexpr std::chrono::seconds kHelperFailureTtl{10};
  static constexpr std::size_t kMaxHosts = 256;

  // `settings` by HostName::ascii(). `clock` must outlive this.
  Credentials(std::map<std::string, std::string> settings, std::vector<KeptCredential> kept,
              std::optional<CredentialsHelper> helper, ExchangeClock& clock)
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
  struct Answer {
    Result<std::string> token;
    SteadyTime until;
  };
  Result<std::string> FromHelper(const HostName& host);

  const std::map<std::string, std::string> settings_;
  const std::vector<KeptCredential> kept_;
  const std::optional<CredentialsHelper> helper_;
  ExchangeClock& clock_;
  std::mutex mutex_;
  std::unordered_map<std::string, Answer> answers_;
};

}  // namespace koya::upstream
