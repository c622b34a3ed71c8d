// Server processes on a catalog, and the leases that they take.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"

namespace koya {

// A lease: the right to do work that one server at a time should do.
struct LeaseRecord {
  std::string name;       // of the work: "gc"
  std::string holder;     // random id of the process that has it
  std::string address;    // where that process is: for display, or for servers that join in
  UnixSeconds until = 0;  // by the database's clock
  friend bool operator==(const LeaseRecord&, const LeaseRecord&) = default;
};

// A server process on a catalog, as the other servers see it.
struct ReplicaRecord {
  std::string id;                // random; the holder of its leases
  std::string address;           // its public address, for display
  std::string version;           // of the program
  std::int64_t schema_step = 0;  // the last migration that the program knows
  // By the database's clock; set by the catalog, not by the server that writes the record.
  UnixSeconds started_at = 0;
  UnixSeconds seen_at = 0;
  // How long the change feed had not been confirmed when this was written.
  std::chrono::milliseconds feed_age{};
  // How far the clock of its machine was ahead of the database's.
  std::chrono::milliseconds clock_ahead{};
  // Digests (SHA-256 in hex) of settings that must be the same on all servers, by name; empty: the
  // program reports none.
  std::map<std::string, std::string> settings = {};
  friend bool operator==(const ReplicaRecord&, const ReplicaRecord&) = default;
};

// The digests of a server's settings, as ReplicaRecord::settings.
struct SharedSettings {
  std::string address;
  std::map<std::string, std::string> digests;
};
// A sentence for each setting that is not the same on all servers that report it, which names the
// servers.
std::vector<std::string> DescribeDifferences(const std::vector<SharedSettings>& servers);

}  // namespace koya
