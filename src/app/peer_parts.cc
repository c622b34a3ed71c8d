#include "app/peer_parts.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "http/server/server.h"
#include "peers/fill_offers.h"
#include "peers/http_peers.h"
#include "service/common/leases.h"
#include "service/mirror/fetch_lease.h"

namespace koya {
namespace {

// Each reader of a running download is one. Other servers have at most as many for one peer as
// MirrorPools gives one host.
constexpr std::size_t kMostPeerConnections = 512;
constexpr std::size_t kMostOfOnePeer = 64;

class PeerObserver final : public http::Observer {
 public:
  void OnRequest(const http::RequestRecord& /*record*/) override {}
};

http::ServerOptions PeerListener(const HostPort& listen, const peers::PeerKeys& keys) {
  http::ServerOptions options;
  options.listen = listen.ToString();
  options.tls = http::TlsOptions{.certificate_file = "",
                                 .key_file = "",
                                 .certificate = keys.certificate(),
                                 .key = keys.key(),
                                 .only_newest = true};
  options.threads = 1;
  options.max_header_bytes = 4096;
  options.header_deadline = std::chrono::seconds(5);
  options.handshake_deadline = std::chrono::seconds(5);
  options.idle_timeout = std::chrono::seconds(10);
  options.max_connections = kMostPeerConnections;
  options.max_connections_per_address = kMostOfOnePeer;
  options.drain_deadline = std::chrono::seconds(1);
  return options;
}

}  // namespace

struct PeerParts::Impl {
  Impl(peers::PeerKeys with, const Clock& clock)
      : keys(std::move(with)),
        state{keys, offers, clock},
        source(keys, clock, "koya/" KOYA_VERSION) {}

  peers::PeerKeys keys;
  peers::FillOffers offers;
  peers::FillRoutesState state;
  peers::HttpPeers source;
  http::Router router{peers::FillRoutes(state)};
  PeerObserver observer;
  std::unique_ptr<http::Server> server;  // null: no listener for other servers
  std::string address;
  std::optional<service::ClusterLinks> links;  // absent: the catalog has only this server
};

Result<std::unique_ptr<PeerParts>> PeerParts::Create(const Settings& settings, peers::PeerKeys keys,
                                                     service::Leases& leases, const Clock& clock) {
  auto impl = std::make_unique<Impl>(std::move(keys), clock);
  if (const std::optional<HostPort>& listen = settings.cluster.listen) {
    impl->server = std::make_unique<http::Server>(
        PeerListener(*listen, impl->keys), impl->router, impl->observer,
        [](const http::EngineError& error) { return http::Response::Json(error.status, ""); });
    Status bound = impl->server->Bind();
    if (!bound) {
      bound.error().message = "cluster.listen: " + bound.error().message;
      return Failure(std::move(bound).error());
    }
    HostPort address = settings.cluster.address.value_or(*listen);
    if (address.port == 0) address.port = impl->server->port();
    impl->address = address.ToString();
  }
  // A SQLite catalog has only one server: no other server would read a row for each download.
  if (settings.catalog.url.starts_with("postgres")) {
    impl->links.emplace(leases, impl->source, impl->server ? &impl->offers : nullptr,
                        impl->address);
  }
  return std::unique_ptr<PeerParts>(new PeerParts(std::move(impl)));
}

PeerParts::PeerParts(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PeerParts::~PeerParts() = default;

const service::ClusterLinks* PeerParts::links() const {
  return impl_->links ? &*impl_->links : nullptr;
}

Status PeerParts::Start() { return impl_->server ? impl_->server->Start() : Status(); }

void PeerParts::Stop() {
  if (impl_->server) impl_->server->Stop();
}

void PeerParts::AddMetrics(Metrics& metrics) {
  metrics.WatchCounter("koya_peer_requests_denied_total",
                       "Requests for running downloads that came from no server of the cluster.",
                       [this] { return static_cast<double>(impl_->state.refused.load()); });
}

}  // namespace koya
