// The route on which other servers of the cluster read the files that this one is fetching.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "http/server/router.h"
#include "peers/fill_offers.h"
#include "peers/peer_keys.h"

namespace koya::peers {

struct FillRoutesState {
  const PeerKeys& keys;
  const FillOffers& offers;
  const Clock& clock;
  // Requests that did not come from a server of the cluster.
  std::atomic<std::uint64_t> refused = 0;
};

//   GET /internal/fills/sha256/HEX   with Range: bytes=OFFSET-
// 206 with the bytes as they arrive, all but the last until the whole was verified; 404 when this
// server is not fetching it; 416 beyond its end; 503 when nothing has arrived for a moment, and
// when the fetch has failed. 403, without a message, for callers that do not prove that they have
// server.secret. Nothing else is served here. `state` must outlive the routes.
std::vector<http::RouteSpec> FillRoutes(FillRoutesState& state);

}  // namespace koya::peers
