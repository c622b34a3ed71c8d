// Decides, for every path, which providers and modules of other registries may be pulled: settings
// upstream.hosts, policy.allow and policy.deny.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/host_name.h"

namespace koya {
struct UpstreamModule;
struct UpstreamProvider;
}  // namespace koya

namespace koya::service {

// A pattern of three parts (HOST/NAMESPACE/TYPE, providers) or four (HOST/NAMESPACE/NAME/SYSTEM,
// modules); "*" matches any run of characters within a part. Ignores letter case. Parts are
// normalised as addresses are, so that a pattern matches every spelling of a host or name.
class PullPattern {
 public:
  // Fails: kInvalid, saying what to write; also for a part that no address can have.
  static Result<PullPattern> Parse(std::string_view text);
  bool Matches(const std::vector<std::string>& parts) const;
  const std::string& text() const { return text_; }
  std::size_t size() const { return parts_.size(); }

 private:
  std::string text_;
  std::vector<std::string> parts_;
};

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

  // The rules, in their order.
  const std::vector<PullPattern>& allow() const { return allow_; }
  const std::vector<PullPattern>& deny() const { return deny_; }
  // The registries that may be pulled from.
  const std::vector<HostName>& hosts() const { return hosts_; }
  bool MayPull(const HostName& host) const;
  // Checks that `host` may be pulled from. Fails: kNotFound, naming it.
  Status CheckHost(const HostName& host, std::string_view name) const;

 private:
  PullVerdict JudgeParts(const std::vector<std::string>& parts) const;

  std::vector<PullPattern> allow_;
  std::vector<PullPattern> deny_;
  std::vector<HostName> hosts_;
};

}  // namespace koya::service
