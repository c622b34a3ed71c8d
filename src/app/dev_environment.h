// The files of `koya serve --dev` in DIR/dev/, with which clients on the same machine can use the
// server at once. The folder has mode 0700; everything in it is replaced atomically.
//
//   ca.pem, ca.key           the local CA; made once
//   server.pem, server.key   the server's certificate; renewed when necessary
//   admin.token              an admin token (0600)
//   env                      shell lines: SSL_CERT_FILE, KOYA_URL, KOYA_TOKEN, KOYA_METRICS
//   client.tfrc              a CLI configuration for tofu and terraform with the token
//
// One server at a time. All functions block.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace koya {

// Certificates for a server on one machine: a local CA that is created once, and the server's own
// certificate, signed by it. ECDSA P-256, which curl, Go's TLS and browsers accept.

// A certificate and its private key, both PEM.
struct CertifiedKey {
  std::string certificate;
  std::string key;

  friend bool operator==(const CertifiedKey&, const CertifiedKey&) = default;
};

// Creates a CA: valid for ten years, for signing server certificates only. Fails: kInternal.
Result<CertifiedKey> MakeCertificateAuthority(UnixSeconds now);

// Issues a certificate of `authority` for a server with these `names` (DNS names and addresses, at
// least one). It is valid for 397 days, the most that browsers accept. Fails: kInternal.
Result<CertifiedKey> IssueServerCertificate(const CertifiedKey& authority,
                                            const std::vector<std::string>& names, UnixSeconds now);

// True if a CA is still usable: readable, certificate and key match, a CA, and valid for longer
// than the server certificates that it signs.
bool IsUsableAuthority(const CertifiedKey& authority, UnixSeconds now);

// True if a server certificate is still usable: readable, certificate and key match, signed by
// `authority`, for all of `names`, and valid for 30 more days.
bool IsUsableServerCertificate(const CertifiedKey& server, const CertifiedKey& authority,
                               const std::vector<std::string>& names, UnixSeconds now);

// Absolute paths.
struct DevPaths {
  // Paths below the data folder `data`, which may be relative to the working folder.
  explicit DevPaths(const std::filesystem::path& data);

  std::filesystem::path folder;
  std::filesystem::path ca_certificate;
  std::filesystem::path ca_key;
  std::filesystem::path certificate;
  std::filesystem::path key;
  std::filesystem::path admin_token;
  std::filesystem::path environment;
  std::filesystem::path client_configuration;
};

// Creates the folder, the CA and the server's certificate where they are missing, damaged, about to
// expire, or (the certificate) not for the host of `url`. The certificate also covers localhost,
// 127.0.0.1 and ::1. Fails: kInvalid (`url`), kStorageFull, kInternal.
Status EnsureDevCertificates(const DevPaths& paths, std::string_view url, const Clock& clock);

// The content of admin.token without its newline; "" if there is no file. Fails: kInternal.
Result<std::string> ReadDevToken(const DevPaths& paths);

struct DevAccess {
  std::string url;          // what clients use: "https://127.0.0.1:8443"
  std::string token;        // an admin token
  std::string metrics_url;  // "http://127.0.0.1:40001"; empty: there is no such listener
};
// Writes admin.token, env and client.tfrc. Fails: kInvalid (the URL), kStorageFull, kInternal.
Status WriteDevFiles(const DevPaths& paths, const DevAccess& access);

}  // namespace koya
