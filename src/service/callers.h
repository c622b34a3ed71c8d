// Modules that are published here and would miss a version of a module or provider: what their
// newest versions call, or require, as it was read.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/task.h"

namespace koya {
class Catalog;
class HostName;
class ModuleAddress;
class ProviderAddress;
struct ReadableNamespaces;
struct SearchHit;
class Version;
class WorkerPool;
}  // namespace koya

namespace koya::service {

struct ModuleCaller {
  std::string address;     // "acme/network/aws"
  std::string version;     // its newest
  std::string part;        // the folder that calls it: "modules/a"; "" for the root
  std::string constraint;  // as written; "" takes any version
  // The newest other version that would do as well; "": there is none, and it breaks.
  std::string instead;
};

struct CallerReport {
  std::vector<ModuleCaller> callers;  // those that break first, then by address
  bool more = false;                  // there are, or may be, others
};

// Threads: any.
class Callers {
 public:
  static constexpr std::size_t kMostModules = 100;  // that are looked into
  static constexpr std::size_t kMostCallers = 200;  // that are told

  // Both outlive this. `pool` decodes what was read.
  Callers(Catalog& catalog, WorkerPool& pool) : catalog_(catalog), pool_(pool) {}

  // Only what may be read is looked at. `hosts`: under which names this server's own things are
  // asked for. Fails: as the catalog; kNotFound: there is nothing of that address.
  Task<CallerReport> OfModule(ReadableNamespaces readable, std::vector<HostName> hosts,
                              ModuleAddress address, Version version);
  Task<CallerReport> OfProvider(ReadableNamespaces readable, std::vector<HostName> hosts,
                                ProviderAddress address, Version version);

 private:
  struct Thing;
  Task<CallerReport> Find(ReadableNamespaces readable, Thing thing);
  Task<void> LookInto(const Thing& thing, const SearchHit& module, CallerReport& report);

  Catalog& catalog_;
  WorkerPool& pool_;
};

}  // namespace koya::service
