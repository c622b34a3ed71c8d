// Options for other registries: settings upstream.*, ready for use.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace koya::upstream {

struct UpstreamOptions {
  std::string user_agent = "koya";
  std::string ca_file;  // upstream.ca_file, else SSL_CERT_FILE; "" for the system's
  // For a whole metadata exchange, including the retry; for archives: maximum time without a byte.
  std::chrono::milliseconds timeout{8000};
  std::chrono::milliseconds archive_timeout{30 * 60'000};  // for a whole archive, however it flows
  std::uint64_t min_rate = 10 << 10;      // of an archive: bytes a second, over each minute; 0: any
  std::uint64_t git_memory = 1ULL << 30;  // of address space, for each git process
  // CIDRs (http::AddressRange) that may be connected to although they are private, loopback,
  // link-local, multicast, shared (100.64/10), documentation or unspecified.
  std::vector<std::string> allow_private_addresses;
  unsigned breaker_failures = 5;              // in a row, which open the circuit breaker
  std::chrono::seconds breaker_open{15};      // for this long; then one request probes the host
  std::chrono::seconds negative_ttl{10};      // how long a 404 is cached
  std::chrono::seconds discovery_ttl{600};    // how long services of a host are cached
  std::map<std::string, std::string> tokens;  // by HostName::ascii()
  // "USER:PASSWORD" by the host and port of archives, as clients take them from ~/.netrc. Of a
  // command's user only: a server has none.
  std::map<std::string, std::string> archive_logins = {};
  // "http" service and archive URLs are rejected unless this is set, which only tests do.
  bool allow_http = false;
};

}  // namespace koya::upstream
