#include "app/server_parts.h"

#include <fmt/format.h>

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "app/mirror_parts.h"
#include "app/private_file.h"
#include "base/offload.h"
#include "http/client/mail_sender.h"
#include "http/server/server.h"
#include "peers/http_peers.h"
#include "peers/peer_fills.h"
#include "service/common/leases.h"
#include "service/mirror/fetch_lease.h"
#include "service/sign_in/identity_providers.h"
#include "service/sign_in/provider_sign_in.h"
#include "service/sign_in/token_exchange.h"
#include "service/sign_in/trust.h"
#include "upstream/openid/http_issuer_client.h"
#include "upstream/upstream_options.h"

namespace koya {

struct IdentityParts::Impl {
  Impl(Catalog& catalog, std::unique_ptr<ExchangeClock> with_clock,
       std::unique_ptr<upstream::HttpIssuerClient> with, const signing::Sealer& sealer,
       const Clock& clock, std::string given_audience)
      : exchange_clock(std::move(with_clock)),
        issuers(std::move(with)),
        providers(catalog, *issuers, sealer, clock),
        sign_in(providers, catalog, *issuers, sealer, clock),
        trust(catalog, catalog, clock),
        exchange(catalog, catalog, catalog, *issuers, clock),
        audience(std::move(given_audience)) {}

  std::unique_ptr<ExchangeClock> exchange_clock;
  std::unique_ptr<upstream::HttpIssuerClient> issuers;
  service::IdentityProviders providers;
  service::ProviderSignIn sign_in;
  service::Trust trust;
  service::TokenExchange exchange;
  const std::string audience;
};

Result<std::unique_ptr<IdentityParts>> IdentityParts::Create(const Settings& settings,
                                                             const Stores& stores,
                                                             const signing::Sealer& sealer,
                                                             const Clock& clock) {
  auto exchange_clock = std::make_unique<SystemExchangeClock>();
  ASSIGN_OR_RETURN(
      std::unique_ptr<upstream::HttpIssuerClient> issuers,
      upstream::HttpIssuerClient::Create(UpstreamOptionsOf(settings), *exchange_clock));
  auto impl = std::make_unique<Impl>(*stores.catalog, std::move(exchange_clock), std::move(issuers),
                                     sealer, clock, settings.access.oidc_audience);
  return std::unique_ptr<IdentityParts>(new IdentityParts(std::move(impl)));
}

IdentityParts::IdentityParts(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
IdentityParts::~IdentityParts() { Stop(); }

api::IdentityServices IdentityParts::services() {
  return {.providers = impl_->providers,
          .sign_in = impl_->sign_in,
          .trust = impl_->trust,
          .exchange = impl_->exchange,
          .audience = impl_->audience};
}

void IdentityParts::Stop() { impl_->issuers->Stop(); }

namespace {

Result<http::MailServer> MailServerOf(const Settings& settings) {
  http::MailServer server{.url = settings.mail.smtp,
                          .user = settings.mail.user,
                          .password = {},
                          .ca_file = UpstreamOptionsOf(settings).ca_file};
  if (settings.mail.password_file.empty()) return server;
  Result<std::string> text = ReadSmallFile(settings.mail.password_file);
  if (text) server.password = text->substr(0, text->find_last_not_of(" \t\r\n") + 1);
  if (!server.password.empty()) return server;
  return FailInvalid("the file {} of mail.password_file holds no password that can be read",
                     settings.mail.password_file.string());
}

}  // namespace

struct MailParts::Impl {
  http::MailServer server;
  std::string from;
  std::stop_source stop;
  WorkerPool worker{1};
  std::optional<service::MailNotices> notices;

  Task<void> Send(std::string to, std::string text) {
    http::MailMessage message{.from = from, .to = std::move(to), .text = std::move(text)};
    co_return co_await Offload(
        worker, [this, &message] { return http::SendMail(server, message, stop.get_token()); });
  }
};

MailParts::MailParts(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MailParts::~MailParts() { Stop(); }

Result<std::unique_ptr<MailParts>> MailParts::Create(
    const Settings& settings, service::MailNotices::Parts parts, std::function<std::string()> url,
    std::function<std::string(std::string_view account_id)> end_path) {
  if (settings.mail.smtp.empty()) return nullptr;
  auto impl = std::make_unique<Impl>();
  ASSIGN_OR_RETURN(impl->server, MailServerOf(settings));
  impl->from = settings.mail.from;
  service::MailSetup setup{.from = settings.mail.from,
                           .url = std::move(url),
                           .send =
                               [&impl = *impl](std::string to, std::string text) {
                                 return impl.Send(std::move(to), std::move(text));
                               },
                           .end_path = std::move(end_path)};
  impl->notices.emplace(parts, std::move(setup));
  return std::unique_ptr<MailParts>(new MailParts(std::move(impl)));
}

service::MailNotices& MailParts::notices() { return *impl_->notices; }

void MailParts::Stop() { impl_->stop.request_stop(); }

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
