// UsageClient calls the API of usage: who fetches which modules and providers. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "domain/version.h"
#include "wire/usage.h"

namespace koya::cli {

// A module or provider that is published here, or mirrored from another registry's host. Validated
// during the parse: "acme/vpc/aws", "acme/demo", "registry.example.org/acme/demo".
class CountedThing {
 public:
  // Fails: kInvalid.
  static Result<CountedThing> Parse(std::string_view text);

  const std::string& address() const { return address_; }
  bool is_ours() const { return ours_; }
  // Path in the API, percent-encoded: "/api/v1/usage/modules/acme/vpc/aws".
  std::string UsagePath() const;
  // REQUIRES: is_ours().
  std::string ImpactPath(const Version& version) const;

 private:
  CountedThing(std::string kind, std::string address, bool ours)
      : kind_(std::move(kind)), address_(std::move(address)), ours_(ours) {}

  std::string kind_;  // "modules", "providers"
  std::string address_;
  bool ours_;
};

// Every function fails as ApiClient::Call does. Without `days` the server chooses.
class UsageClient {
 public:
  explicit UsageClient(RegistryClientOptions options) : api_(std::move(options)) {}

  // `by`: "version", "consumer", "client".
  Result<wire::UsageReport> Report(const CountedThing& thing, const std::string& by,
                                   std::optional<std::uint64_t> days);
  // REQUIRES: thing.is_ours().
  Result<wire::UsageImpact> Impact(const CountedThing& thing, const Version& version,
                                   std::optional<std::uint64_t> days);
  Result<wire::UsageLag> Lag(const std::string& ns, std::optional<std::uint64_t> days);
  // All pages, as one list. `kind`: "modules", "providers". `ns`: "" for all namespaces.
  Result<wire::UnusedPage> Unused(const std::string& kind, const std::string& ns,
                                  std::optional<std::uint64_t> days);
  Result<wire::ForgottenUsage> ForgetPrincipal(const std::string& principal);

 private:
  ApiClient api_;
};

}  // namespace koya::cli
