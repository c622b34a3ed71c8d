// CountedThing is a module or provider whose usage the API has; its endpoints follow from its
// address. FindUsedBy and ListUnused read all pages.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "domain/host_name.h"
#include "domain/module_address.h"
#include "domain/provider_address.h"
#include "domain/version.h"
#include "wire/usage.h"

namespace koya::cli {

// A module or provider that is published here, or mirrored from another registry's host. Validated
// during the parse: "acme/vpc/aws", "acme/demo", "registry.example.org/acme/demo".
struct CountedThing {
  std::optional<HostName> host;  // nullopt: it is published here
  std::variant<ModuleAddress, ProviderAddress> address;

  // Fails: kInvalid.
  static Result<CountedThing> Parse(std::string_view text);

  bool is_ours() const { return !host; }
  RequestLine<void, wire::UsageReport> UsageLine() const;
  // REQUIRES: is_ours(), like the next.
  RequestLine<void, wire::UsedBy> UsedByLine() const;
  RequestLine<void, wire::UsageImpact> ImpactLine(const Version& version) const;
};

// All consumers, as one document. REQUIRES: thing.is_ours(). Fails as ApiClient::Call does.
Result<wire::UsedBy> FindUsedBy(ApiClient& api, const CountedThing& thing, const std::string& days);

// All pages, as one list. `kind`: "modules", "providers". `ns`: "" for all namespaces. `days`: "":
// as many as the server chooses. Fails as ApiClient::Call does.
Result<wire::UnusedPage> ListUnused(ApiClient& api, const std::string& kind, const std::string& ns,
                                    const std::string& days);

}  // namespace koya::cli
