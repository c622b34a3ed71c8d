// Finds the modules that depend on a module or provider, or on a version of it: the newest version
// of each calls or requires it, according to its analysis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/task.h"

namespace koya {
class Catalog;
class HostName;
class ModuleAddress;
class ProviderAddress;
enum class UsageKind : std::int64_t;
struct ReadableNamespaces;
struct SearchHit;
class Version;
class WorkerPool;
}  // namespace koya

namespace koya::service {

struct ModuleCaller {
  std::string address;     // "acme/network/aws"; mirrored "registry.example.org/acme/network/aws"
  std::string version;     // its newest version
  std::string part;        // the folder that calls it: "modules/a"; "" for the root
  std::string constraint;  // as written; "" takes any version
  // The newest other version that satisfies the constraint; "": none does, and the caller breaks,
  // or no version was given.
  std::string instead;
};

struct CallerReport {
  std::vector<ModuleCaller> callers;  // those that break first, then by address
  bool more = false;                  // others exist, or may exist
  // Calls in modules that may depend on it: the source is an expression, and so may be any module;
  // or they call it with a constraint that cannot be read, such as an expression.
  std::uint64_t unknown = 0;
  bool unknown_more = false;  // as `more`
};

// Threads: any.
class Callers {
 public:
  static constexpr std::size_t kMostModules = 100;  // examined
  static constexpr std::size_t kMostCallers = 200;  // reported

  // Both must outlive this. `pool` decodes the stored contents.
  Callers(Catalog& catalog, WorkerPool& pool) : catalog_(catalog), pool_(pool) {}

  // Consider only modules published here that the caller may read. `hosts`: the names of this
  // server in module and provider addresses. `version`: nullopt for those that depend on any
  // version. Fails: as the catalog; kNotFound: nothing has that address.
  Task<CallerReport> OfModule(ReadableNamespaces readable, std::vector<HostName> hosts,
                              ModuleAddress address, std::optional<Version> version);
  Task<CallerReport> OfProvider(ReadableNamespaces readable, std::vector<HostName> hosts,
                                ProviderAddress address, std::optional<Version> version);
  // Those of any version, mirrored modules included; unknown calls are not counted. `kind`:
  // kModule or kProvider; `address`: published here, "acme/vpc/aws", "acme/demo".
  Task<CallerReport> FindDependents(ReadableNamespaces readable, std::vector<HostName> hosts,
                                    UsageKind kind, std::string address);

 private:
  struct Thing;
  Task<CallerReport> FindCallers(ReadableNamespaces readable, Thing thing);
  Task<bool> Examine(const Thing& thing, ReadableNamespaces readable, std::string filter,
                     std::set<std::string>& examined, CallerReport& report);
  Task<void> LookInto(const Thing& thing, const SearchHit& module, CallerReport& report);

  Catalog& catalog_;
  WorkerPool& pool_;
};

}  // namespace koya::service
