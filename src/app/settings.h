// The settings of a server: read once at the start, then constant.
//
// Every setting is declared once, in setting_table.cc, which yields its name in TOML, in the
// environment and on the command line, its text for --help and docs/config.md, and its default
// (the initialiser below). Later sources win: default, file, environment, flag.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "domain/access.h"
#include "domain/archive_kind.h"
#include "domain/version_step.h"
#include "obs/log.h"

namespace koya {

// A HOST:PORT, as --listen takes it. Every value is well-formed.
struct HostPort {
  std::string host;        // a name or an address; IPv6 without brackets
  std::uint16_t port = 0;  // 0: any free port

  // "127.0.0.1:8443", "localhost:0", "[::1]:8443". Both parts are required: ":8443" is rejected.
  static std::optional<HostPort> Parse(std::string_view text);
  std::string ToString() const;  // with brackets around IPv6
  // True for 0.0.0.0 and ::, which can be listened on but not connected to.
  bool IsWildcard() const { return host == "0.0.0.0" || host == "::"; }

  friend bool operator==(const HostPort&, const HostPort&) = default;
};

struct ServerSettings {
  std::filesystem::path data = "./koya-data";
  HostPort listen{"127.0.0.1", 8443};
  std::string url;  // an origin without a slash at the end; empty: see BaseUrl
  bool dev = false;
  bool insecure_http = false;
  std::vector<std::string> trusted_proxies;  // addresses or CIDRs
  bool proxy_protocol = false;
  bool http2 = false;
  std::vector<std::string> names;     // empty: the host of the URL
  std::uint64_t threads = 0;          // 0: one per core
  std::string secret;                 // empty: see secret_file
  std::string secret_previous;        // empty: none
  std::filesystem::path secret_file;  // empty: server.secret in the data folder
  bool wait = false;                  // at the start, for a blob store that is down
};

struct TlsSettings {
  std::filesystem::path certificate;
  std::filesystem::path key;
};

struct MetricsSettings {
  std::optional<HostPort> listen;
};

// Settings of servers that share a catalog.
struct ClusterSettings {
  std::optional<HostPort> listen;   // serves running downloads to the other servers
  std::optional<HostPort> address;  // where other servers reach `listen`; nullopt: at `listen`
};

struct CatalogSettings {
  std::string url;  // empty: SQLite in the data folder
  std::uint64_t readers = 4;
  std::uint64_t writers = 2;
  std::chrono::seconds read_timeout{5};
  std::chrono::seconds write_timeout{10};
  std::chrono::seconds serve_stale = std::chrono::hours(1);  // 0: never
  bool wait_for_migration = false;
};

struct LimitSettings {
  std::uint64_t module_bytes = std::uint64_t{500} << 20;
  std::uint64_t module_unpacked_bytes = std::uint64_t{1} << 30;
  std::uint64_t provider_zip_bytes = std::uint64_t{1} << 30;
  std::uint64_t provider_unpacked_bytes = std::uint64_t{4} << 30;
  std::uint64_t docs_files = 20'000;
  std::uint64_t docs_bytes = std::uint64_t{256} << 20;
  std::uint64_t schema_bytes = std::uint64_t{256} << 20;
  std::uint64_t attachment_bytes = std::uint64_t{16} << 20;
  std::uint64_t attachments = 32;
  std::uint64_t archive_ratio = 200;
  std::uint64_t archive_entries = 50'000;
  std::uint64_t connections = 10'000;
  std::uint64_t connections_per_address = 1'000;
  std::uint64_t reading_bytes = std::uint64_t{256} << 20;
  std::uint64_t header_bytes = std::uint64_t{16} << 10;
  std::uint64_t git_memory = std::uint64_t{1} << 30;
  std::uint64_t token_requests = 0;  // a second; 0: no limit, as for the three below
  std::uint64_t address_requests = 0;
  std::uint64_t token_bytes_per_day = 0;
  std::uint64_t address_bytes_per_day = 0;
};

struct TimeoutSettings {
  std::chrono::seconds header{10};
  std::chrono::seconds idle{75};
  std::chrono::seconds body_stall{20};
  std::chrono::seconds drain{10};
  std::chrono::seconds drain_delay{0};
};

struct CacheSettings {
  std::uint64_t documents_bytes = std::uint64_t{256} << 20;
  std::filesystem::path folder;  // empty: cache in the data folder
  std::uint64_t archives_bytes = std::uint64_t{20} << 30;
  std::uint64_t scrub = std::uint64_t{4} << 20;  // bytes a second; 0: off
};

struct WorkerSettings {
  std::uint64_t threads = 8;
};

struct LogSettings {
  LogLevel level = LogLevel::kInfo;
  bool access = true;
};

struct AccessSettings {
  std::optional<Visibility> default_visibility = {};  // nullopt: as the first administrator chooses
  bool anonymous = true;                              // whether anonymous callers may read
  Visibility mirror = Visibility::kPublic;
  std::chrono::seconds url_ttl = std::chrono::minutes(15);
  std::chrono::seconds login_ttl = std::chrono::days(90);
  std::chrono::seconds offline_grace{0};
  std::string oidc_audience;  // audience of CI's tokens; empty: server.url
};

struct ObservabilitySettings {
  std::string otlp_endpoint;  // empty: no traces are sent
};

struct MailSettings {
  std::string smtp;  // "smtp://HOST:PORT" or "smtps://HOST:PORT"; empty: no mail is sent
  std::string from;
  std::string user;  // empty: no sign-in
  std::filesystem::path password_file;
};

struct WebSettings {
  bool enabled = true;
  bool mcp = true;
  bool index = false;
  std::string name;        // empty: the host of server.url
  std::string tagline_en;  // empty: a built-in sentence
  std::string tagline_ja;  // empty: as in English
  std::string tagline_zh;
  std::string status_url;              // empty: none
  std::filesystem::path client_trees;  // empty: none
};

struct AuditSettings {
  std::chrono::seconds retention = std::chrono::days(365);
  std::chrono::seconds denied_retention = std::chrono::days(30);
};

struct UsageSettings {
  bool enabled = true;
  std::chrono::seconds keep_detail = std::chrono::days(90);
  std::chrono::seconds keep_totals = std::chrono::days(3 * 365);
  bool people = false;  // whether their names are stored
};

struct BlobSettings {
  std::string url;  // "s3://BUCKET/PREFIX"; empty: the folder
  std::chrono::seconds gc_grace = std::chrono::hours(24);
  std::chrono::seconds trash_for = std::chrono::hours(24);
  std::chrono::seconds gc_every = std::chrono::hours(1);
};

struct BackupSettings {
  std::string to;  // a path, or "s3://BUCKET/PREFIX"; empty: the server makes no backups
  std::chrono::seconds every = std::chrono::hours(24);
  std::uint64_t keep = 14;
};

enum class RedirectMode { kOff, kMisses, kAll };

// Access to the bucket of blobs.url.
struct S3Settings {
  std::string endpoint;  // an origin; empty: AWS
  std::string region = "us-east-1";
  std::optional<bool> path_style;  // nullopt: as the endpoint requires
  std::filesystem::path ca_file;
  std::filesystem::path access_key_file;
  std::string sse;
  std::string sse_kms_key;
  std::uint64_t part_bytes = std::uint64_t{16} << 20;
  std::uint64_t parallel_parts = 4;
  std::chrono::seconds connect_timeout{3};
  std::chrono::seconds first_byte_timeout{2};
  std::chrono::seconds stall_timeout{10};
  std::chrono::seconds complete_timeout{60};
  RedirectMode redirect = RedirectMode::kOff;
  std::uint64_t redirect_min = std::uint64_t{16} << 20;
  std::chrono::seconds redirect_ttl = std::chrono::minutes(5);
  std::string public_endpoint;  // empty: the endpoint
};

struct ModuleSettings {
  ModuleLocationForm location = ModuleLocationForm::kIndirect;
};

struct PublishSettings {
  std::chrono::seconds draft_ttl = std::chrono::hours(24);
  SemverRule semver = SemverRule::kWarn;   // for namespaces that have no rule of their own
  SemverRule secrets = SemverRule::kWarn;  // for modules with files that seem to hold secrets
};

// Behaviour towards other registries.
struct UpstreamSettings {
  std::vector<std::string> hosts{"registry.opentofu.org"};
  std::vector<std::string> allow_private_addresses;  // addresses or CIDRs
  std::filesystem::path ca_file;                     // empty: SSL_CERT_FILE, else the system's
  std::chrono::seconds timeout{8};
  std::chrono::seconds archive_timeout = std::chrono::minutes(30);
  std::uint64_t min_rate = std::uint64_t{10} << 10;  // bytes a second; 0: no minimum
  std::uint64_t breaker_failures = 5;
  std::string network_mirror;       // a base URL; empty: the registries themselves
  std::vector<std::string> tokens;  // "HOST=TOKEN"
  std::string credentials_helper;   // a program, and its arguments
};

struct MirrorSettings {
  std::chrono::seconds freshness = std::chrono::minutes(5);
  std::chrono::seconds negative_ttl{10};
  bool modules = true;
  bool docs = false;            // of providers
  std::uint64_t max_bytes = 0;  // 0: no limit
  std::uint64_t min_free = 5;   // percent of the disk
};

struct PolicySettings {
  std::vector<std::string> allow;  // empty: everything that is not denied
  std::vector<std::string> deny;
  std::chrono::seconds watch{3600};  // 0: off
};

struct Settings {
  ServerSettings server;
  TlsSettings tls;
  MetricsSettings metrics;
  ObservabilitySettings observability;
  ClusterSettings cluster;
  CatalogSettings catalog;
  LimitSettings limits;
  TimeoutSettings timeouts;
  CacheSettings cache;
  WorkerSettings workers;
  LogSettings log;
  AccessSettings access;
  WebSettings web;
  MailSettings mail;
  AuditSettings audit;
  UsageSettings usage;
  BlobSettings blobs;
  S3Settings s3;
  BackupSettings backup;
  ModuleSettings modules;
  PublishSettings publish;
  UpstreamSettings upstream;
  MirrorSettings mirror;
  PolicySettings policy;
};

// A setting without its value. All texts are literals.
struct SettingInfo {
  std::string_view key;           // "server.listen": also the flag --server.listen
  std::string_view alias;         // "listen": the short name, usable everywhere; may be empty
  std::string_view text;          // the effect of the setting, in one or two sentences
  std::string_view allowed;       // values that may be written
  std::string_view default_note;  // the meaning of an empty default, or what precedes a default
  bool is_switch = false;         // the flag may stand alone: --dev
  bool secret = false;            // never shown
};

std::span<const SettingInfo> AllSettings();
// The names of a key or an alias in other places: "KOYA_SERVER_LISTEN"; "--server.listen",
// "--insecure-http" (keys keep their underscores, aliases take dashes).
std::string EnvironmentName(std::string_view name);
std::string FlagName(std::string_view name);
// The default as text; may be empty.
std::string DefaultText(const SettingInfo& setting);

// Checks that `value` is allowed for a setting. Fails: kInvalid, saying what to write; a secret is
// not repeated.
Status CheckValue(const SettingInfo& setting, std::string_view value);

struct SettingSource {
  enum class Kind { kDefault, kFile, kEnvironment, kFlag };
  Kind kind = Kind::kDefault;
  std::string where;     // "koya.toml:3", "KOYA_SERVER_LISTEN", "--listen"; empty for a default
  std::size_t line = 0;  // of the file
};

struct LoadedSettings {
  Settings values;
  std::vector<SettingSource> sources;  // parallel to AllSettings()
};

struct SettingsInput {
  std::optional<std::filesystem::path> config;  // nullopt: the file that KOYA_CONFIG names, if any
  // In the order given; the last one wins. Names as FlagName writes them; a switch without a value
  // has an empty one.
  std::vector<std::pair<std::string, std::string>> flags;
  std::map<std::string, std::string> environment;
};

// The environment of this process, in its original order, which decides when two names mean the
// same thing (TF_TOKEN_… of one host).
std::vector<std::pair<std::string, std::string>> ProcessEnvironment();

// Fails: kInvalid; the message has one line for each unknown setting and each bad value, with its
// place, the nearest name, and the allowed values.
Result<LoadedSettings> LoadSettings(const SettingsInput& input);

// Checks that a server can start with this combination of settings. Fails: kInvalid; the message
// has one line for each contradiction.
Status CheckForServing(const LoadedSettings& settings);

// Something to know about a setting.
struct SettingsFinding {
  std::string setting;   // its key; an unknown one as it was written; "": about the file
  std::size_t line = 0;  // of the file; 0: elsewhere
  std::string text;      // a sentence that names the place
};

struct SettingsFindings {
  std::vector<SettingsFinding> problems;  // the server does not start, or no client accepts it
  std::vector<SettingsFinding> warnings;  // it starts; each says the consequence
};

// As LoadSettings and CheckForServing, all problems at once; also reads the files that settings
// name. Blocks. `now` decides whether the certificate is valid.
SettingsFindings CheckSettings(const SettingsInput& input, UnixSeconds now);

// The URL that clients use, without a slash at the end: server.url, or the listen address with the
// port that was bound. A wildcard address becomes localhost.
std::string BaseUrl(const Settings& settings, std::uint16_t bound_port);

struct RenderOptions {
  bool json = false;
  bool sources = false;
};
// The output of `koya config show`: every setting with its value; secrets as "(set)".
std::string RenderSettings(const LoadedSettings& settings, RenderOptions options);

// The text of a TOML file with the settings that have a value, each with a comment; the usual ones
// that have none are commented out. Holds secrets.
std::string SettingsFileText(const LoadedSettings& settings);

// The text of docs/config.md.
std::string SettingsMarkdown();

}  // namespace koya
