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

namespace koya {
namespace {

// " (koya.toml:3)", or nothing for a default.
std::string Place(const LoadedSettings& settings, std::string_view key) {
  const std::string& where = settings.sources[*FindSetting(key)].where;
  return where.empty() ? "" : fmt::format(" ({})", where);
}

Failure Refuse(std::string message) { return Fail(ErrorKind::kInvalid, std::move(message)); }

Status CheckTls(const LoadedSettings& settings) {
  const Settings& values = settings.values;
  bool certificate = !values.tls.certificate.empty();
  bool key = !values.tls.key.empty();
  if (certificate != key) {
    std::string_view given = certificate ? "tls.certificate" : "tls.key";
    return Refuse(fmt::format("{}{} is set, but {} is not: set both", given, Place(settings, given),
                              certificate ? "tls.key" : "tls.certificate"));
  }
  if (certificate && (values.server.insecure_http || values.server.dev)) {
    return Refuse(fmt::format(
        "tls.certificate{} and {} exclude each other: leave one out",
        Place(settings, "tls.certificate"),
        values.server.dev ? "--dev, which creates its own certificate" : "--insecure-http"));
  }
  if (certificate || values.server.insecure_http || values.server.dev) return {};
  return Refuse(
      "clients require HTTPS, and there is no certificate yet. Start the server in one of three "
      "ways: with --dev (creates a certificate and an admin token, for one machine), with "
      "--tls.certificate FILE --tls.key FILE, or with --insecure-http behind a proxy that does TLS "
      "(name it in server.trusted_proxies)");
}

Status CheckUrl(const LoadedSettings& settings) {
  const ServerSettings& server = settings.values.server;
  if (server.insecure_http || server.url.empty() || server.url.starts_with("https://")) return {};
  return Refuse(
      fmt::format("server.url {}{} must begin with https://, which clients require; http:// is for "
                  "--insecure-http only",
                  server.url, Place(settings, "server.url")));
}

Status CheckSecret(const LoadedSettings& settings) {
  const ServerSettings& server = settings.values.server;
  if (server.secret.empty() || server.secret_file.empty()) return {};
  return Refuse(
      fmt::format("server.secret{} and server.secret_file{} are both set: leave one out, so that "
                  "it is clear which one seals the keys",
                  Place(settings, "server.secret"), Place(settings, "server.secret_file")));
}

// Settings of a bucket have no effect while blobs.url names none, so they are rejected.
Status CheckBlobs(const LoadedSettings& settings) {
  const Settings& values = settings.values;
  bool bucket = !values.blobs.url.empty();
  std::vector<std::string> useless;
  for (std::size_t i = 0; i < AllSettings().size(); ++i) {
    std::string_view key = AllSettings()[i].key;
    bool given = settings.sources[i].kind != SettingSource::Kind::kDefault;
    if (bucket || !given || !key.starts_with("blobs.s3.")) continue;
    useless.push_back(
        fmt::format("{}{} is set, but archives are stored in the data folder: set blobs.url to "
                    "s3://BUCKET/PREFIX, or leave {} out",
                    key, Place(settings, key), key));
  }
  if (!useless.empty()) return Refuse(fmt::format("{}", fmt::join(useless, "\n")));
  if (!values.s3.sse_kms_key.empty() && values.s3.sse != "aws:kms") {
    return Refuse(fmt::format(
        "blobs.s3.sse_kms_key{} is for blobs.s3.sse = aws:kms: set that, or leave the key out",
        Place(settings, "blobs.s3.sse_kms_key")));
  }
  return {};
}

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

// A cache may be deleted, and removes files that it does not need: its folder must hold nothing
// else.
Status CheckCache(const LoadedSettings& settings) {
  const Settings& values = settings.values;
  if (values.cache.folder.empty()) return {};
  const std::filesystem::path cache = Resolved(values.cache.folder);
  const std::filesystem::path data = Resolved(values.server.data);
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
  if (what.empty()) return {};
  return Refuse(
      fmt::format("cache.folder {}{} {}, and a cache's files can be deleted at any time: name "
                  "another folder, or leave it out for {}",
                  values.cache.folder.string(), Place(settings, "cache.folder"), what,
                  (values.server.data / "cache").string()));
}

Status CheckCluster(const LoadedSettings& settings) {
  const Settings& values = settings.values;
  const ClusterSettings& cluster = values.cluster;
  if (!cluster.listen) {
    if (!cluster.address) return {};
    return Refuse(fmt::format("cluster.address{} is set, but cluster.listen is not: set both",
                              Place(settings, "cluster.address")));
  }
  std::string listen = fmt::format("cluster.listen {}{}", cluster.listen->ToString(),
                                   Place(settings, "cluster.listen"));
  if (!values.catalog.url.starts_with("postgres")) {
    return Refuse(listen +
                  " is for servers that share a PostgreSQL database: name that with catalog.url, "
                  "or leave cluster.listen out");
  }
  if (!cluster.address && cluster.listen->IsWildcard()) {
    return Refuse(listen +
                  " needs cluster.address, the HOST:PORT where the other servers reach this one");
  }
  bool taken = cluster.listen->port != 0 &&
               (*cluster.listen == values.server.listen || cluster.listen == values.metrics.listen);
  if (!taken) return {};
  return Refuse(listen + " is server.listen or metrics.listen, too: choose another port for it");
}

Status CheckMetrics(const LoadedSettings& settings) {
  const Settings& values = settings.values;
  if (!values.metrics.listen || values.metrics.listen->port == 0 ||
      *values.metrics.listen != values.server.listen) {
    return {};
  }
  return Refuse(
      fmt::format("metrics.listen{} and server.listen{} are both {}: choose another "
                  "port for one of them",
                  Place(settings, "metrics.listen"), Place(settings, "server.listen"),
                  values.server.listen.ToString()));
}

std::vector<std::string> Contradictions(const LoadedSettings& settings) {
  std::vector<std::string> found;
  for (auto* check :
       {CheckTls, CheckUrl, CheckSecret, CheckBlobs, CheckCache, CheckCluster, CheckMetrics}) {
    if (Status status = check(settings); !status) found.push_back(status.error().message);
  }
  return found;
}

constexpr UnixSeconds kDay = 24 * 60 * 60;
constexpr UnixSeconds kSoon = 14 * kDay;  // for replacing a certificate

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
  bool Given(std::string_view key) const {
    return settings_.sources[*FindSetting(key)].kind != SettingSource::Kind::kDefault;
  }
  // "tls.key (koya.toml:3)"
  std::string Named(std::string_view key) const {
    return fmt::format("{}{}", key, Place(settings_, key));
  }
  void Problem(std::string text) { findings_.problems.push_back(std::move(text)); }
  void Warn(std::string text) { findings_.warnings.push_back(std::move(text)); }
  bool IsMirrored(std::string_view host) const {
    return std::ranges::find(values_.upstream.hosts, host) != values_.upstream.hosts.end();
  }
  void CheckValidity(const X509* certificate, UnixSeconds now);

  const LoadedSettings& settings_;
  const Settings& values_;
  SettingsFindings& findings_;
};

// Seconds from `now` to `time`; 0 if the certificate's time is not one.
UnixSeconds SecondsUntil(const ASN1_TIME* time, UnixSeconds now) {
  tm broken{};
  return ASN1_TIME_to_tm(time, &broken) == 1 ? timegm(&broken) - now : 0;
}

void Adviser::CheckValidity(const X509* certificate, UnixSeconds now) {
  const std::string name = Named("tls.certificate");
  const UnixSeconds begins = SecondsUntil(X509_get0_notBefore(certificate), now);
  const UnixSeconds left = SecondsUntil(X509_get0_notAfter(certificate), now);
  if (begins > 0) {
    Problem(fmt::format("{} is valid from {} on: every client refuses it until then", name,
                        FormatRfc3339(now + begins)));
  } else if (left <= 0) {
    Problem(fmt::format("{} has expired at {}: every client refuses it", name,
                        FormatRfc3339(now + left)));
  } else if (left < kSoon) {
    Warn(fmt::format("{} expires at {}, in {} days: every client refuses it then", name,
                     FormatRfc3339(now + left), left / kDay));
  }
}

void Adviser::CheckCertificate(UnixSeconds now) {
  if (values_.tls.certificate.empty() || values_.tls.key.empty()) return;
  Result<http::TlsContextHandle> context = http::LoadTlsContext(
      {.certificate_file = values_.tls.certificate, .key_file = values_.tls.key});
  if (!context) {
    Problem(fmt::format("{} and {}: {}", Named("tls.certificate"), Named("tls.key"),
                        context.error().message));
    return;
  }
  X509* certificate = SSL_CTX_get0_certificate(context->get());
  CheckValidity(certificate, now);
  const std::string host = HostOf(values_.server.url);
  if (host.empty() || X509_check_host(certificate, host.data(), host.size(), 0, nullptr) == 1 ||
      X509_check_ip_asc(certificate, host.c_str(), 0) == 1) {
    return;
  }
  Warn(
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
    const UniqueFd opened(::open(path->c_str(), O_RDONLY | O_CLOEXEC));
    if (opened.get() >= 0) continue;
    Problem(fmt::format("{}: {} cannot be read: {}", Named(key), Printable(path->string()),
                        std::strerror(errno)));
  }
  if (Given("server.data") && values_.server.data.is_relative() &&
      settings_.sources[*FindSetting("server.data")].kind == SettingSource::Kind::kFile) {
    Warn(
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
    Warn(
        fmt::format("{} is a secret, and every user of this machine can read {}: make it readable "
                    "by the server's user only (chmod 600)",
                    Named(AllSettings()[i].key), Printable(file.string())));
  }
}

void Adviser::CheckReach() {
  const ServerSettings& server = values_.server;
  const bool local = http::IsLoopbackHost(server.listen.host);
  if (server.url.empty() && !local) {
    Warn(
        fmt::format("server.url is not set: download locations begin with {}, which clients on "
                    "other machines may not reach",
                    BaseUrl(values_, server.listen.port)));
  }
  if (server.dev && !local) {
    Warn(
        fmt::format("{} is for one machine, but {} accepts others: their clients do not know the "
                    "certificate authority that --dev creates",
                    Named("server.dev"), Named("server.listen")));
  }
  if (server.insecure_http && server.trusted_proxies.empty()) {
    Warn(
        fmt::format("{} without server.trusted_proxies: the log and the limits per address see "
                    "the proxy in place of its clients",
                    Named("server.insecure_http")));
  }
  if (server.insecure_http && !local) {
    Warn(fmt::format("{} on {}: tokens and passwords cross the network in clear text",
                     Named("server.insecure_http"), server.listen.ToString()));
  }
  if (values_.metrics.listen && values_.metrics.listen->IsWildcard()) {
    Warn(fmt::format("{}: everyone who reaches the port can read the metrics",
                     Named("metrics.listen")));
  }
}

void Adviser::CheckHosts() {
  for (const std::string& token : values_.upstream.tokens) {
    const std::string host = token.substr(0, token.find('='));
    if (IsMirrored(host)) continue;
    Warn(fmt::format("{}: {} is not in upstream.hosts, so its token is never sent",
                     Named("upstream.tokens"), Printable(host)));
  }
  for (const auto& [key, patterns] : {std::pair{"policy.allow", &values_.policy.allow},
                                      std::pair{"policy.deny", &values_.policy.deny}}) {
    for (const std::string& pattern : *patterns) {
      const std::string host = pattern.substr(0, pattern.find('/'));
      if (host.contains('*') || IsMirrored(host)) continue;
      Warn(fmt::format("{}: {} matches nothing, since {} is not in upstream.hosts", Named(key),
                       Printable(pattern), Printable(host)));
    }
  }
}

}  // namespace

Status CheckForServing(const LoadedSettings& settings) {
  const std::vector<std::string> found = Contradictions(settings);
  if (found.empty()) return {};
  return Refuse(fmt::format("{}", fmt::join(found, "\n")));
}

SettingsFindings CheckSettings(const SettingsInput& input, UnixSeconds now) {
  SettingsFindings findings;
  Result<PartlyLoadedSettings> loaded = LoadWhatIsAllowed(input);
  if (!loaded) return {.problems = {loaded.error().message}, .warnings = {}};
  findings.problems = std::move(loaded->problems);
  for (std::string& each : Contradictions(loaded->settings)) {
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
