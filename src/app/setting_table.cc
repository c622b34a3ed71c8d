#include "app/setting_table.h"

#include <algorithm>
#include <array>
#include <utility>

#include "app/setting_kinds.h"
#include "app/setting_rows.h"

namespace koya {
namespace {

constexpr auto kServer = &Settings::server;
constexpr auto kCatalog = &Settings::catalog;
constexpr auto kAccess = &Settings::access;
constexpr auto kWeb = &Settings::web;
constexpr auto kMail = &Settings::mail;
constexpr auto kTls = &Settings::tls;
constexpr auto kUsage = &Settings::usage;
constexpr auto kLimits = &Settings::limits;
constexpr auto kTimeouts = &Settings::timeouts;
constexpr auto kUpstream = &Settings::upstream;

constexpr std::array kGeneralRows{
    Declare<kServer, &ServerSettings::data, kPath>({
        .key = "server.data",
        .alias = "data",
        .text =
            "The folder for all that the server stores. Created if absent; one server at a time.",
    }),
    Declare<kServer, &ServerSettings::listen, kHostPort>({
        .key = "server.listen",
        .alias = "listen",
        .text = "Address and port to listen on. Port 0 picks a free one.",
    }),
    Declare<kServer, &ServerSettings::url, kOrigin>({
        .key = "server.url",
        .alias = "url",
        .text = "The URL where clients reach this server. Download locations begin with it. "
                "(KOYA_URL is for the command line client only.)",
        .default_note = "https:// and server.listen, with the actual port",
    }),
    Declare<kServer, &ServerSettings::dev, kSwitch>({
        .key = "server.dev",
        .alias = "dev",
        .text = "Creates a local CA, a certificate and an admin token in dev/ in the data folder. "
                "For one machine only.",
    }),
    Declare<kServer, &ServerSettings::insecure_http, kSwitch>({
        .key = "server.insecure_http",
        .alias = "insecure_http",
        .text = "Serves plain HTTP. Only behind a proxy that does TLS, listed in "
                "server.trusted_proxies.",
    }),
    Declare<kServer, &ServerSettings::trusted_proxies, kNetworks>({
        .key = "server.trusted_proxies",
        .text = "Proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted: the log and "
                "limits.connections_per_address name and count the client behind them.",
        .default_note = "none",
    }),
    Declare<kServer, &ServerSettings::proxy_protocol, kSwitch>({
        .key = "server.proxy_protocol",
        .text = "Connections of server.trusted_proxies begin with a PROXY protocol v2 header, "
                "which names the client: for a balancer that passes TLS on. Other addresses "
                "connect as usual.",
    }),
    Declare<kServer, &ServerSettings::http2, kSwitch>({
        .key = "server.http2",
        .text = "Offers HTTP/2 to clients, besides HTTP/1.1, on connections with TLS.",
    }),
    Declare<kServer, &ServerSettings::names, kRegistries>({
        .key = "server.names",
        .text = "Host names that this server is the origin of: its own providers are served under "
                "them in /mirror/NAME/….",
        .default_note = "the host of server.url",
    }),
    Declare<kServer, &ServerSettings::threads, kThreadsOrAuto>({
        .key = "server.threads",
        .text = "Event loops, each with its own thread; 0: one per core.",
    }),
    Declare<kServer, &ServerSettings::secret, kSecretText>({
        .key = "server.secret",
        .text = "Encrypts what must stay secret in a stolen database, above all the namespaces' "
                "signing keys. Servers on one database must share it. Prefer server.secret_file.",
        .default_note = "server.secret_file",
        .secret = true,
    }),
    Declare<kServer, &ServerSettings::secret_file, kPath>({
        .key = "server.secret_file",
        .text = "A file with the secret, created on the first start if absent. Without it, sealed "
                "keys are lost: back it up, apart from the database.",
        .default_note = "server.secret in the data folder",
    }),
    Declare<kServer, &ServerSettings::secret_previous, kSecretText>({
        .key = "server.secret_previous",
        .text = "The previous secret, which only decrypts. Set it when you replace server.secret, "
                "run koya admin reseal, and leave it out again.",
        .default_note = "none",
        .secret = true,
    }),
    Declare<kServer, &ServerSettings::wait, kSwitch>({
        .key = "server.wait",
        .alias = "wait",
        .text = "Starts even if the bucket of blobs.url cannot be reached, and waits for it: ready "
                "when it responds.",
    }),
    Declare<kTls, &TlsSettings::certificate, kPath>({
        .key = "tls.certificate",
        .text = "The certificate chain, PEM, the server's own first. Reloaded when it changes.",
        .default_note = "none",
    }),
    Declare<kTls, &TlsSettings::key, kPath>({
        .key = "tls.key",
        .text = "The certificate's private key, PEM. Reloaded when it changes.",
        .default_note = "none",
    }),
    Declare<&Settings::observability, &ObservabilitySettings::otlp_endpoint, kWebAddress>({
        .key = "observability.otlp_endpoint",
        .text = "The base URL of an OpenTelemetry collector (OTLP over HTTP): requests whose "
                "traceparent field is marked as sampled send their spans to /v1/traces there.",
        .default_note = "no traces are sent",
    }),
    Declare<kMail, &MailSettings::smtp, kMailServer>({
        .key = "mail.smtp",
        .text = "The mail server for notifications. Beyond this machine smtp:// requires STARTTLS, "
                "with a certificate that upstream.ca_file or the system trusts.",
    }),
    Declare<kMail, &MailSettings::from, kMailAddress>({
        .key = "mail.from",
        .text = "The address that mail comes from. Required with mail.smtp.",
        .default_note = "none",
    }),
    Declare<kMail, &MailSettings::user, kS3Word>({
        .key = "mail.user",
        .text = "The user to sign in as at the mail server.",
        .default_note = "no sign-in",
    }),
    Declare<kMail, &MailSettings::password_file, kPath>({
        .key = "mail.password_file",
        .text = "A file with the password of mail.user. Read at the start.",
        .default_note = "none",
    }),
    Declare<&Settings::metrics, &MetricsSettings::listen, kHostPortOrOff>({
        .key = "metrics.listen",
        .text = "A second listener, plain HTTP, for /metrics, /healthz and /readyz. With "
                "server.dev it uses a free loopback port by default.",
    }),
    Declare<&Settings::cluster, &ClusterSettings::listen, kHostPortOrOff>({
        .key = "cluster.listen",
        .text = "A listener for the other servers on the same PostgreSQL database with the same "
                "server.secret: they read packages that this server is still fetching from another "
                "registry. TLS 1.3 with a key derived from the secret; all other clients are "
                "denied. Off: they wait until a package is stored.",
    }),
    Declare<&Settings::cluster, &ClusterSettings::address, kReachable>({
        .key = "cluster.address",
        .text = "Where the other servers reach cluster.listen.",
        .default_note = "as cluster.listen",
    }),
    Declare<kCatalog, &CatalogSettings::url, kCatalogUrl>({
        .key = "catalog.url",
        .text = "The database for everything but the archives. With several hosts "
                "(postgresql://USER@A,B/DATABASE) the server finds the one that accepts writes, "
                "also after a failover.",
        .secret = true,
    }),
    Declare<kCatalog, &CatalogSettings::readers, kThreads>({
        .key = "catalog.readers",
        .text = "Connections to the database for queries, each with a thread. With PostgreSQL "
                "there is one more, for notifications of changes.",
    }),
    Declare<kCatalog, &CatalogSettings::writers, kThreads>({
        .key = "catalog.writers",
        .text =
            "Connections to the database for changes, each with a thread. SQLite always has one.",
    }),
    Declare<kCatalog, &CatalogSettings::read_timeout, kTimeout>({
        .key = "catalog.read_timeout",
        .text = "How long a database query may take, waiting included. A request that takes longer "
                "gets 503.",
    }),
    Declare<kCatalog, &CatalogSettings::write_timeout, kTimeout>({
        .key = "catalog.write_timeout",
        .text = "How long a change of the database may take, waiting included. A request that "
                "takes longer gets 503, although the change may have been stored.",
    }),
    Declare<kCatalog, &CatalogSettings::serve_stale, kAgeOrNone>({
        .key = "catalog.serve_stale",
        .text = "How long cached responses are served while the database does not respond, marked "
                "with Warning: 111. After that, requests get 503. 0s: not at all.",
    }),
    Declare<kCatalog, &CatalogSettings::wait_for_migration, kMigrate>({
        .key = "catalog.migrate",
        .text = "Who migrates a PostgreSQL database to this version's schema: each server when it "
                "starts, or koya admin migrate, for which servers wait, healthy and not ready.",
    }),
    Declare<kAccess, &AccessSettings::default_visibility, kNewVisibility>({
        .key = "access.default_visibility",
        .text = "Who can read a new namespace: everyone, callers with a token, or only those with "
                "a role. koya namespace set changes it for one namespace.",
        .default_note = "the first administrator's choice comes first; with --dev public",
    }),
    Declare<kAccess, &AccessSettings::anonymous, kAnonymous>({
        .key = "access.anonymous",
        .text = "What anonymous callers, without a token, can do: read public content, or nothing.",
    }),
    Declare<kAccess, &AccessSettings::mirror, kMirrorVisibility>({
        .key = "access.mirror",
        .text = "Who can read packages of other registries, under /mirror/ and /origin/, and find "
                "them in searches: everyone, or callers with a token.",
    }),
    Declare<kAccess, &AccessSettings::url_ttl, kTimeout>({
        .key = "access.url_ttl",
        .text = "How long the download location of something that is not public is valid for the "
                "caller who requested it.",
    }),
    Declare<kAccess, &AccessSettings::offline_grace, kAgeOrNone>({
        .key = "access.offline_grace",
        .text = "How long a token that was checked before, or a signed-in browser, stays valid "
                "while the database does not respond. One that another server revoked can read for "
                "that long; 0s: a second at most.",
    }),
    Declare<kAccess, &AccessSettings::login_ttl, kAge>({
        .key = "access.login_ttl",
        .text = "How long a token from tofu login, terraform login or koya login is valid.",
    }),
    Declare<kAccess, &AccessSettings::oidc_audience, kAudience>({
        .key = "access.oidc_audience",
        .text = "The audience (aud) that a CI token must have to be exchanged for one that can "
                "publish.",
        .default_note = "server.url",
    }),
    Declare<kWeb, &WebSettings::enabled, kSwitch>({
        .key = "web.enabled",
        .text = "Whether the server has web pages. If off, only those for tofu login remain.",
    }),
    Declare<kWeb, &WebSettings::mcp, kSwitch>({
        .key = "web.mcp",
        .text = "Whether language models may ask at /-/mcp (Model Context Protocol), which only "
                "reads.",
    }),
    Declare<kWeb, &WebSettings::index, kSwitch>({
        .key = "web.index",
        .text = "Whether search engines may index the pages: what /robots.txt allows. Only if "
                "anonymous callers can read.",
    }),
    Declare<kWeb, &WebSettings::name, kSentence>({
        .key = "web.name",
        .text = "The name of this registry on the pages.",
        .default_note = "the first administrator's choice, else the host of server.url",
    }),
    Declare<kWeb, &WebSettings::tagline_en, kSentence>({
        .key = "web.tagline.en",
        .text = "The sentence below the name on the start page.",
        .default_note = "Koya's own sentence",
    }),
    Declare<kWeb, &WebSettings::tagline_ja, kSentence>({
        .key = "web.tagline.ja",
        .text = "The same in Japanese.",
        .default_note = "web.tagline.en, else Koya's own sentence",
    }),
    Declare<kWeb, &WebSettings::tagline_zh, kSentence>({
        .key = "web.tagline.zh",
        .text = "The same in Chinese.",
        .default_note = "web.tagline.en, else Koya's own sentence",
    }),
    Declare<kWeb, &WebSettings::status_url, kWebAddress>({
        .key = "web.status_url",
        .text = "A status page for this registry, best on another server: error pages link to it.",
        .default_note = "no such page",
    }),
    Declare<kWeb, &WebSettings::client_trees, kPath>({
        .key = "web.client_trees",
        .text = "A folder with further release trees of this version, koya-VERSION-linux-ARCH: "
                "/-/cli/ serves them beside the server's own.",
        .default_note = "none",
    }),
    Declare<&Settings::audit, &AuditSettings::retention, kAge>({
        .key = "audit.retention",
        .text = "How long the audit log keeps its entries: who changed what, and who was denied.",
    }),
    Declare<&Settings::audit, &AuditSettings::denied_retention, kAge>({
        .key = "audit.denied_retention",
        .text = "The same for denied attempts without a token or session, which are not chained. "
                "No longer than audit.retention.",
    }),
    Declare<kUsage, &UsageSettings::enabled, kSwitch>({
        .key = "usage.enabled",
        .text = "Whether to count who fetches which version, with which client, in daily totals. "
                "Addresses are never counted.",
    }),
    Declare<kUsage, &UsageSettings::keep_detail, kAge>({
        .key = "usage.keep_detail",
        .text = "How long daily totals keep the caller. Then they become monthly totals without "
                "callers.",
    }),
    Declare<kUsage, &UsageSettings::keep_totals, kAge>({
        .key = "usage.keep_totals",
        .text = "How long monthly totals are kept.",
    }),
    Declare<kUsage, &UsageSettings::people, kSwitch>({
        .key = "usage.people",
        .text = "Whether users are counted by name. If off, only their number is known.",
    }),
    Declare<kLimits, &LimitSettings::module_bytes, kSize>({
        .key = "limits.module_bytes",
        .text = "The largest module archive accepted.",
    }),
    Declare<kLimits, &LimitSettings::module_unpacked_bytes, kSize>({
        .key = "limits.module_unpacked_bytes",
        .text = "The largest total size of a module's unpacked files.",
    }),
    Declare<kLimits, &LimitSettings::provider_zip_bytes, kSize>({
        .key = "limits.provider_zip_bytes",
        .text = "The largest provider package (zip) accepted.",
    }),
    Declare<kLimits, &LimitSettings::provider_unpacked_bytes, kSize>({
        .key = "limits.provider_unpacked_bytes",
        .text = "The largest total size of a provider package's unpacked files.",
    }),
    Declare<kLimits, &LimitSettings::docs_files, kPositive>({
        .key = "limits.docs_files",
        .text = "The most files in the docs of one provider version.",
    }),
    Declare<kLimits, &LimitSettings::docs_bytes, kSize>({
        .key = "limits.docs_bytes",
        .text = "The largest total size of one provider version's docs, packed or unpacked.",
    }),
    Declare<kLimits, &LimitSettings::schema_bytes, kSize>({
        .key = "limits.schema_bytes",
        .text = "The largest provider schema accepted, packed or unpacked.",
    }),
    Declare<kLimits, &LimitSettings::attachment_bytes, kSize>({
        .key = "limits.attachment_bytes",
        .text = "The largest attachment of a version accepted: an attestation or an SBOM.",
    }),
    Declare<kLimits, &LimitSettings::attachments, kPositive>({
        .key = "limits.attachments",
        .text = "The most attachments of one version.",
    }),
    Declare<kLimits, &LimitSettings::archive_ratio, kPositive>({
        .key = "limits.archive_ratio",
        .text = "How many times its size an archive may grow when unpacked.",
    }),
    Declare<kLimits, &LimitSettings::archive_entries, kPositive>({
        .key = "limits.archive_entries",
        .text = "The most files and folders in one archive.",
    }),
    Declare<kLimits, &LimitSettings::connections, kPositive>({
        .key = "limits.connections",
        .text = "Connections at once; more are refused.",
    }),
    Declare<kLimits, &LimitSettings::connections_per_address, kPositive>({
        .key = "limits.connections_per_address",
        .text = "Connections at once from one client address. Requests at once over one HTTP/2 "
                "connection count as so many; those beyond get 429. Behind server.trusted_proxies: "
                "requests at once of one client, likewise; only limits.connections limits the "
                "proxy's own connections.",
    }),
    Declare<kLimits, &LimitSettings::reading_bytes, kReadingBytes>({
        .key = "limits.reading_bytes",
        .text = "Memory for reading, rendering and sending large modules, docs and comparisons, "
                "for all clients together; more requests wait 2s, then get 503. One client address "
                "gets a quarter of it.",
    }),
    Declare<kLimits, &LimitSettings::header_bytes, kHeaderSize>({
        .key = "limits.header_bytes",
        .text =
            "The largest request head; larger ones get 431, or 414 if the address alone is larger.",
    }),
    Declare<kLimits, &LimitSettings::git_memory, kGitMemory>({
        .key = "limits.git_memory",
        .text = "The most memory for each git process that fetches a module.",
    }),
    Declare<kLimits, &LimitSettings::token_requests, kRateOrOff>({
        .key = "limits.token_requests",
        .text = "Requests a second with one token, on each server; more get 429. A second's worth "
                "may come at once.",
    }),
    Declare<kLimits, &LimitSettings::address_requests, kRateOrOff>({
        .key = "limits.address_requests",
        .text = "The same for requests without a valid token, by client address; IPv6 by /64. "
                "Behind a proxy, set server.trusted_proxies first.",
    }),
    Declare<kLimits, &LimitSettings::token_bytes_per_day, kSizeOrOff>({
        .key = "limits.token_bytes_per_day",
        .text = "Bytes of responses to one token in a day (UTC), by all servers on one database "
                "together; more requests get 429. Running responses are completed.",
    }),
    Declare<kLimits, &LimitSettings::address_bytes_per_day, kSizeOrOff>({
        .key = "limits.address_bytes_per_day",
        .text = "The same for requests without a valid token, by client address; IPv6 by /64.",
    }),
    Declare<kTimeouts, &TimeoutSettings::header, kTimeout>({
        .key = "timeouts.header",
        .text = "How long a request head may take from its first byte to its last.",
    }),
    Declare<kTimeouts, &TimeoutSettings::idle, kTimeout>({
        .key = "timeouts.idle",
        .text = "How long a connection may wait between requests.",
    }),
    Declare<kTimeouts, &TimeoutSettings::body_stall, kTimeout>({
        .key = "timeouts.body_stall",
        .text = "How long an upload may go without a byte.",
    }),
    Declare<kTimeouts, &TimeoutSettings::drain, kTimeout>({
        .key = "timeouts.drain",
        .text = "How long running requests may take to finish after SIGTERM.",
    }),
    Declare<kTimeouts, &TimeoutSettings::drain_delay, kTimeoutOrNone>({
        .key = "timeouts.drain_delay",
        .text = "How long the server accepts requests after SIGTERM while it is no longer ready, "
                "so that load balancers notice. A second signal stops it.",
    }),
    Declare<&Settings::workers, &WorkerSettings::threads, kThreads>({
        .key = "workers.threads",
        .text = "Threads for blocking work: hashing, archives. catalog.readers and catalog.writers "
                "set those of the database.",
    }),
    Declare<&Settings::log, &LogSettings::level, kLogLevel>({
        .key = "log.level",
        .text = "The lowest level that is logged.",
    }),
    Declare<&Settings::log, &LogSettings::access, kSwitch>({
        .key = "log.access",
        .text = "Logs every request.",
    }),
    Declare<&Settings::modules, &ModuleSettings::location, kModuleLocation>({
        .key = "modules.location",
        .text =
            "How OpenTofu 1.12 and later learn where a module's archive is: by an address with "
            "a checksum, like all other clients; directly, so that OpenTofu counts it as hosted "
            "here (it can cache and lock the module, but verifies no checksum); or directly up "
            "to 16 MiB, since OpenTofu allows ten seconds for the download.",
    }),
    Declare<&Settings::publish, &PublishSettings::draft_ttl, kAge>({
        .key = "publish.draft_ttl",
        .text = "How long a draft of a provider release is kept after its last upload.",
    }),
    Declare<&Settings::publish, &PublishSettings::semver, kSemverRule>({
        .key = "publish.semver",
        .text = "What happens to a module version whose number understates the changes since the "
                "previous version: nothing, a warning, rejected if callers break, or always "
                "rejected. koya namespace set changes it for one namespace.",
    }),
    Declare<&Settings::publish, &PublishSettings::secrets, kSecretsRule>({
        .key = "publish.secrets",
        .text = "What happens to a module with a file that seems to contain secrets (state, values "
                "of variables, .env, a private key): nothing, a warning, or it is rejected.",
    }),
    Declare<kUpstream, &UpstreamSettings::hosts, kRegistries>({
        .key = "upstream.hosts",
        .text = "Registries that providers and modules can be pulled from. The server connects to "
                "no other host for a client, except where their documents point.",
    }),
    Declare<kUpstream, &UpstreamSettings::allow_private_addresses, kNetworks>({
        .key = "upstream.allow_private_addresses",
        .text = "Private, loopback and link-local addresses that the server may connect to: for "
                "registries in your own network.",
        .default_note = "none",
    }),
    Declare<kUpstream, &UpstreamSettings::ca_file, kPath>({
        .key = "upstream.ca_file",
        .text = "Certificate authorities for connections to other registries, PEM.",
        .default_note = "SSL_CERT_FILE, or else the system's",
    }),
    Declare<kUpstream, &UpstreamSettings::timeout, kTimeout>({
        .key = "upstream.timeout",
        .text = "How long another registry may take for a document, retry included, and how long "
                "an archive's transfer may stall. Clients give up after ten seconds.",
    }),
    Declare<kUpstream, &UpstreamSettings::archive_timeout, kTimeout>({
        .key = "upstream.archive_timeout",
        .text = "How long fetching a provider's package or a module's archive may take.",
    }),
    Declare<kUpstream, &UpstreamSettings::min_rate, kSizeOrOff>({
        .key = "upstream.min_rate",
        .text = "The lowest transfer rate of an archive, in bytes a second, on average in each "
                "minute; a slower transfer is aborted.",
    }),
    Declare<kUpstream, &UpstreamSettings::breaker_failures, kPositive>({
        .key = "upstream.breaker_failures",
        .text = "After this many failures in a row, another registry gets no requests for a while.",
    }),
    Declare<kUpstream, &UpstreamSettings::network_mirror, kMirrorUrl>({
        .key = "upstream.network_mirror",
        .text = "A network mirror to pull providers from, instead of their registries. Its "
                "packages lack their author's signature: /mirror/ serves them, /origin/ does not.",
        .default_note = "none",
    }),
    Declare<kUpstream, &UpstreamSettings::tokens, kTokens>({
        .key = "upstream.tokens",
        .text = "Tokens for registries that require one. They take precedence over TF_TOKEN_… "
                "variables, credentials.tfrc.json and upstream.credentials_helper, in this order.",
        .default_note = "none",
        .secret = true,
    }),
    Declare<kUpstream, &UpstreamSettings::credentials_helper, kCommand>({
        .key = "upstream.credentials_helper",
        .text = "A credentials helper as for clients: NAME for the program "
                "terraform-credentials-NAME, or its path; arguments can follow.",
        .default_note = "none",
    }),
    Declare<&Settings::mirror, &MirrorSettings::freshness, kAge>({
        .key = "mirror.freshness",
        .text = "How old a mirrored list of versions may be before it is fetched again.",
    }),
    Declare<&Settings::mirror, &MirrorSettings::negative_ttl, kTimeout>({
        .key = "mirror.negative_ttl",
        .text = "How long another registry's \"not found\" is cached.",
    }),
    Declare<&Settings::mirror, &MirrorSettings::modules, kSwitch>({
        .key = "mirror.modules",
        .text = "Whether modules are mirrored, too. They are fetched from where their registry "
                "points: archives, and git repositories by https and ssh.",
    }),
    Declare<&Settings::mirror, &MirrorSettings::docs, kSwitch>({
        .key = "mirror.docs",
        .text = "Whether docs of mirrored providers are fetched when a user opens them: of "
                "registry.terraform.io from that host, of registry.opentofu.org from "
                "api.opentofu.org, which is used for this alone. The registry must be in "
                "upstream.hosts; no other host is used.",
    }),
    Declare<&Settings::mirror, &MirrorSettings::max_bytes, kSizeOrOff>({
        .key = "mirror.max_bytes",
        .text =
            "The most that mirrored packages, modules and pages of docs may take; the least "
            "recently used are evicted first. Published ones do not count and are never evicted; "
            "imported ones of registries that are not in upstream.hosts count and stay.",
    }),
    Declare<&Settings::mirror, &MirrorSettings::min_free, kPercent>({
        .key = "mirror.min_free",
        .text =
            "How much of the data folder's disk stays free: with less, nothing more is pulled from "
            "other registries (507), while stored packages are served and publishing works.",
    }),
    Declare<&Settings::policy, &PolicySettings::allow, kPatterns>({
        .key = "policy.allow",
        .text = "The only packages that can be pulled from other registries.",
        .default_note = "everything that policy.deny does not name",
    }),
    Declare<&Settings::policy, &PolicySettings::deny, kPatterns>({
        .key = "policy.deny",
        .text = "Packages that cannot be pulled from other registries.",
        .default_note = "nothing",
    }),
    Declare<&Settings::policy, &PolicySettings::watch, kAgeOrNone>({
        .key = "policy.watch",
        .text =
            "How often the lists of packages that clients fetched within 30 days are read while "
            "a policy has rules for them: a version's age counts from then, and releases that "
            "are held are pinned and compared. 0: only when a client asks.",
    }),
};

template <std::size_t kFirst, std::size_t kSecond>
constexpr std::array<SettingRow, kFirst + kSecond> Join(
    const std::array<SettingRow, kFirst>& first, const std::array<SettingRow, kSecond>& second) {
  std::array<SettingRow, kFirst + kSecond> all{};
  std::ranges::copy(second, std::ranges::copy(first, all.begin()).out);
  return all;
}
constexpr auto kRows = Join(kGeneralRows, kStorageRows);

template <class Part, std::size_t... kIndex>
constexpr std::array<Part, sizeof...(kIndex)> Column(Part SettingRow::* part,
                                                     std::index_sequence<kIndex...>) {
  return {kRows[kIndex].*part...};
}
constexpr auto kInfos = Column(&SettingRow::info, std::make_index_sequence<kRows.size()>());
constexpr auto kDefinitions =
    Column(&SettingRow::definition, std::make_index_sequence<kRows.size()>());

}  // namespace

std::span<const SettingInfo> AllSettings() { return kInfos; }

std::span<const SettingDefinition> SettingDefinitions() { return kDefinitions; }

std::optional<std::size_t> FindSetting(std::string_view name) {
  auto called = [&](const SettingInfo& info) {
    return info.key == name || (!info.alias.empty() && info.alias == name);
  };
  auto found = std::ranges::find_if(kInfos, called);
  if (found == kInfos.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kInfos.begin());
}

}  // namespace koya
