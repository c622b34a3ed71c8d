#include "app/setting_table.h"

#include <algorithm>
#include <array>
#include <utility>

#include "app/setting_kinds.h"
#include "app/setting_rows.h"
#include "app/setting_rows_storage.h"

namespace koya {
namespace {

constexpr auto kServer = &Settings::server;
constexpr auto kCatalog = &Settings::catalog;
constexpr auto kAccess = &Settings::access;
constexpr auto kWeb = &Settings::web;
constexpr auto kTls = &Settings::tls;
constexpr auto kUsage = &Settings::usage;
constexpr auto kLimits = &Settings::limits;
constexpr auto kTimeouts = &Settings::timeouts;
constexpr auto kUpstream = &Settings::upstream;

constexpr std::array kGeneralRows{
    Declare<kServer, &ServerSettings::data, kPath>({
        .key = "server.data",
        .alias = "data",
        .text = "The folder for all that the server keeps. Made if absent; one server at a time.",
    }),
    Declare<kServer, &ServerSettings::listen, kHostPort>({
        .key = "server.listen",
        .alias = "listen",
        .text = "Address and port to listen on. Port 0 picks a free one.",
    }),
    Declare<kServer, &ServerSettings::url, kOrigin>({
        .key = "server.url",
        .alias = "url",
        .text = "What clients write to reach this server. Download locations begin with it. "
                "(KOYA_URL is the command line client's, not this.)",
        .default_note = "https:// and server.listen, with the port that was bound",
    }),
    Declare<kServer, &ServerSettings::dev, kSwitch>({
        .key = "server.dev",
        .alias = "dev",
        .text = "Makes a local CA, a certificate and an admin token, kept in dev/ in the data "
                "folder. For one machine only.",
    }),
    Declare<kServer, &ServerSettings::insecure_http, kSwitch>({
        .key = "server.insecure_http",
        .alias = "insecure_http",
        .text = "Serves plain HTTP. Only behind a proxy that does TLS, named in "
                "server.trusted_proxies.",
    }),
    Declare<kServer, &ServerSettings::trusted_proxies, kNetworks>({
        .key = "server.trusted_proxies",
        .text = "Proxies whose X-Forwarded-For and X-Forwarded-Proto are believed: the log and "
                "limits.connections_per_address name and count the client behind them.",
        .default_note = "none",
    }),
    Declare<kServer, &ServerSettings::names, kRegistries>({
        .key = "server.names",
        .text = "Host names that this server answers for as their origin: in /mirror/NAME/… its "
                "own providers are served under them.",
        .default_note = "the host of server.url",
    }),
    Declare<kServer, &ServerSettings::threads, kThreadsOrAuto>({
        .key = "server.threads",
        .text = "Event loops, each with a thread of its own; 0: one per core.",
    }),
    Declare<kServer, &ServerSettings::secret, kSecretText>({
        .key = "server.secret",
        .text = "Seals what must not be read in a stolen database, the namespaces' signing keys "
                "first. Servers on one database must share it. Better kept in "
                "server.secret_file.",
        .default_note = "server.secret_file",
        .secret = true,
    }),
    Declare<kServer, &ServerSettings::secret_file, kPath>({
        .key = "server.secret_file",
        .text = "A file that holds the secret; made on the first start if it is absent. Without "
                "it, sealed keys are lost: back it up, apart from the database.",
        .default_note = "server.secret in the data folder",
    }),
    Declare<kServer, &ServerSettings::secret_previous, kSecretText>({
        .key = "server.secret_previous",
        .text = "The secret before this one: it opens what it has sealed, and seals nothing. Set "
                "it when server.secret is replaced, run koya admin reseal, and leave it out again.",
        .default_note = "none",
        .secret = true,
    }),
    Declare<kServer, &ServerSettings::wait, kSwitch>({
        .key = "server.wait",
        .alias = "wait",
        .text = "Starts also while the bucket of blobs.url cannot be reached, and waits for it: "
                "ready when it answers.",
    }),
    Declare<kTls, &TlsSettings::certificate, kPath>({
        .key = "tls.certificate",
        .text = "The certificate chain, PEM, the server's own first. Read again when it changes.",
        .default_note = "none",
    }),
    Declare<kTls, &TlsSettings::key, kPath>({
        .key = "tls.key",
        .text = "The certificate's private key, PEM. Read again when it changes.",
        .default_note = "none",
    }),
    Declare<&Settings::metrics, &MetricsSettings::listen, kHostPortOrOff>({
        .key = "metrics.listen",
        .text = "A second listener, plain HTTP, for /metrics, /healthz and /readyz. With "
                "server.dev it takes a free loopback port by itself.",
    }),
    Declare<&Settings::cluster, &ClusterSettings::listen, kHostPortOrOff>({
        .key = "cluster.listen",
        .text = "A listener for the other servers on the same PostgreSQL database and the same "
                "server.secret: they read packages here that this server is fetching from another "
                "registry. TLS 1.3 with a key made from the secret; nobody else is answered. Off: "
                "they wait until a package is stored.",
    }),
    Declare<&Settings::cluster, &ClusterSettings::address, kReachable>({
        .key = "cluster.address",
        .text = "Where the other servers reach cluster.listen.",
        .default_note = "as cluster.listen",
    }),
    Declare<kCatalog, &CatalogSettings::url, kCatalogUrl>({
        .key = "catalog.url",
        .text = "The database for everything but the archives' bytes. With several hosts "
                "(postgresql://USER@A,B/DATABASE) the one that takes changes is found, also after "
                "a failover.",
        .secret = true,
    }),
    Declare<kCatalog, &CatalogSettings::readers, kThreads>({
        .key = "catalog.readers",
        .text = "Connections to the database for questions, each with a thread. With PostgreSQL "
                "there is one more, which hears of changes.",
    }),
    Declare<kCatalog, &CatalogSettings::writers, kThreads>({
        .key = "catalog.writers",
        .text = "Connections to the database for changes, each with a thread. SQLite has one "
                "whatever this says.",
    }),
    Declare<kCatalog, &CatalogSettings::read_timeout, kTimeout>({
        .key = "catalog.read_timeout",
        .text = "How long a question to the database may take, waiting included. What takes "
                "longer is answered 503.",
    }),
    Declare<kCatalog, &CatalogSettings::write_timeout, kTimeout>({
        .key = "catalog.write_timeout",
        .text = "How long a change of the database may take, waiting included. What takes longer "
                "is answered 503, and may have been stored all the same.",
    }),
    Declare<kCatalog, &CatalogSettings::serve_stale, kAgeOrNone>({
        .key = "catalog.serve_stale",
        .text = "How long answers that are held are given while the database does not answer, "
                "marked with Warning: 111. Afterwards they are 503, too. 0s: not at all.",
    }),
    Declare<kCatalog, &CatalogSettings::wait_for_migration, kMigrate>({
        .key = "catalog.migrate",
        .text = "Who makes what a PostgreSQL database lacks of this version's schema: each server "
                "when it starts, or koya admin migrate, for which servers wait, healthy and not "
                "ready.",
    }),
    Declare<kAccess, &AccessSettings::default_visibility, kNewVisibility>({
        .key = "access.default_visibility",
        .text = "Who may read what is in a new namespace: everybody, those who have a token, or "
                "those whom it is granted to. koya namespace set changes it for one.",
        .default_note = "what the first administrator said comes before it; with --dev public",
    }),
    Declare<kAccess, &AccessSettings::anonymous, kAnonymous>({
        .key = "access.anonymous",
        .text = "What strangers, who send no token, may do: read what is public, or nothing.",
    }),
    Declare<kAccess, &AccessSettings::mirror, kMirrorVisibility>({
        .key = "access.mirror",
        .text = "Who may read what comes from other registries, under /mirror/ and /origin/, and "
                "find it in searches: everybody, or whoever has a token.",
    }),
    Declare<kAccess, &AccessSettings::url_ttl, kTimeout>({
        .key = "access.url_ttl",
        .text = "How long the download location of something that is not public may be used by "
                "whom it was given to.",
    }),
    Declare<kAccess, &AccessSettings::offline_grace, kAgeOrNone>({
        .key = "access.offline_grace",
        .text = "How long a token that was checked before, or a browser that is signed in, counts "
                "while the database does not answer. So long may one that was revoked elsewhere go "
                "on reading; 0s: a second at most.",
    }),
    Declare<kAccess, &AccessSettings::login_ttl, kAge>({
        .key = "access.login_ttl",
        .text = "How long a token is good that somebody gets with tofu login, terraform login or "
                "koya login.",
    }),
    Declare<kAccess, &AccessSettings::oidc_audience, kAudience>({
        .key = "access.oidc_audience",
        .text = "Whom a CI's token must be for (aud) to be exchanged for one to publish with.",
        .default_note = "server.url",
    }),
    Declare<kWeb, &WebSettings::enabled, kSwitch>({
        .key = "web.enabled",
        .text =
            "Whether there are pages that show what is here. Without them there are still those "
            "that tofu login needs.",
    }),
    Declare<kWeb, &WebSettings::index, kSwitch>({
        .key = "web.index",
        .text = "Whether search engines may look at the pages: what /robots.txt says. Only while "
                "strangers may read at all.",
    }),
    Declare<kWeb, &WebSettings::name, kSentence>({
        .key = "web.name",
        .text = "What the pages call this registry.",
        .default_note = "the host of server.url",
    }),
    Declare<kWeb, &WebSettings::tagline_en, kSentence>({
        .key = "web.tagline.en",
        .text = "The sentence below the name on the start page.",
        .default_note = "a sentence of Koya's",
    }),
    Declare<kWeb, &WebSettings::tagline_ja, kSentence>({
        .key = "web.tagline.ja",
        .text = "The same for those who read Japanese.",
        .default_note = "web.tagline.en, else a sentence of Koya's",
    }),
    Declare<kWeb, &WebSettings::tagline_zh, kSentence>({
        .key = "web.tagline.zh",
        .text = "The same for those who read Chinese.",
        .default_note = "web.tagline.en, else a sentence of Koya's",
    }),
    Declare<kWeb, &WebSettings::status_url, kWebAddress>({
        .key = "web.status_url",
        .text = "Where the state of this registry can be seen, on another server best: pages that "
                "say that something went wrong here lead there.",
        .default_note = "no such page",
    }),
    Declare<&Settings::audit, &AuditSettings::retention, kAge>({
        .key = "audit.retention",
        .text = "How long entries of the audit log are kept: who changed what, and who was denied.",
    }),
    Declare<&Settings::audit, &AuditSettings::denied_retention, kAge>({
        .key = "audit.denied_retention",
        .text = "The same of denied attempts without a token or session, which are not chained. No "
                "longer than audit.retention.",
    }),
    Declare<kUsage, &UsageSettings::enabled, kSwitch>({
        .key = "usage.enabled",
        .text = "Whether it is counted who fetches which version, with what, in sums of a day. "
                "Never whose address.",
    }),
    Declare<kUsage, &UsageSettings::keep_detail, kAge>({
        .key = "usage.keep_detail",
        .text = "How long sums of a day are kept with who fetched. Then they become sums of a "
                "month, which name nobody.",
    }),
    Declare<kUsage, &UsageSettings::keep_totals, kAge>({
        .key = "usage.keep_totals",
        .text = "How long sums of a month are kept.",
    }),
    Declare<kUsage, &UsageSettings::people, kSwitch>({
        .key = "usage.people",
        .text = "Whether people are counted by their names. Else only how many there are is known.",
    }),
    Declare<kLimits, &LimitSettings::module_bytes, kSize>({
        .key = "limits.module_bytes",
        .text = "The largest module archive taken.",
    }),
    Declare<kLimits, &LimitSettings::module_unpacked_bytes, kSize>({
        .key = "limits.module_unpacked_bytes",
        .text = "The most that a module's files may come to when unpacked.",
    }),
    Declare<kLimits, &LimitSettings::provider_zip_bytes, kSize>({
        .key = "limits.provider_zip_bytes",
        .text = "The largest provider package (zip) taken.",
    }),
    Declare<kLimits, &LimitSettings::provider_unpacked_bytes, kSize>({
        .key = "limits.provider_unpacked_bytes",
        .text = "The most that a provider package's files may come to when unpacked.",
    }),
    Declare<kLimits, &LimitSettings::docs_files, kPositive>({
        .key = "limits.docs_files",
        .text = "The most files in the docs of one provider version.",
    }),
    Declare<kLimits, &LimitSettings::docs_bytes, kSize>({
        .key = "limits.docs_bytes",
        .text = "The most that the docs of one provider version may come to, packed or unpacked.",
    }),
    Declare<kLimits, &LimitSettings::schema_bytes, kSize>({
        .key = "limits.schema_bytes",
        .text = "The largest provider schema taken, packed or unpacked.",
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
        .text = "Connections at one time; further ones are refused.",
    }),
    Declare<kLimits, &LimitSettings::connections_per_address, kPositive>({
        .key = "limits.connections_per_address",
        .text = "Connections at one time from one client address. Behind server.trusted_proxies: "
                "requests at one time of one client, beyond which they are answered 429; the "
                "proxy's own connections only limits.connections bounds.",
    }),
    Declare<kLimits, &LimitSettings::reading_bytes, kReadingBytes>({
        .key = "limits.reading_bytes",
        .text =
            "Memory for what large modules, docs and comparisons take while they are read, shown "
            "and sent, of all readers together; further ones wait 2s, and are answered 503. One "
            "client address has a quarter of it.",
    }),
    Declare<kLimits, &LimitSettings::header_bytes, kHeaderSize>({
        .key = "limits.header_bytes",
        .text = "The largest request head; more is answered 431, or 414 when the address alone is "
                "more.",
    }),
    Declare<kLimits, &LimitSettings::git_memory, kGitMemory>({
        .key = "limits.git_memory",
        .text = "The most memory that each git process may take which fetches a module.",
    }),
    Declare<kLimits, &LimitSettings::token_requests, kRateOrOff>({
        .key = "limits.token_requests",
        .text = "Requests a second with one token, on each server; further ones are answered 429. "
                "A second's worth may come at once.",
    }),
    Declare<kLimits, &LimitSettings::address_requests, kRateOrOff>({
        .key = "limits.address_requests",
        .text =
            "The same of those who send no good token, by client address; IPv6 by /64. Behind a "
            "proxy, set server.trusted_proxies first.",
    }),
    Declare<kLimits, &LimitSettings::token_bytes_per_day, kSizeOrOff>({
        .key = "limits.token_bytes_per_day",
        .text = "Bytes of answers that one token is sent in a day (UTC), by all servers on one "
                "database together; further requests are answered 429. What is under way is sent.",
    }),
    Declare<kLimits, &LimitSettings::address_bytes_per_day, kSizeOrOff>({
        .key = "limits.address_bytes_per_day",
        .text = "The same of those who send no good token, by client address; IPv6 by /64.",
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
        .text = "How long the server goes on accepting after SIGTERM, no longer ready: until "
                "balancers have noticed. A second signal ends it.",
    }),
    Declare<&Settings::workers, &WorkerSettings::threads, kThreads>({
        .key = "workers.threads",
        .text = "Threads for work that blocks: hashing, archives. The database's are those of "
                "catalog.readers and catalog.writers.",
    }),
    Declare<&Settings::log, &LogSettings::level, kLogLevel>({
        .key = "log.level",
        .text = "The least important lines that are written to the log.",
    }),
    Declare<&Settings::log, &LogSettings::access, kSwitch>({
        .key = "log.access",
        .text = "Writes a line for every request.",
    }),
    Declare<&Settings::publish, &PublishSettings::draft_ttl, kAge>({
        .key = "publish.draft_ttl",
        .text = "How long a draft of a provider release is kept after its last upload.",
    }),
    Declare<&Settings::publish, &PublishSettings::semver, kSemverRule>({
        .key = "publish.semver",
        .text = "What happens to a module's version whose number is too small for what changed "
                "since the version before: nothing, a warning, a refusal if callers break, or a "
                "refusal in any case. koya namespace set changes it for one namespace.",
    }),
    Declare<&Settings::publish, &PublishSettings::secrets, kSecretsRule>({
        .key = "publish.secrets",
        .text = "What is done when a module has a file that seems to hold secrets (the state of a "
                "configuration, values of variables, .env, a private key): nothing, a warning, or "
                "it is refused.",
    }),
    Declare<kUpstream, &UpstreamSettings::hosts, kRegistries>({
        .key = "upstream.hosts",
        .text = "Registries that providers and modules may be pulled from. No other host is ever "
                "connected to "
                "on a client's behalf, except where their documents point.",
    }),
    Declare<kUpstream, &UpstreamSettings::allow_private_addresses, kNetworks>({
        .key = "upstream.allow_private_addresses",
        .text = "Private, loopback and link-local addresses that may be connected to all the "
                "same: for registries in one's own network.",
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
                "an archive may go without a byte. Clients give up after ten seconds.",
    }),
    Declare<kUpstream, &UpstreamSettings::archive_timeout, kTimeout>({
        .key = "upstream.archive_timeout",
        .text = "How long a provider's package or a module's archive may take in all.",
    }),
    Declare<kUpstream, &UpstreamSettings::min_rate, kSizeOrOff>({
        .key = "upstream.min_rate",
        .text = "Bytes a second that an archive must arrive at, on average in each minute; a "
                "slower transfer is given up.",
    }),
    Declare<kUpstream, &UpstreamSettings::breaker_failures, kPositive>({
        .key = "upstream.breaker_failures",
        .text = "After so many failures in a row another registry is left alone for a while.",
    }),
    Declare<kUpstream, &UpstreamSettings::network_mirror, kMirrorUrl>({
        .key = "upstream.network_mirror",
        .text = "A network mirror to pull providers from, instead of their registries. What is "
                "pulled so comes without its author's signature: /mirror/ serves it, /origin/ "
                "does not.",
        .default_note = "none",
    }),
    Declare<kUpstream, &UpstreamSettings::tokens, kTokens>({
        .key = "upstream.tokens",
        .text = "Tokens for registries that want one. Before these, nothing; after them "
                "TF_TOKEN_… variables, credentials.tfrc.json and upstream.credentials_helper are "
                "looked at.",
        .default_note = "none",
        .secret = true,
    }),
    Declare<kUpstream, &UpstreamSettings::credentials_helper, kCommand>({
        .key = "upstream.credentials_helper",
        .text = "A credentials helper, as clients use them: NAME for the program "
                "terraform-credentials-NAME, or its path; arguments may follow.",
        .default_note = "none",
    }),
    Declare<&Settings::mirror, &MirrorSettings::freshness, kAge>({
        .key = "mirror.freshness",
        .text = "How old a mirrored list of versions may be before it is asked for again.",
    }),
    Declare<&Settings::mirror, &MirrorSettings::negative_ttl, kTimeout>({
        .key = "mirror.negative_ttl",
        .text = "How long another registry's \"not found\" is believed.",
    }),
    Declare<&Settings::mirror, &MirrorSettings::modules, kSwitch>({
        .key = "mirror.modules",
        .text = "Whether modules are pulled through, too. They are fetched from where their "
                "registry points: archives, and git repositories by https and ssh.",
    }),
    Declare<&Settings::mirror, &MirrorSettings::docs, kSwitch>({
        .key = "mirror.docs",
        .text = "Whether docs of mirrored providers are asked for, too, when somebody reads them: "
                "of registry.terraform.io at that host, of registry.opentofu.org at "
                "api.opentofu.org, which is connected to for this alone. Either must be in "
                "upstream.hosts; no other host is asked.",
    }),
    Declare<&Settings::mirror, &MirrorSettings::max_bytes, kSizeOrOff>({
        .key = "mirror.max_bytes",
        .text = "The most that mirrored packages, modules and pages of docs may take; the least "
                "recently used go "
                "first. What was published here does not count, and never goes; what was imported "
                "of registries that are not in upstream.hosts counts, and stays.",
    }),
    Declare<&Settings::mirror, &MirrorSettings::min_free, kPercent>({
        .key = "mirror.min_free",
        .text = "How much of the data folder's disk stays free: with less, nothing more is pulled "
                "from other registries (507), while what is held is served and what is published "
                "is taken.",
    }),
    Declare<&Settings::policy, &PolicySettings::allow, kPatterns>({
        .key = "policy.allow",
        .text = "What may be pulled from other registries, and nothing else.",
        .default_note = "everything that policy.deny does not name",
    }),
    Declare<&Settings::policy, &PolicySettings::deny, kPatterns>({
        .key = "policy.deny",
        .text = "What may not be pulled from other registries.",
        .default_note = "nothing",
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
