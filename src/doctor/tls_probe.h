// A TLS handshake with a look at the certificates, as the clients verify them. Blocks.
#pragma once

#include <string>

#include "doctor/tls_rules.h"

namespace koya::doctor {

struct TrustedRoots {
  std::string ca_file;       // PEM; empty: the system's
  std::string ca_directory;  // asked too; empty: the system's
};

// Shakes hands over the connected socket `fd`, which stays the caller's, and ends TLS on it again.
// `host` as a URL has it. A roots file that cannot be read is told as a roots_failure.
TlsFacts ProbeTls(int fd, const std::string& host, const TrustedRoots& roots);

}  // namespace koya::doctor
