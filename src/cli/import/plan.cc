#include "cli/import/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "domain/module_address.h"
#include "domain/name_rules.h"
#include "domain/provider_address.h"
#include "upstream/modules/registry_modules.h"

namespace koya::cli {
namespace {

std::vector<std::string> PartsOf(std::string_view address) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = address.find('/');
    parts.emplace_back(address.substr(0, end));
    if (end == address.npos) return parts;
    address.remove_prefix(end + 1);
  }
}

bool HasStar(const std::string& part) { return part.ends_with('*'); }

std::ptrdiff_t StarsOf(const std::vector<std::string>& parts) {
  return std::ranges::count_if(parts, HasStar);
}

// The texts that the stars of `pattern` stand for; nullopt: it does not fit.
std::optional<std::vector<std::string>> MatchParts(const std::vector<std::string>& pattern,
                                                   const std::vector<std::string>& address) {
  const bool takes_rest = pattern.back() == "*" && pattern.size() <= address.size();
  if (!takes_rest && pattern.size() != address.size()) return std::nullopt;
  std::vector<std::string> stars;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (takes_rest && i + 1 == pattern.size()) {
      stars.push_back(fmt::format(
          "{}", fmt::join(address.begin() + static_cast<std::ptrdiff_t>(i), address.end(), "/")));
    } else if (HasStar(pattern[i])) {
      const std::string_view begin = std::string_view(pattern[i]).substr(0, pattern[i].size() - 1);
      if (!address[i].starts_with(begin)) return std::nullopt;
      stars.push_back(address[i].substr(begin.size()));
    } else if (pattern[i] != address[i]) {
      return std::nullopt;
    }
  }
  return stars;
}

Status CheckPatterns(const std::vector<std::string>& patterns, std::string_view rule) {
  for (const std::string& part : patterns) {
    const std::size_t star = part.find('*');
    if (part.empty() || (star != part.npos && star + 1 != part.size())) {
      return FailInvalid(
          "--map \"{}\": a part of an address is a name, or ends in \"*\": 'platform/*=acme/*'",
          Printable(rule));
    }
  }
  return {};
}

// The key under which the target has a package, and "" with the reason in `why` if it cannot.
std::string KeyOnTarget(bool is_module, const std::string& theirs, const std::string& ours,
                        std::string& why) {
  if (is_module) {
    const Result<ModuleAddress> address = ModuleAddress::Parse(ours);
    if (!address) return why = address.error().message, "";
    why = ReservedReason(*address);
    if (why.empty() && IsReservedNamespace(address->ns()))
      why =
          fmt::format("the namespace \"{}\" is reserved: choose another with --map", address->ns());
    return why.empty() ? "module " + address->Key() : "";
  }
  const Result<ProviderAddress> address = ProviderAddress::Parse(ours);
  if (!address) return why = address.error().message, "";
  why = ReservedReason(*address);
  const std::vector<std::string> before = PartsOf(theirs);
  if (why.empty() && !EqualsIgnoreCase(before.back(), address->type()))
    why = fmt::format("its signed files are named \"{}\": a provider's type cannot change",
                      before.back());
  if (why.empty() && IsReservedNamespace(address->ns()))
    why = fmt::format("the namespace \"{}\" is reserved: choose another with --map", address->ns());
  return why.empty() ? "provider " + address->ToString() : "";
}

std::string NamedAs(const PlannedPackage& package) {
  return package.theirs == package.ours ? package.theirs
                                        : fmt::format("{} (here {})", package.theirs, package.ours);
}

// Takes the versions that the target can have, ascending; the others are refused.
void PlanVersions(std::vector<wire::ListedVersion> listed, PlannedPackage& package,
                  std::vector<RefusedImport>& refused) {
  std::map<std::string, std::vector<PlannedVersion>> by_precedence;
  for (wire::ListedVersion& each : listed) {
    Result<Version> version = Version::Parse(each.version);
    if (!version) {
      const std::optional<Version> read = upstream::CanonicalVersion(each.version);
      refused.push_back(
          {package.theirs, each.version,
           fmt::format("{}{}", version.error().message,
                       read ? fmt::format(" (clients read it as {})", read->ToString()) : "")});
      continue;
    }
    std::vector<PlannedVersion>& same = by_precedence[version->PrecedenceKey()];
    const bool repeated = std::ranges::find(same, *version, &PlannedVersion::version) != same.end();
    if (!repeated) same.push_back({*std::move(version), std::move(each)});
  }
  for (auto& [key, same] : by_precedence) {
    if (same.size() == 1) {
      package.versions.push_back(std::move(same.front()));
      continue;
    }
    std::vector<std::string> names;
    for (const PlannedVersion& each : same) names.push_back(each.version.ToString());
    for (const std::string& name : names) {
      refused.push_back({package.theirs, name,
                         fmt::format("{} differ only in build metadata, which clients ignore",
                                     fmt::join(names, " and "))});
    }
  }
  std::ranges::sort(package.versions, {}, &PlannedVersion::version);
}

}  // namespace

Status AddressMap::Add(std::string_view rule) {
  const std::size_t equals = rule.find('=');
  Rule added;
  if (equals != rule.npos) {
    added.theirs = PartsOf(rule.substr(0, equals));
    added.ours = PartsOf(rule.substr(equals + 1));
  }
  if (equals == rule.npos || StarsOf(added.theirs) != StarsOf(added.ours)) {
    return FailInvalid(
        "--map \"{}\": write 'THEIRS=OURS' with as many \"*\" on both sides: 'platform/*=acme/*'",
        Printable(rule));
  }
  RETURN_IF_ERROR(CheckPatterns(added.theirs, rule));
  RETURN_IF_ERROR(CheckPatterns(added.ours, rule));
  rules_.push_back(std::move(added));
  return {};
}

std::string AddressMap::Apply(std::string_view theirs) const {
  const std::vector<std::string> parts = PartsOf(theirs);
  for (const Rule& rule : rules_) {
    const auto stars = MatchParts(rule.theirs, parts);
    if (!stars) continue;
    std::vector<std::string> ours = rule.ours;
    auto star = stars->begin();
    for (std::string& part : ours) {
      if (HasStar(part)) part.replace(part.size() - 1, 1, *star++);
    }
    return fmt::format("{}", fmt::join(ours, "/"));
  }
  return std::string(theirs);
}

std::vector<wire::ListedPackage> JoinPackages(std::vector<wire::ListedPackage> listed) {
  std::map<std::pair<bool, std::string>, std::size_t> places;
  std::vector<wire::ListedPackage> joined;
  for (wire::ListedPackage& each : listed) {
    auto [place, is_new] = places.try_emplace({each.is_module, each.address}, joined.size());
    if (is_new) {
      joined.push_back(std::move(each));
      continue;
    }
    std::vector<wire::ListedVersion>& versions = joined[place->second].versions;
    std::ranges::move(each.versions, std::back_inserter(versions));
  }
  return joined;
}

ImportPlan PlanImport(std::vector<wire::ListedPackage> listed, const AddressMap& map) {
  ImportPlan plan;
  std::map<std::string, std::vector<std::pair<PlannedPackage, wire::ListedPackage>>> by_key;
  for (wire::ListedPackage& each : listed) {
    PlannedPackage package{
        .is_module = each.is_module, .theirs = each.address, .ours = map.Apply(each.address)};
    std::string why;
    const std::string key = KeyOnTarget(package.is_module, package.theirs, package.ours, why);
    if (key.empty()) {
      plan.refused.push_back({std::move(package.theirs), "", std::move(why)});
    } else {
      by_key[key].emplace_back(std::move(package), std::move(each));
    }
  }
  for (auto& [key, same] : by_key) {
    if (same.size() == 1) {
      PlanVersions(std::move(same.front().second.versions), same.front().first, plan.refused);
      plan.packages.push_back(std::move(same.front().first));
      continue;
    }
    std::vector<std::string> names;
    for (const auto& [package, unused] : same) names.push_back(NamedAs(package));
    plan.clashes.push_back(fmt::format("{}", fmt::join(names, " and ")));
    for (const auto& [package, unused] : same) {
      plan.refused.push_back(
          {package.theirs, "",
           fmt::format("{} would be one {} here: rename one of them with --map",
                       plan.clashes.back(), package.is_module ? "module" : "provider")});
    }
  }
  return plan;
}

}  // namespace koya::cli
