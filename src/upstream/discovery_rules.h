// Is a discovery document one that every client takes? Pure: an exchange in, findings out.
//
// The rules are those of OpenTofu's svchost/disco and of Terraform's, and of the tools that read
// the document by themselves (Renovate, Dependabot, Terragrunt, Trivy, updatecli).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/url.h"
#include "upstream/exchange.h"
#include "upstream/finding.h"

namespace koya::upstream {

// A service that clients will call, and where.
struct DiscoveredService {
  std::string id;  // "modules.v1"
  http::Url base;  // as the clients resolve it; a slash at its end
  friend bool operator==(const DiscoveredService&, const DiscoveredService&) = default;
};

struct DiscoveryVerdict {
  Findings findings;
  std::vector<DiscoveredService> services;  // those worth asking
};

DiscoveryVerdict JudgeDiscovery(const Exchange& exchange);

// Whether the clients take a Content-Type for JSON: "application/json", with or without well-formed
// parameters, in any letter case.
bool IsJsonMediaType(std::string_view content_type);

}  // namespace koya::upstream
