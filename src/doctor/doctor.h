// Acts as a client of a registry, step by step, and reports the outcome of each step: name,
// connection, TLS, discovery, every service, and a module's or provider's way to its archive.
// Blocks.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "doctor/finding.h"
#include "doctor/tool_requests.h"
#include "domain/module_address.h"
#include "domain/platform.h"
#include "domain/provider_address.h"
#include "http/client/client.h"
#include "http/url.h"

namespace koya::doctor {

struct DoctorProvider {
  ProviderAddress address;
  Platform platform;
};

struct DoctorOptions {
  http::Url registry;
  // Sent as clients send theirs, but over plain http only to this machine; "" for none.
  std::string token = {};
  std::optional<ModuleAddress> module = {};     // followed to its archive when given
  std::optional<DoctorProvider> provider = {};  // likewise
  // Its requests for the module and the provider are played, in place of those of tofu and
  // terraform; null for none.
  const Tool* tool = nullptr;
  http::ClientOptions http = {};                        // trust and user agent
  std::string proxy = {};                               // the clients' proxy; "" for none
  std::function<void(const Finding&)> on_finding = {};  // called at once for each finding
};

// Steps that make no sense after a failure are skipped.
Findings Examine(const DoctorOptions& options, const Clock& clock);

}  // namespace koya::doctor
