// Both sides of the exchange between the servers of a cluster over HTTPS: HttpPeers fetches blobs
// from the others (see PeerSource), and FillRoutes has the route on which they read the files that
// this server is fetching.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "http/server/router.h"
#include "peers/peer_fills.h"
#include "peers/peer_keys.h"

namespace koya::peers {

struct PeerTimes {
  std::chrono::milliseconds connect{1000};
  // Maximal time without a byte; checked once a second.
  std::chrono::milliseconds silence{3000};
};

class HttpPeers final : public PeerSource {
 public:
  // Both must outlive this. `clock`: the clock shared by all servers.
  HttpPeers(const PeerKeys& keys, const Clock& clock, std::string user_agent, PeerTimes times = {})
      : keys_(keys), clock_(clock), user_agent_(std::move(user_agent)), times_(times) {}

  Result<PeerAnswer> Fetch(const PeerTransfer& transfer) override;

 private:
  const PeerKeys& keys_;
  const Clock& clock_;
  const std::string user_agent_;
  const PeerTimes times_;
};

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
