// Follows a provider as a client would, for the doctor: versions, the newest one's download
// document, SHA256SUMS, signature, package. With the mirror's own client, but for the address
// policy: the user's machine asks, and may ask anybody. Blocks.
#pragma once

#include <functional>
#include <string>

#include "doctor/finding.h"
#include "domain/host_name.h"
#include "domain/platform.h"
#include "domain/provider_address.h"

namespace koya::doctor {

struct ProviderVisit {
  HostName host;
  ProviderAddress address;
  Platform platform;
  std::string token = {};       // "" for none
  std::string ca_file = {};     // PEM; "" for the system's
  std::string user_agent = {};  // as Fetcher sends it
};

// Tells each finding as soon as it is known; ends at the first failure.
void FollowProvider(const ProviderVisit& visit, const std::function<void(Finding)>& tell);

}  // namespace koya::doctor
