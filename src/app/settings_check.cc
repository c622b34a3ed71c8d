// What settings must be when taken together.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "app/setting_table.h"
#include "app/settings.h"

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
  for (std::size_t i = 0; i < AllSettings().size(); ++i) {
    std::string_view key = AllSettings()[i].key;
    bool given = settings.sources[i].kind != SettingSource::Kind::kDefault;
    if (bucket || !given || !key.starts_with("blobs.s3.")) continue;
    return Refuse(
        fmt::format("{}{} is set, but archives are stored in the data folder: set blobs.url to "
                    "s3://BUCKET/PREFIX, or leave {} out",
                    key, Place(settings, key), key));
  }
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

}  // namespace

Status CheckForServing(const LoadedSettings& settings) {
  RETURN_IF_ERROR(CheckTls(settings));
  RETURN_IF_ERROR(CheckUrl(settings));
  RETURN_IF_ERROR(CheckSecret(settings));
  RETURN_IF_ERROR(CheckBlobs(settings));
  RETURN_IF_ERROR(CheckCache(settings));
  RETURN_IF_ERROR(CheckCluster(settings));
  const Settings& values = settings.values;
  if (values.metrics.listen && values.metrics.listen->port != 0 &&
      *values.metrics.listen == values.server.listen) {
    return Refuse(
        fmt::format("metrics.listen{} and server.listen{} are both {}: choose another "
                    "port for one of them",
                    Place(settings, "metrics.listen"), Place(settings, "server.listen"),
                    values.server.listen.ToString()));
  }
  return {};
}

std::string BaseUrl(const Settings& settings, std::uint16_t bound_port) {
  if (!settings.server.url.empty()) return settings.server.url;
  HostPort address{settings.server.listen.host, bound_port};
  // A wildcard cannot be connected to; the dev certificate covers localhost.
  if (address.IsWildcard()) address.host = "localhost";
  return (settings.server.insecure_http ? "http://" : "https://") + address.ToString();
}

}  // namespace koya
