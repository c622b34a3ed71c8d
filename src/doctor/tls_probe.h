// Performs a TLS handshake and verifies the certificates as the clients do. Blocks.
#pragma once

#include <string>

#include "doctor/tls_rules.h"

namespace koya::doctor {

struct TrustedRoots {
  std::string ca_file;       // PEM; empty: the system's
  std::string ca_directory;  // used as well; empty: the system's
};

// Performs a handshake over the connected socket `fd`, which stays the caller's, and ends TLS on it
// again. `host` as in a URL. An unreadable roots file is reported as roots_failure.
TlsFacts ProbeTls(int fd, const std::string& host, const TrustedRoots& roots);

}  // namespace koya::doctor
