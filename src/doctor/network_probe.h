// Resolves names, opens connections, performs TLS handshakes and verifies certificates as the
// clients do, and records failures. Blocks.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "doctor/finding.h"
#include "doctor/tls_rules.h"

namespace koya::doctor {

struct TrustedRoots {
  std::string ca_file;       // PEM; empty: the system's
  std::string ca_directory;  // used as well; empty: the system's
};

// Performs a handshake over the connected socket `fd`, which stays the caller's, and ends TLS on it
// again. `host` as in a URL. An unreadable roots file is reported as roots_failure.
TlsFacts ProbeTls(int fd, const std::string& host, const TrustedRoots& roots);

struct ConnectionFacts {
  std::string address;  // "192.0.2.1", "[2001:db8::1]"
  std::string failure;  // empty: connected
};

struct NetworkFacts {
  std::string host;
  std::uint16_t port = 0;
  std::string lookup_failure;  // empty: the name has addresses
  std::vector<ConnectionFacts> connections;
};

struct NetworkProbe {
  NetworkFacts facts;
  UniqueFd connection;  // the first that was opened, in blocking mode with `timeout` on reads
};

// `host` as in a URL: a name, an IPv4 address, or an IPv6 address in brackets.
NetworkProbe ProbeNetwork(const std::string& host, std::uint16_t port,
                          std::chrono::seconds timeout);

// Pure.
Findings JudgeNetwork(const NetworkFacts& facts);

}  // namespace koya::doctor
