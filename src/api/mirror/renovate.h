// Handlers of the documents for updaters: Renovate's custom data source, and discovery below
// /origin/, which Renovate takes as a registry's URL.
#pragma once

#include "base/task.h"
#include "http/server/message.h"

namespace koya::api {

struct Call;

// The versions of a module with their release times: this server's own under its host name without
// a port (Renovate drops ports), else a mirrored one.
Task<http::Response> GetRenovateModule(Call& call);
// The same of a provider.
Task<http::Response> GetRenovateProvider(Call& call);
// The services of a registry behind this server, by absolute URLs.
Task<http::Response> GetOriginDiscovery(Call& call);

}  // namespace koya::api
