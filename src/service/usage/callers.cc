#include "service/usage/callers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
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
#include "domain/version_constraint.h"
#include "inspect/contents_json.h"

namespace koya::service {

// What may be withdrawn.
struct Callers::Thing {
  bool module = true;
  // With each of this server's names in front: "registry.example.com/acme/vpc/aws".
  std::vector<std::string> addresses;
  Version version;
  std::vector<Version> others = {};  // its versions that stay

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

  // What a constraint would take; nothing when it does not take the version.
  std::optional<std::string> Instead(const std::string& text) const {
    auto constraint = VersionConstraint::Parse(
        text, module ? ConstraintStyle::kModule : ConstraintStyle::kProvider);
    if (!constraint || !constraint->Allows(version)) return std::nullopt;
    const std::optional<Version> other = constraint->Newest(others);
    return other ? other->ToString() : "";
  }

  // Each folder and constraint once.
  std::vector<ModuleCaller> CallersIn(const inspect::ModuleContents& contents,
                                      const SearchHit& hit) const {
    std::vector<ModuleCaller> found;
    std::set<std::pair<std::string, std::string>> told;
    auto look_at = [&](const inspect::ModulePart& part) {
      for (const std::string& each : ConstraintsIn(part)) {
        const std::optional<std::string> instead = Instead(each);
        if (!instead || !told.emplace(part.path, each).second) continue;
        found.push_back({hit.address, hit.version, part.path, each, *instead});
      }
    };
    look_at(contents.root);
    std::ranges::for_each(contents.submodules, look_at);
    return found;
  }
};

Task<CallerReport> Callers::OfModule(ReadableNamespaces readable, std::vector<HostName> hosts,
                                     ModuleAddress address, Version version) {
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
                                       ProviderAddress address, Version version) {
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

Task<CallerReport> Callers::FindCallers(ReadableNamespaces readable, Thing thing) {
  CallerReport report;
  std::set<std::string> seen;
  for (const std::string& address : thing.addresses) {
    ASSIGN_OR_CO_RETURN(SearchQuery query,
                        SearchQuery::Parse(fmt::format("{}:{} kind:module,submodule host:here",
                                                       thing.module ? "calls" : "needs", address)));
    SearchRequest request{.query = std::move(query),
                          .readable = readable,
                          .page = {.offset = 0, .limit = kMostModules}};
    ASSIGN_OR_CO_RETURN(SearchPage found, co_await catalog_.Search(std::move(request)));
    report.more = report.more || found.more || found.cut;
    for (const SearchHit& hit : found.items) {
      if (!seen.insert(hit.address).second) continue;
      CO_RETURN_IF_ERROR(co_await LookInto(thing, hit, report));
    }
  }
  std::ranges::sort(report.callers, {}, [](const ModuleCaller& each) {
    return std::make_tuple(!each.instead.empty(), each.address, each.part, each.constraint);
  });
  if (report.callers.size() > kMostCallers) {
    report.callers.resize(kMostCallers);
    report.more = true;
  }
  co_return report;
}

// The index may be out of date: the contents decide.
Task<void> Callers::LookInto(const Thing& thing, const SearchHit& module, CallerReport& report) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address, ModuleAddress::Parse(module.address));
  ASSIGN_OR_CO_RETURN(Version version, Version::Parse(module.version));
  ModuleSubject subject{.host = {}, .address = std::move(address), .version = std::move(version)};
  Result<ContentsRecord> kept = co_await catalog_.FindContents(std::move(subject));
  if (!kept && kept.error().kind == ErrorKind::kNotFound) co_return Status();
  if (!kept) co_return Failure(std::move(kept).error());
  auto look = [&]() -> std::vector<ModuleCaller> {
    const auto contents = inspect::DecodeContents(kept->body);
    if (!contents) return {};  // what another program wrote
    return thing.CallersIn(*contents, module);
  };
  std::vector<ModuleCaller> found = co_await Offload(pool_, std::move(look));
  for (ModuleCaller& each : found) report.callers.push_back(std::move(each));
  co_return Status();
}

}  // namespace koya::service
