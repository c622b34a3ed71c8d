#include "app/dev_environment.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

#include "app/dev_certificate.h"
#include "app/private_file.h"
#include "http/url.h"

namespace koya {
namespace {

constexpr mode_t kSecret = 0600;
constexpr mode_t kPublic = 0644;

Status MakeFolder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder.parent_path(), error);
  if (error) return Failure(ErrnoError("create " + folder.parent_path().string(), error.value()));
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return Failure(ErrnoError("create " + folder.string(), errno));
  }
  // It may have been made by hand, with the usual mode.
  if (::chmod(folder.c_str(), 0700) != 0) {
    return Failure(ErrnoError("chmod " + folder.string(), errno));
  }
  return {};
}

Result<CertifiedKey> ReadPair(const std::filesystem::path& certificate,
                              const std::filesystem::path& key) {
  CertifiedKey pair;
  ASSIGN_OR_RETURN(pair.certificate, ReadSmallFile(certificate));
  ASSIGN_OR_RETURN(pair.key, ReadSmallFile(key));
  return pair;
}

// Replaces the key first: if only it is replaced, the pair does not match and is made again next
// time.
Status WritePair(const CertifiedKey& pair, const std::filesystem::path& certificate,
                 const std::filesystem::path& key) {
  RETURN_IF_ERROR(WriteFileAtomically(key, pair.key, kSecret));
  return WriteFileAtomically(certificate, pair.certificate, kPublic);
}

std::vector<std::string> CertificateNames(const http::Url& url) {
  std::vector<std::string> names{"localhost", "127.0.0.1", "::1"};
  std::string host = url.host;
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  if (std::ranges::find(names, host) == names.end()) names.push_back(host);
  return names;
}

// In single quotes, for a POSIX shell.
std::string ShellQuoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string EnvironmentText(const DevPaths& paths, const DevAccess& access) {
  std::string text = fmt::format(
      "# Written by `koya serve --dev` when it starts. Use it: . {}\n"
      "export SSL_CERT_FILE={}\nexport KOYA_URL={}\nexport KOYA_TOKEN={}\n",
      ShellQuoted(paths.environment.string()), ShellQuoted(paths.ca_certificate.string()),
      ShellQuoted(access.url), ShellQuoted(access.token));
  if (!access.metrics_url.empty()) {
    text += fmt::format("export KOYA_METRICS={}\n", ShellQuoted(access.metrics_url));
  }
  return text;
}

// The names under which clients on this machine know the server. Clients refuse a credentials
// block for an IPv6 address.
std::vector<std::string> CredentialHosts(const http::Url& url) {
  std::vector<std::string> hosts;
  if (!url.host.starts_with('[')) hosts.push_back(url.Authority());
  if (!http::IsLoopbackHost(url.host)) return hosts;
  std::string port = url.port.empty() ? "" : ":" + url.port;
  for (std::string name : {"127.0.0.1" + port, "localhost" + port}) {
    if (std::ranges::find(hosts, name) == hosts.end()) hosts.push_back(std::move(name));
  }
  return hosts;
}

std::string ClientConfigurationText(const http::Url& url, const std::string& token) {
  std::string text =
      "# Written by `koya serve --dev` when it starts. Use it: export TF_CLI_CONFIG_FILE=…/"
      "client.tfrc\n";
  for (const std::string& host : CredentialHosts(url)) {
    text += fmt::format("credentials \"{}\" {{\n  token = \"{}\"\n}}\n", host, token);
  }
  return text;
}

}  // namespace

DevPaths::DevPaths(const std::filesystem::path& data)
    : folder(std::filesystem::absolute(data).lexically_normal() / "dev"),
      ca_certificate(folder / "ca.pem"),
      ca_key(folder / "ca.key"),
      certificate(folder / "server.pem"),
      key(folder / "server.key"),
      admin_token(folder / "admin.token"),
      environment(folder / "env"),
      client_configuration(folder / "client.tfrc") {}

Status EnsureDevCertificates(const DevPaths& paths, std::string_view url, const Clock& clock) {
  ASSIGN_OR_RETURN(http::Url parsed, http::ParseUrl(url));
  RETURN_IF_ERROR(MakeFolder(paths.folder));
  UnixSeconds now = clock.Now();
  ASSIGN_OR_RETURN(CertifiedKey authority, ReadPair(paths.ca_certificate, paths.ca_key));
  if (!IsUsableAuthority(authority, now)) {
    ASSIGN_OR_RETURN(authority, MakeCertificateAuthority(now));
    RETURN_IF_ERROR(WritePair(authority, paths.ca_certificate, paths.ca_key));
  }
  std::vector<std::string> names = CertificateNames(parsed);
  ASSIGN_OR_RETURN(CertifiedKey server, ReadPair(paths.certificate, paths.key));
  if (IsUsableServerCertificate(server, authority, names, now)) return {};
  ASSIGN_OR_RETURN(server, IssueServerCertificate(authority, names, now));
  return WritePair(server, paths.certificate, paths.key);
}

Result<std::string> ReadDevToken(const DevPaths& paths) {
  ASSIGN_OR_RETURN(std::string token, ReadSmallFile(paths.admin_token));
  token.erase(token.find_last_not_of("\r\n \t") + 1);
  return token;
}

Status WriteDevFiles(const DevPaths& paths, const DevAccess& access) {
  ASSIGN_OR_RETURN(http::Url url, http::ParseUrl(access.url));
  RETURN_IF_ERROR(MakeFolder(paths.folder));
  RETURN_IF_ERROR(WriteFileAtomically(paths.admin_token, access.token + "\n", kSecret));
  RETURN_IF_ERROR(WriteFileAtomically(paths.environment, EnvironmentText(paths, access), kSecret));
  return WriteFileAtomically(paths.client_configuration, ClientConfigurationText(url, access.token),
                             kSecret);
}

}  // namespace koya
