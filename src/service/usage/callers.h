// Finds the modules published here that depend on a version of a module or provider: the newest
// version of each calls or requires it, according to its analysis.
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
  std::string version;     // its newest version
  std::string part;        // the folder that calls it: "modules/a"; "" for the root
  std::string constraint;  // as written; "" takes any version
  // The newest other version that satisfies the constraint; "": none does, and the caller breaks.
  std::string instead;
};

struct CallerReport {
  std::vector<ModuleCaller> callers;  // those that break first, then by address
  bool more = false;                  // others exist, or may exist
};

// Threads: any.
class Callers {
 public:
  static constexpr std::size_t kMostModules = 100;  // examined
  static constexpr std::size_t kMostCallers = 200;  // reported

  // Both must outlive this. `pool` decodes the stored contents.
  Callers(Catalog& catalog, WorkerPool& pool) : catalog_(catalog), pool_(pool) {}

  // Considers only modules that the caller may read. `hosts`: the names of this server in module
  // and provider addresses. Fails: as the catalog; kNotFound: nothing has that address.
  Task<CallerReport> OfModule(ReadableNamespaces readable, std::vector<HostName> hosts,
                              ModuleAddress address, Version version);
  Task<CallerReport> OfProvider(ReadableNamespaces readable, std::vector<HostName> hosts,
                                ProviderAddress address, Version version);

 private:
  struct Thing;
  Task<CallerReport> FindCallers(ReadableNamespaces readable, Thing thing);
  Task<void> LookInto(const Thing& thing, const SearchHit& module, CallerReport& report);

  Catalog& catalog_;
  WorkerPool& pool_;
};

}  // namespace koya::service
