// Builds what a server shares with the other servers on its database: the leases of downloads, the
// listener that serves its running downloads, and the client that reads theirs.
#pragma once

#include <memory>

#include "app/settings.h"
#include "base/clock.h"
#include "obs/metrics.h"
#include "peers/peer_keys.h"

namespace koya::service {
struct ClusterLinks;
class Leases;
}  // namespace koya::service

namespace koya {

class PeerParts {
 public:
  // Binds cluster.listen, if it is set. All arguments must outlive this. `clock` is the database's.
  // Fails: kInvalid, kUnavailable (the port is taken), naming the setting.
  static Result<std::unique_ptr<PeerParts>> Create(const Settings& settings, peers::PeerKeys keys,
                                                   service::Leases& leases, const Clock& clock);
  ~PeerParts();
  PeerParts(const PeerParts&) = delete;
  PeerParts& operator=(const PeerParts&) = delete;

  // For the mirror, which must not outlive this. Null when the catalog has only this server.
  const service::ClusterLinks* links() const;
  // Starts to serve. Fails: as Create.
  Status Start();
  // Stops; running readers have a second to finish.
  void Stop();
  // koya_peer_…
  void AddMetrics(Metrics& metrics);

 private:
  struct Impl;
  explicit PeerParts(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya
