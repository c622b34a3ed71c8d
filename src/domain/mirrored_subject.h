// The search subject of a mirrored provider (domain/search_record.h).
#pragma once

#include <utility>

#include "domain/search_record.h"
#include "domain/upstream_record.h"
#include "domain/version.h"

namespace koya {

// Its address is the full one, "registry.example.org/acme/demo"; its key, for all versions, is
// "mirrored-provider:registry.example.org/acme/demo".
inline SearchSubject MirroredSubject(const UpstreamProvider& provider, Version version) {
  return {SearchKind::kProvider, provider.address.ns(),
          provider.Key(),        "mirrored-provider:" + provider.Key(),
          std::move(version),    provider.host.ascii()};
}

}  // namespace koya
