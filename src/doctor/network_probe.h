// Resolves names and opens connections as the clients do, and records failures. Blocks.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "doctor/finding.h"

namespace koya::doctor {

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
