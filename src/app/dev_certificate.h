// Certificates for a server on one machine: a local CA that is created once, and the server's own
// certificate, signed by it. ECDSA P-256, which curl, Go's TLS and browsers accept.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace koya {

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

}  // namespace koya
