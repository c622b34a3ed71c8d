// What settings must be when taken together, and what the files must hold that they name.
#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "app/setting_table.h"
#include "app/settings.h"
#include "base/file.h"
#include "base/text.h"
#include "http/server/tls_context.h"
#include "http/url.h"
#include "wire/admin.h"

namespace koya {
namespace {

// " (koya.toml:3)", or nothing for a default.
std::string Place(const LoadedSettings& settings, std::string_view key) {
  const std::string& where = settings.sources[*FindSetting(key)].where;
  return where.empty() ? "" : fmt::format(" ({})", where);
}

SettingsFinding FindingOf(const LoadedSettings& settings, std::string_view key, std::string text) {
  return {.setting = std::string(key),
          .line = settings.sources[*FindSetting(key)].line,
          .text = std::move(text)};
}

// Collects what settings contradict.
class Contradictions {
 public:
  explicit Contradictions(const LoadedSettings& settings)
      : settings_(settings), values_(settings.values) {}

  std::vector<SettingsFinding> FindAll() {
    CheckTls();
    CheckProxies();
    CheckUrl();
    CheckSecret();
    CheckBlobs();
    CheckCache();
    CheckBackup();
    CheckCluster();
    CheckMetrics();
    CheckMail();
    return std::move(found_);
  }

 private:
  std::string Place(std::string_view key) const { return koya::Place(settings_, key); }
  void Refuse(std::string_view key, std::string text) {
    found_.push_back(FindingOf(settings_, key, std::move(text)));
  }
  void CheckTls();
  void CheckProxies();
  void CheckUrl();
  void CheckSecret();
  void CheckBlobs();
  void CheckCache();
  void CheckBackup();
  void CheckCluster();
  void CheckMetrics();
  void CheckMail();

  const LoadedSettings& settings_;
  const Settings& values_;
  std::vector<SettingsFinding> found_;
};

// As an absolute path, links followed as far as there is something, without a slash at the end.
std::filesystem::path Resolved(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path resolved = std::filesystem::weakly_canonical(path, error);
  if (error || !resolved.is_absolute()) resolved = std::filesystem::absolute(path, error);
  resolved = resolved.lexically_normal();
  return resolved.has_filename() ? resolved : resolved.parent_path();
}

// Whether `inner` is `outer`, or lies in it. Both are Resolved().
bool LiesIn(const std::filesystem::path& inner, const std::filesystem::path& outer) {
  return std::ranges::mismatch(outer, inner).in1 == outer.end();
}

void Contradictions::CheckTls() {
  bool certificate = !values_.tls.certificate.empty();
  bool key = !values_.tls.key.empty();
  if (certificate != key) {
    std::string_view given = certificate ? "tls.certificate" : "tls.key";
    return Refuse(given, fmt::format("{}{} is set, but {} is not: set both", given, Place(given),
                                     certificate ? "tls.key" : "tls.certificate"));
  }
  if (certificate && (values_.server.insecure_http || values_.server.dev)) {
    return Refuse(
        "tls.certificate",
        fmt::format(
            "tls.certificate{} and {} exclude each other: leave one out", Place("tls.certificate"),
            values_.server.dev ? "--dev, which creates its own certificate" : "--insecure-http"));
  }
  if (certificate || values_.server.insecure_http || values_.server.dev) return;
  return Refuse(
      "tls.certificate",
      "clients require HTTPS, and there is no certificate yet. Start the server in one of three "
      "ways: with --dev (creates a certificate and an admin token, for one machine), with "
      "--tls.certificate FILE --tls.key FILE, or with --insecure-http behind a proxy that does TLS "
      "(name it in server.trusted_proxies)");
}

void Contradictions::CheckProxies() {
  if (!values_.server.proxy_protocol || !values_.server.trusted_proxies.empty()) return;
  return Refuse("server.proxy_protocol",
                fmt::format("server.proxy_protocol{} is set, but server.trusted_proxies names no "
                            "proxy that could send its header: name the balancer there",
                            Place("server.proxy_protocol")));
}

void Contradictions::CheckUrl() {
  const ServerSettings& server = values_.server;
  if (server.insecure_http || server.url.empty() || server.url.starts_with("https://")) return;
  return Refuse(
      "server.url",
      fmt::format("server.url {}{} must begin with https://, which clients require; http:// is for "
                  "--insecure-http only",
                  server.url, Place("server.url")));
}

void Contradictions::CheckSecret() {
  const ServerSettings& server = values_.server;
  if (server.secret.empty() || server.secret_file.empty()) return;
  return Refuse(
      "server.secret",
      fmt::format("server.secret{} and server.secret_file{} are both set: leave one out, so that "
                  "it is clear which one seals the keys",
                  Place("server.secret"), Place("server.secret_file")));
}

// Settings of a bucket have no effect while blobs.url names none, so they are rejected.
void Contradictions::CheckBlobs() {
  bool bucket = !values_.blobs.url.empty() || values_.backup.to.starts_with("s3://");
  for (std::size_t i = 0; i < AllSettings().size(); ++i) {
    std::string_view key = AllSettings()[i].key;
    bool given = settings_.sources[i].kind != SettingSource::Kind::kDefault;
    if (bucket || !given || !key.starts_with("blobs.s3.")) continue;
    Refuse(key,
           fmt::format("{}{} is set, but archives are stored in the data folder: set blobs.url to "
                       "s3://BUCKET/PREFIX, or leave {} out",
                       key, Place(key), key));
  }
  if (bucket && !values_.s3.sse_kms_key.empty() && values_.s3.sse != "aws:kms") {
    return Refuse(
        "blobs.s3.sse_kms_key",
        fmt::format(
            "blobs.s3.sse_kms_key{} is for blobs.s3.sse = aws:kms: set that, or leave the key out",
            Place("blobs.s3.sse_kms_key")));
  }
}

// A cache may be deleted, and removes files that it does not need: its folder must hold nothing
// else.
void Contradictions::CheckCache() {
  if (values_.cache.folder.empty()) return;
  const std::filesystem::path cache = Resolved(values_.cache.folder);
  const std::filesystem::path data = Resolved(values_.server.data);
  const std::filesystem::path blobs = Resolved(data / "blobs");
  std::string_view what;
  if (LiesIn(data, cache)) {
    what = cache == data ? "is the data folder (server.data)" : "contains the data folder";
  } else if (LiesIn(blobs, cache)) {
    what = cache == blobs ? "is where the data folder stores its archives"
                          : "contains the folder where the data folder stores its archives";
  } else if (LiesIn(cache, blobs)) {
    what = "lies where the data folder stores its archives";
  }
  if (what.empty()) return;
  return Refuse(
      "cache.folder",
      fmt::format("cache.folder {}{} {}, and a cache's files can be deleted at any time: name "
                  "another folder, or leave it out for {}",
                  values_.cache.folder.string(), Place("cache.folder"), what,
                  (values_.server.data / "cache").string()));
}

// What destroys the data folder must leave the backup.
void Contradictions::CheckBackup() {
  const std::string& to = values_.backup.to;
  if (to.empty()) return;
  if (to.starts_with("s3://")) {
    const std::string inner = values_.blobs.url + "/";
    if (values_.blobs.url.empty() || !(to + "/").starts_with(inner)) return;
    return Refuse("backup.to",
                  fmt::format("backup.to {}{} lies in the bucket of blobs.url: what destroys the "
                              "one destroys the other; name another bucket",
                              to, Place("backup.to")));
  }
  const std::filesystem::path folder = Resolved(to);
  const std::filesystem::path data = Resolved(values_.server.data);
  if (!LiesIn(folder, data) && !LiesIn(data, folder)) return;
  Refuse("backup.to",
         fmt::format("backup.to {}{} and the data folder (server.data {}) lie in each other: what "
                     "destroys the one destroys the other; name a folder on another disk",
                     to, Place("backup.to"), values_.server.data.string()));
}

void Contradictions::CheckCluster() {
  const ClusterSettings& cluster = values_.cluster;
  if (!cluster.listen) {
    if (!cluster.address) return;
    return Refuse("cluster.address",
                  fmt::format("cluster.address{} is set, but cluster.listen is not: set both",
                              Place("cluster.address")));
  }
  std::string listen =
      fmt::format("cluster.listen {}{}", cluster.listen->ToString(), Place("cluster.listen"));
  if (!values_.catalog.url.starts_with("postgres")) {
    return Refuse(
        "cluster.listen",
        listen +
            " is for servers that share a PostgreSQL database: name that with catalog.url, "
            "or leave cluster.listen out");
  }
  if (!cluster.address && cluster.listen->IsWildcard()) {
    return Refuse(
        "cluster.listen",
        listen + " needs cluster.address, the HOST:PORT where the other servers reach this one");
  }
  bool taken = cluster.listen->port != 0 && (*cluster.listen == values_.server.listen ||
                                             cluster.listen == values_.metrics.listen);
  if (!taken) return;
  return Refuse("cluster.listen",
                listen + " is server.listen or metrics.listen, too: choose another port for it");
}

void Contradictions::CheckMail() {
  const MailSettings& mail = values_.mail;
  if (!mail.smtp.empty() && mail.from.empty()) {
    Refuse("mail.smtp",
           fmt::format("mail.smtp{} is set, but mail.from is not: set the address that "
                       "mail comes from",
                       Place("mail.smtp")));
  }
  if (mail.user.empty() == mail.password_file.empty()) return;
  const std::string_view given = mail.user.empty() ? "mail.password_file" : "mail.user";
  Refuse(given, fmt::format("{}{} is set, but {} is not: set both", given, Place(given),
                            mail.user.empty() ? "mail.user" : "mail.password_file"));
}

void Contradictions::CheckMetrics() {
  if (!values_.metrics.listen || values_.metrics.listen->port == 0 ||
      *values_.metrics.listen != values_.server.listen) {
    return;
  }
  return Refuse("metrics.listen",
                fmt::format("metrics.listen{} and server.listen{} are both {}: choose another "
                            "port for one of them",
                            Place("metrics.listen"), Place("server.listen"),
                            values_.server.listen.ToString()));
}

constexpr UnixSeconds kDay = 24 * 60 * 60;
constexpr UnixSeconds kSoon = wire::CertificateState::kSoonDays * kDay;

std::string HostOf(std::string_view origin) {
  Result<http::Url> url = http::ParseUrl(origin);
  return url ? url->host : std::string();
}

// Adds findings about settings that are right by themselves.
class Adviser {
 public:
  Adviser(const LoadedSettings& settings, SettingsFindings& findings)
      : settings_(settings), values_(settings.values), findings_(findings) {}

  void CheckCertificate(UnixSeconds now);
  void CheckFiles();
  void CheckSecrecy(const std::filesystem::path& file);
  void CheckReach();
  void CheckHosts();

 private:
  // "tls.key (koya.toml:3)"
  std::string Named(std::string_view key) const {
    return fmt::format("{}{}", key, Place(settings_, key));
  }
  void Problem(std::string_view key, std::string text) {
    findings_.problems.push_back(FindingOf(settings_, key, std::move(text)));
  }
  void Warn(std::string_view key, std::string text) {
    findings_.warnings.push_back(FindingOf(settings_, key, std::move(text)));
  }
  bool IsMirrored(std::string_view host) const {
    return std::ranges::find(values_.upstream.hosts, host) != values_.upstream.hosts.end();
  }
  void CheckValidity(const http::CertificateValidity& validity, UnixSeconds now);

  const LoadedSettings& settings_;
  const Settings& values_;
  SettingsFindings& findings_;
};

void Adviser::CheckValidity(const http::CertificateValidity& validity, UnixSeconds now) {
  const std::string name = Named("tls.certificate");
  const UnixSeconds left = validity.until - now;
  if (validity.from > now) {
    Problem("tls.certificate",
            fmt::format("{} is valid from {} on: every client refuses it until then", name,
                        FormatRfc3339(validity.from)));
  } else if (left <= 0) {
    Problem("tls.certificate", fmt::format("{} has expired at {}: every client refuses it", name,
                                           FormatRfc3339(validity.until)));
  } else if (left < kSoon) {
    Warn("tls.certificate",
         fmt::format("{} expires at {}, in {} days: every client refuses it then", name,
                     FormatRfc3339(validity.until), left / kDay));
  }
}

void Adviser::CheckCertificate(UnixSeconds now) {
  if (values_.tls.certificate.empty() || values_.tls.key.empty()) return;
  Result<http::TlsContextHandle> context = http::LoadTlsContext(
      {.certificate_file = values_.tls.certificate, .key_file = values_.tls.key});
  if (!context) {
    Problem("tls.certificate", fmt::format("{} and {}: {}", Named("tls.certificate"),
                                           Named("tls.key"), context.error().message));
    return;
  }
  if (const auto validity = http::ValidityOf(*context)) CheckValidity(*validity, now);
  X509* certificate = SSL_CTX_get0_certificate(context->get());
  const std::string host = HostOf(values_.server.url);
  if (host.empty() || X509_check_host(certificate, host.data(), host.size(), 0, nullptr) == 1 ||
      X509_check_ip_asc(certificate, host.c_str(), 0) == 1) {
    return;
  }
  Warn("tls.certificate",
       fmt::format("{} is not for {}, the host of {}: clients that connect to this server under "
                   "that name refuse it",
                   Named("tls.certificate"), host, Named("server.url")));
}

void Adviser::CheckFiles() {
  const std::array<std::pair<std::string_view, const std::filesystem::path*>, 4> files{{
      {"blobs.s3.ca_file", &values_.s3.ca_file},
      {"blobs.s3.access_key_file", &values_.s3.access_key_file},
      {"upstream.ca_file", &values_.upstream.ca_file},
      {"web.client_trees", &values_.web.client_trees},
  }};
  for (const auto& [key, path] : files) {
    if (path->empty()) continue;
    const UniqueFd opened(::open(path->c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (opened.get() >= 0) continue;
    Problem(key, fmt::format("{}: {} cannot be read: {}", Named(key), Printable(path->string()),
                             std::strerror(errno)));
  }
  if (values_.server.data.is_relative() &&
      settings_.sources[*FindSetting("server.data")].kind == SettingSource::Kind::kFile) {
    Warn("server.data",
         fmt::format("{} is the relative path {}: which folder it is depends on where the server "
                     "is started",
                     Named("server.data"), Printable(values_.server.data.string())));
  }
}

// Whether a database's URL holds one: postgresql://USER:PASSWORD@HOST, or ?password=.
bool HasPassword(std::string_view url) {
  if (url.contains("password=")) return true;
  const std::size_t begin = url.find("://");
  const std::size_t at = url.rfind('@');
  if (begin == url.npos || at == url.npos) return false;
  return url.substr(0, at).find(':', begin + 3) != url.npos;
}

void Adviser::CheckSecrecy(const std::filesystem::path& file) {
  struct stat info{};
  if (::stat(file.c_str(), &info) != 0 || (info.st_mode & S_IROTH) == 0) return;
  for (std::size_t i = 0; i < AllSettings().size(); ++i) {
    if (!AllSettings()[i].secret || settings_.sources[i].kind != SettingSource::Kind::kFile) {
      continue;
    }
    if (AllSettings()[i].key == "catalog.url" && !HasPassword(values_.catalog.url)) continue;
    Warn(AllSettings()[i].key,
         fmt::format("{} is a secret, and every user of this machine can read {}: make it readable "
                     "by the server's user only (chmod 600)",
                     Named(AllSettings()[i].key), Printable(file.string())));
  }
}

void Adviser::CheckReach() {
  const ServerSettings& server = values_.server;
  const bool local = http::IsLoopbackHost(server.listen.host);
  if (server.url.empty() && !local) {
    Warn("server.url",
         fmt::format("server.url is not set: download locations begin with {}, which clients on "
                     "other machines may not reach",
                     BaseUrl(values_, server.listen.port)));
  }
  if (server.dev && !local) {
    Warn("server.dev",
         fmt::format("{} is for one machine, but {} accepts others: their clients do not know the "
                     "certificate authority that --dev creates",
                     Named("server.dev"), Named("server.listen")));
  }
  if (server.insecure_http && server.trusted_proxies.empty()) {
    Warn("server.insecure_http",
         fmt::format("{} without server.trusted_proxies: the log and the limits per address see "
                     "the proxy in place of its clients",
                     Named("server.insecure_http")));
  }
  if (server.insecure_http && !local) {
    Warn("server.insecure_http",
         fmt::format("{} on {}: tokens and passwords cross the network in clear text",
                     Named("server.insecure_http"), server.listen.ToString()));
  }
  if (values_.metrics.listen && values_.metrics.listen->IsWildcard()) {
    Warn("metrics.listen", fmt::format("{}: everyone who reaches the port can read the metrics",
                                       Named("metrics.listen")));
  }
}

void Adviser::CheckHosts() {
  for (const std::string& token : values_.upstream.tokens) {
    const std::string host = token.substr(0, token.find('='));
    if (IsMirrored(host)) continue;
    Warn("upstream.tokens",
         fmt::format("{}: {} is not in upstream.hosts, so its token is never sent",
                     Named("upstream.tokens"), Printable(host)));
  }
  for (const auto& [key, patterns] : {std::pair{"policy.allow", &values_.policy.allow},
                                      std::pair{"policy.deny", &values_.policy.deny}}) {
    for (const std::string& pattern : *patterns) {
      const std::string host = pattern.substr(0, pattern.find('/'));
      if (host.contains('*') || IsMirrored(host)) continue;
      Warn(key, fmt::format("{}: {} matches nothing, since {} is not in upstream.hosts", Named(key),
                            Printable(pattern), Printable(host)));
    }
  }
}

}  // namespace

Status CheckForServing(const LoadedSettings& settings) {
  const std::vector<SettingsFinding> found = Contradictions(settings).FindAll();
  if (found.empty()) return {};
  return FailInvalid("{}", LinesOf(found));
}

SettingsFindings CheckSettings(const SettingsInput& input, UnixSeconds now) {
  SettingsFindings findings;
  Result<PartlyLoadedSettings> loaded = LoadWhatIsAllowed(input);
  if (!loaded) return {.problems = {{.text = loaded.error().message}}, .warnings = {}};
  findings.problems = std::move(loaded->problems);
  for (SettingsFinding& each : Contradictions(loaded->settings).FindAll()) {
    findings.problems.push_back(std::move(each));
  }
  Adviser adviser(loaded->settings, findings);
  adviser.CheckCertificate(now);
  adviser.CheckFiles();
  if (const auto file = SettingsFileOf(input)) adviser.CheckSecrecy(*file);
  adviser.CheckReach();
  adviser.CheckHosts();
  return findings;
}

std::string BaseUrl(const Settings& settings, std::uint16_t bound_port) {
  if (!settings.server.url.empty()) return settings.server.url;
  HostPort address{settings.server.listen.host, bound_port};
  // A wildcard cannot be connected to; the dev certificate covers localhost.
  if (address.IsWildcard()) address.host = "localhost";
  return (settings.server.insecure_http ? "http://" : "https://") + address.ToString();
}

}  // namespace koya
