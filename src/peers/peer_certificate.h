// Makes the certificate by which a server authenticates itself to the others of its cluster.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace koya::peers {

struct PeerCertificate {
  std::string certificate;  // PEM
  std::string key;          // PEM
  std::string pin;          // "sha256//BASE64" of the public key
};

// The same secret always gives the same key and pin. Fails: kInternal.
Result<PeerCertificate> MakePeerCertificate(std::string_view server_secret);

}  // namespace koya::peers
