// What a server has to do with the others on its database: the leases of downloads, the listener on
// which it shows its own, and who reads those of the others.
#pragma once

#include <memory>

#include "app/settings.h"
#include "base/clock.h"
#include "obs/metrics.h"
#include "peers/peer_keys.h"
#include "service/mirror/fetch_lease.h"

namespace koya {

class PeerParts {
 public:
  // Binds cluster.listen, if there is one. Everything given must outlive this. `clock` is the
  // database's. Fails: kInvalid, kUnavailable (the port is taken), naming the setting.
  static Result<std::unique_ptr<PeerParts>> Create(const Settings& settings, peers::PeerKeys keys,
                                                   service::Leases& leases, const Clock& clock);
  ~PeerParts();
  PeerParts(const PeerParts&) = delete;
  PeerParts& operator=(const PeerParts&) = delete;

  // For the mirror, which must not outlive this: it refers to it. Without others: alone.
  service::ClusterLinks links();
  // Answers from now on. Fails: as Create.
  Status Start();
  // Readers may finish for a second.
  void Stop();
  // koya_peer_…
  void AddMetrics(Metrics& metrics);

 private:
  struct Impl;
  explicit PeerParts(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya
