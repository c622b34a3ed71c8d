// Decides, for every path, which providers and modules of other registries may be pulled: settings
// upstream.hosts, policy.allow and policy.deny.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/host_name.h"
#include "policy/policy.h"

namespace koya {
struct UpstreamModule;
struct UpstreamProvider;
}  // namespace koya

namespace koya::service {

// The rules' verdict on one provider or module, and the deciding rule.
struct PullVerdict {
  enum class Kind {
    kAllowed,
    kDenied,     // by `rule` of policy.deny
    kNotListed,  // policy.allow has rules of its sort, and none of them matches
  };
  Kind kind = Kind::kAllowed;
  std::string rule;  // as it was written; "" of kNotListed, and where no rule restricts
};

class PullPolicy {
 public:
  PullPolicy() = default;  // denies nothing, and pulls from nowhere
  // Fails: kInvalid, naming the pattern.
  static Result<PullPolicy> Make(const std::vector<std::string>& allow,
                                 const std::vector<std::string>& deny,
                                 std::vector<HostName> hosts = {});

  // Deny rules come first; otherwise, if allow rules of its kind exist, one of them must match.
  // Fails: kForbidden, naming the rule and whom to ask.
  Status Check(const UpstreamProvider& provider) const;
  Status Check(const UpstreamModule& module) const;
  // As Check, but returns the verdict, for explanations.
  PullVerdict EvaluateRules(const UpstreamProvider& provider) const;
  PullVerdict EvaluateRules(const UpstreamModule& module) const;

  // The settings as rules of a policy, named as the settings.
  static constexpr std::string_view kAllowSetting = "policy.allow";
  static constexpr std::string_view kDenySetting = "policy.deny";
  std::vector<policy::Rule> Rules() const;
  // Digests of the two settings, by name, as of ReplicaRecord::settings. The order of patterns and
  // letter case mean nothing.
  std::map<std::string, std::string> SettingDigests() const;
  // The patterns, in their order.
  const std::vector<policy::PullPattern>& allow() const { return allow_; }
  const std::vector<policy::PullPattern>& deny() const { return deny_; }
  // The registries that may be pulled from.
  const std::vector<HostName>& hosts() const { return hosts_; }
  bool MayPull(const HostName& host) const;
  // Checks that `host` may be pulled from. Fails: kNotFound, naming it.
  Status CheckHost(const HostName& host, std::string_view name) const;

 private:
  PullVerdict JudgeParts(const std::vector<std::string>& parts) const;

  std::vector<policy::PullPattern> allow_;
  std::vector<policy::PullPattern> deny_;
  std::vector<HostName> hosts_;
};

}  // namespace koya::service
