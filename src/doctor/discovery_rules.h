// Checks whether every client accepts a discovery document. Pure: an exchange in, findings out.
//
// The rules are those of OpenTofu's svchost/disco and of Terraform's, and of tools with their own
// readers of the document (Renovate, Dependabot, Terragrunt, Trivy, updatecli).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "doctor/finding.h"
#include "doctor/recorded_answer.h"
#include "http/url.h"

namespace koya::doctor {

// Checks whether "tofu login" and "terraform login" can use a login.v1 object. `value`: the JSON
// text of the discovery document's "login.v1"; `document`: the document's URL.
Findings JudgeLogin(std::string_view value, const http::Url& document);

// A service that clients will call, and its base URL.
struct DiscoveredService {
  std::string id;  // "modules.v1"
  http::Url base;  // as the clients resolve it; ends in a slash
  friend bool operator==(const DiscoveredService&, const DiscoveredService&) = default;
};

struct DiscoveryVerdict {
  Findings findings;
  std::vector<DiscoveredService> services;  // those worth calling
};

DiscoveryVerdict JudgeDiscovery(const RecordedAnswer& exchange);

}  // namespace koya::doctor
