#include "service/mirror/pull_policy.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "domain/digest.h"
#include "domain/upstream_record.h"

namespace koya::service {
namespace {

Result<std::vector<policy::PullPattern>> ParseAll(const std::vector<std::string>& texts) {
  std::vector<policy::PullPattern> patterns;
  for (const std::string& text : texts) {
    ASSIGN_OR_RETURN(policy::PullPattern pattern, policy::PullPattern::Parse(text));
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

Status StatusOf(const PullVerdict& verdict, std::string_view name) {
  switch (verdict.kind) {
    case PullVerdict::Kind::kAllowed:
      return {};
    case PullVerdict::Kind::kDenied:
      return FailForbidden(
          "{} is not mirrored here: the rule policy.deny \"{}\" forbids it; ask "
          "the administrators of this registry",
          name, verdict.rule);
    case PullVerdict::Kind::kNotListed:
      break;
  }
  return FailForbidden(
      "{} is not mirrored here: no rule of policy.allow allows it; ask the "
      "administrators of this registry",
      name);
}

}  // namespace

Result<PullPolicy> PullPolicy::Make(const std::vector<std::string>& allow,
                                    const std::vector<std::string>& deny,
                                    std::vector<HostName> hosts) {
  PullPolicy policy;
  policy.hosts_ = std::move(hosts);
  ASSIGN_OR_RETURN(policy.allow_, ParseAll(allow));
  ASSIGN_OR_RETURN(policy.deny_, ParseAll(deny));
  return policy;
}

std::map<std::string, std::string> PullPolicy::SettingDigests() const {
  auto digest = [](const std::vector<policy::PullPattern>& patterns) {
    std::set<std::string> texts;
    for (const policy::PullPattern& each : patterns) texts.insert(AsciiLower(each.text()));
    std::string text;
    for (const std::string& each : texts) text += each + "\n";
    return Digest::Of(text).hex();
  };
  return {{std::string(kAllowSetting), digest(allow_)}, {std::string(kDenySetting), digest(deny_)}};
}

std::vector<policy::Rule> PullPolicy::Rules() const {
  std::vector<policy::Rule> rules;
  auto add = [&rules](std::string_view name, policy::Condition condition,
                      const std::vector<policy::PullPattern>& patterns) {
    if (patterns.empty()) return;
    rules.push_back({.name = std::string(name),
                     .condition = condition,
                     .match = patterns,
                     .except = {},
                     .admitted = policy::AdmittedEffect::kRefuse});
  };
  add(kAllowSetting, policy::Condition::kOnly, allow_);
  add(kDenySetting, policy::Condition::kDeny, deny_);
  return rules;
}

bool PullPolicy::MayPull(const HostName& host) const {
  return std::ranges::find(hosts_, host) != hosts_.end();
}

Status PullPolicy::CheckHost(const HostName& host, std::string_view name) const {
  if (MayPull(host)) return {};
  return FailNotFound(
      "{} is not mirrored here, and pulling from its registry is not allowed (upstream.hosts)",
      name);
}

Status PullPolicy::Check(const UpstreamProvider& provider) const {
  return StatusOf(EvaluateRules(provider), provider.Key());
}

Status PullPolicy::Check(const UpstreamModule& module) const {
  return StatusOf(EvaluateRules(module), module.Key());
}

PullVerdict PullPolicy::EvaluateRules(const UpstreamProvider& provider) const {
  return JudgeParts({provider.host.ascii(), provider.address.ns(), provider.address.type()});
}

PullVerdict PullPolicy::EvaluateRules(const UpstreamModule& module) const {
  return JudgeParts(policy::AddressParts(module.Key()));
}

PullVerdict PullPolicy::JudgeParts(const std::vector<std::string>& parts) const {
  auto matches = [&parts](const policy::PullPattern& pattern) { return pattern.Matches(parts); };
  auto denied = std::ranges::find_if(deny_, matches);
  if (denied != deny_.end()) return {PullVerdict::Kind::kDenied, denied->text()};
  // Rules for providers say nothing of modules, and the other way round.
  auto same_sort = [&parts](const policy::PullPattern& pattern) {
    return pattern.size() == parts.size();
  };
  if (std::ranges::none_of(allow_, same_sort)) return {};
  auto allowed = std::ranges::find_if(allow_, matches);
  if (allowed == allow_.end()) return {PullVerdict::Kind::kNotListed, ""};
  return {PullVerdict::Kind::kAllowed, allowed->text()};
}

}  // namespace koya::service
