// Fetches blobs from other servers over HTTPS. See PeerSource.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "base/clock.h"
#include "peers/peer_keys.h"
#include "peers/peer_source.h"

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

}  // namespace koya::peers
