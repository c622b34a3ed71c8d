// Fetches a provider as a client would, for the doctor: versions, the newest one's download
// document, SHA256SUMS, signature, package. Uses the mirror's own client, but without the address
// policy: the requests come from the user's machine, and may go anywhere. Blocks.
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

// Passes each finding to the callback at once; stops at the first failure.
void FollowProvider(const ProviderVisit& visit, const std::function<void(Finding)>& tell);

}  // namespace koya::doctor
