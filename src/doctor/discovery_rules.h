// Is a discovery document one that every client takes? Pure: an exchange in, findings out.
//
// The rules are those of OpenTofu's svchost/disco and of Terraform's, and of the tools that read
// the document by themselves (Renovate, Dependabot, Terragrunt, Trivy, updatecli).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "doctor/finding.h"
#include "doctor/recorded_answer.h"
#include "http/url.h"

namespace koya::doctor {

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

DiscoveryVerdict JudgeDiscovery(const RecordedAnswer& exchange);

}  // namespace koya::doctor
