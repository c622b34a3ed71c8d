#include "service/usage/callers.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/offload.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/search_index.h"
#include "domain/host_name.h"
#include "domain/module_address.h"
#include "domain/module_record.h"
#include "domain/provider_address.h"
#include "domain/provider_record.h"
#include "domain/search_query.h"
#include "domain/search_record.h"
#include "domain/usage_record.h"
#include "domain/version_constraint.h"
#include "inspect/contents.h"

namespace koya::service {

namespace {

// What one module has.
struct FoundCallers {
  std::vector<ModuleCaller> callers;
  std::uint64_t unknown = 0;
};

// Sorts the callers, and keeps the first kMostCallers.
void FinishReport(CallerReport& report) {
  std::ranges::sort(report.callers, {}, [](const ModuleCaller& each) {
    return std::make_tuple(!each.instead.empty(), each.address, each.part, each.constraint);
  });
  if (report.callers.size() <= Callers::kMostCallers) return;
  report.callers.resize(Callers::kMostCallers);
  report.more = true;
}

}  // namespace

struct Callers::Thing {
  bool module = true;
  // With each of this server's names in front: "registry.example.com/acme/vpc/aws".
  std::vector<std::string> addresses;
  std::optional<Version> version;    // the one that may be withdrawn; nullopt: any
  std::vector<Version> others = {};  // its versions that stay

  // The search for modules that depend on it under this address.
  std::string Filter(const std::string& address) const {
    return fmt::format("{}:{}", module ? "calls" : "needs", address);
  }
  bool Is(const std::string& address) const {
    return std::ranges::any_of(
        addresses, [&](const std::string& each) { return EqualsIgnoreCase(each, address); });
  }

  // What `part` asks for of it, each time it does.
  std::vector<std::string> ConstraintsIn(const inspect::ModulePart& part) const {
    std::vector<std::string> found;
    for (const inspect::ModuleCall& each : part.calls) {
      if (module && each.kind == "registry" && Is(each.address)) found.push_back(each.constraint);
    }
    for (const inspect::Requirement& each : part.requirements) {
      if (!module && Is(each.address)) found.push_back(each.constraint);
    }
    return found;
  }

  // Whether a constraint allows the version, and the other one that it would get.
  struct Need {
    bool allows_it = false;
    std::string instead = {};
  };
  // nullopt: the constraint cannot be read.
  std::optional<Need> NeedOf(const std::string& text) const {
    if (!version) return Need{.allows_it = true};
    auto constraint = VersionConstraint::Parse(
        text, module ? ConstraintStyle::kModule : ConstraintStyle::kProvider);
    if (!constraint) return std::nullopt;
    if (!constraint->Allows(*version)) return Need();
    const std::optional<Version> other = constraint->Newest(others);
    return Need{.allows_it = true, .instead = other ? other->ToString() : ""};
  }

  // Each folder and constraint once.
  FoundCallers FindIn(const inspect::ModuleContents& contents, const SearchHit& hit) const {
    FoundCallers found;
    std::set<std::pair<std::string, std::string>> told;
    auto look_at = [&](const inspect::ModulePart& part) {
      found.unknown += static_cast<std::uint64_t>(
          std::ranges::count_if(part.calls, &inspect::ModuleCall::IsUnknown));
      for (const std::string& each : ConstraintsIn(part)) {
        const std::optional<Need> need = NeedOf(each);
        if (!need) ++found.unknown;
        if (!need || !need->allows_it || !told.emplace(part.path, each).second) continue;
        found.callers.push_back({hit.address, hit.version, part.path, each, need->instead});
      }
    };
    look_at(contents.root);
    std::ranges::for_each(contents.submodules, look_at);
    return found;
  }
};

Task<CallerReport> Callers::OfModule(ReadableNamespaces readable, std::vector<HostName> hosts,
                                     ModuleAddress address, std::optional<Version> version) {
  Thing thing{.module = true, .addresses = {}, .version = std::move(version)};
  for (const HostName& host : hosts) {
    thing.addresses.push_back(host.display() + "/" + address.ToString());
  }
  ASSIGN_OR_CO_RETURN(std::vector<ModuleVersionRecord> versions,
                      co_await catalog_.ListVersions(std::move(address)));
  for (const ModuleVersionRecord& each : versions) {
    if (each.version != thing.version) thing.others.push_back(each.version);
  }
  co_return co_await FindCallers(std::move(readable), std::move(thing));
}

Task<CallerReport> Callers::OfProvider(ReadableNamespaces readable, std::vector<HostName> hosts,
                                       ProviderAddress address, std::optional<Version> version) {
  Thing thing{.module = false, .addresses = {}, .version = std::move(version)};
  for (const HostName& host : hosts) {
    thing.addresses.push_back(host.display() + "/" + address.ToString());
  }
  ASSIGN_OR_CO_RETURN(std::vector<ReleaseSummary> releases,
                      co_await catalog_.ListReleases(std::move(address)));
  for (const ReleaseSummary& each : releases) {
    if (each.version != thing.version) thing.others.push_back(each.version);
  }
  co_return co_await FindCallers(std::move(readable), std::move(thing));
}

Task<CallerReport> Callers::FindDependents(ReadableNamespaces readable, std::vector<HostName> hosts,
                                           UsageKind kind, std::string address) {
  Thing thing{.module = kind == UsageKind::kModule, .addresses = {}, .version = {}};
  for (const HostName& host : hosts) thing.addresses.push_back(host.display() + "/" + address);
  CallerReport report;
  std::set<std::string> examined;
  for (const std::string& each : thing.addresses) {
    ASSIGN_OR_CO_RETURN(const bool more,
                        co_await Examine(thing, readable, thing.Filter(each), examined, report));
    report.more = report.more || more;
  }
  report.unknown = 0;
  FinishReport(report);
  co_return report;
}

Task<CallerReport> Callers::FindCallers(ReadableNamespaces readable, Thing thing) {
  constexpr std::string_view kHere = " host:here";
  CallerReport report;
  std::set<std::string> examined;
  for (const std::string& address : thing.addresses) {
    std::string filter = thing.Filter(address).append(kHere);
    ASSIGN_OR_CO_RETURN(const bool more,
                        co_await Examine(thing, readable, std::move(filter), examined, report));
    report.more = report.more || more;
  }
  std::string unknown = fmt::format("calls:{}{}", kUnknownCall, kHere);
  ASSIGN_OR_CO_RETURN(report.unknown_more, co_await Examine(thing, std::move(readable),
                                                            std::move(unknown), examined, report));
  FinishReport(report);
  co_return report;
}

// Looks into each module that the search finds, once. Returns whether there are, or may be, others.
Task<bool> Callers::Examine(const Thing& thing, ReadableNamespaces readable, std::string filter,
                            std::set<std::string>& examined, CallerReport& report) {
  ASSIGN_OR_CO_RETURN(SearchQuery query, SearchQuery::Parse(filter + " kind:module,submodule"));
  SearchRequest request{.query = std::move(query),
                        .readable = std::move(readable),
                        .page = {.offset = 0, .limit = kMostModules}};
  ASSIGN_OR_CO_RETURN(SearchPage found, co_await catalog_.Search(std::move(request)));
  for (const SearchHit& hit : found.items) {
    if (!examined.insert(hit.address).second) continue;
    CO_RETURN_IF_ERROR(co_await LookInto(thing, hit, report));
  }
  co_return found.more || found.cut;
}

// The index may be out of date: the contents decide.
Task<void> Callers::LookInto(const Thing& thing, const SearchHit& module, CallerReport& report) {
  std::string_view name = module.address;
  if (!module.host.empty()) name.remove_prefix(module.host.size() + 1);
  ASSIGN_OR_CO_RETURN(ModuleAddress address, ModuleAddress::Parse(name));
  ASSIGN_OR_CO_RETURN(Version version, Version::Parse(module.version));
  ModuleSubject subject{
      .host = module.host, .address = std::move(address), .version = std::move(version)};
  Result<ContentsRecord> kept = co_await catalog_.FindContents(std::move(subject));
  if (!kept && kept.error().kind == ErrorKind::kNotFound) co_return Status();
  if (!kept) co_return Failure(std::move(kept).error());
  auto look = [&]() -> FoundCallers {
    const auto contents = inspect::DecodeContents(kept->body);
    if (!contents) return {};  // what another program wrote
    return thing.FindIn(*contents, module);
  };
  FoundCallers found = co_await Offload(pool_, std::move(look));
  report.unknown += found.unknown;
  for (ModuleCaller& each : found.callers) report.callers.push_back(std::move(each));
  co_return Status();
}

}  // namespace koya::service
