// Certificates for a server on one machine: a local CA that is made once, and the server's own
// certificate, signed by it. ECDSA P-256, as curl, Go's TLS and browsers take them.
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

// A new CA: ten years, good for signing server certificates only. Fails: kInternal.
Result<CertifiedKey> MakeCertificateAuthority(UnixSeconds now);

// A certificate of `authority` for a server that is called by `names` (DNS names and addresses, at
// least one): 397 days, the most that browsers take. Fails: kInternal.
Result<CertifiedKey> IssueServerCertificate(const CertifiedKey& authority,
                                            const std::vector<std::string>& names, UnixSeconds now);

// Whether a CA can go on being used: a readable pair that belong together, a CA, and valid for
// longer than the server certificates it signs.
bool IsUsableAuthority(const CertifiedKey& authority, UnixSeconds now);

// Whether a server certificate can go on being used: a readable pair that belong together, signed
// by `authority`, for all of `names`, and valid for 30 days more.
bool IsUsableServerCertificate(const CertifiedKey& server, const CertifiedKey& authority,
                               const std::vector<std::string>& names, UnixSeconds now);

}  // namespace koya
