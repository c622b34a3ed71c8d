#include "service/mirror/pull_policy.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/glob.h"
#include "base/text.h"
#include "domain/upstream_record.h"

namespace koya::service {
namespace {

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t end = std::min(text.find('/', begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool IsAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// What a part of a pattern is compared with is normal: so must the part be.
using Normalize = Result<std::string> (*)(std::string_view);

Result<std::string> NormalHost(std::string_view part) {
  ASSIGN_OR_RETURN(HostName host, HostName::ParseWire(part));
  return host.ascii();
}

// Letter case is ignored anyhow.
Result<std::string> NormalProviderNamespace(std::string_view part) {
  return IsAscii(part) ? std::string(part) : NormalizeProviderNamespace(part);
}

Result<std::string> NormalProviderType(std::string_view part) {
  return IsAscii(part) ? std::string(part) : NormalizeProviderType(part);
}

Result<std::string> NormalModulePart(std::string_view part) {
  if (IsAscii(part)) return std::string(part);
  return FailInvalid("a module cannot be named \"{}\": names consist of ASCII letters",
                     Printable(part, 80));
}

// What the letters beside a "*" become depends on those that it stands for, so they must be as
// they will be compared.
Result<std::string> NormalPart(std::string_view part, Normalize normalize) {
  if (!part.contains('*')) return normalize(part);
  if (IsAscii(part)) return std::string(part);
  std::string sample(part);
  std::ranges::replace(sample, '*', 'a');
  Result<std::string> normal = normalize(sample);
  if (normal && *normal == sample) return std::string(part);
  return FailInvalid(
      "\"{}\" has a \"*\": write the rest of it as it is compared, in lower "
      "case, and a host name in punycode (xn--…)",
      Printable(part, 80));
}

Result<std::vector<PullPattern>> ParseAll(const std::vector<std::string>& texts) {
  std::vector<PullPattern> patterns;
  for (const std::string& text : texts) {
    ASSIGN_OR_RETURN(PullPattern pattern, PullPattern::Parse(text));
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

Result<PullPattern> PullPattern::Parse(std::string_view text) {
  PullPattern pattern;
  pattern.text_ = text;
  pattern.parts_ = Split(text);
  bool whole = std::ranges::none_of(pattern.parts_, &std::string::empty);
  std::size_t size = pattern.parts_.size();
  if ((size != 3 && size != 4) || !whole || !IsPlainText(text)) {
    return FailInvalid(
        "\"{}\" is not a pattern for the mirror: write HOST/NAMESPACE/TYPE for providers or "
        "HOST/NAMESPACE/NAME/SYSTEM for modules, with \"*\" for any characters",
        Printable(text, 80));
  }
  constexpr std::array<Normalize, 3> kOfProvider{NormalHost, NormalProviderNamespace,
                                                 NormalProviderType};
  constexpr std::array<Normalize, 4> kOfModule{NormalHost, NormalModulePart, NormalModulePart,
                                               NormalModulePart};
  for (std::size_t i = 0; i < size; ++i) {
    std::string& part = pattern.parts_[i];
    Result<std::string> normal = NormalPart(part, size == 3 ? kOfProvider[i] : kOfModule[i]);
    if (!normal) {
      return FailInvalid("the pattern \"{}\" would match nothing: {}", Printable(text, 80),
                         normal.error().message);
    }
    part = *std::move(normal);
  }
  return pattern;
}

bool PullPattern::Matches(const std::vector<std::string>& parts) const {
  return std::ranges::equal(parts_, parts, MatchesGlob);
}

Result<PullPolicy> PullPolicy::Make(const std::vector<std::string>& allow,
                                    const std::vector<std::string>& deny,
                                    std::vector<HostName> hosts) {
  PullPolicy policy;
  policy.hosts_ = std::move(hosts);
  ASSIGN_OR_RETURN(policy.allow_, ParseAll(allow));
  ASSIGN_OR_RETURN(policy.deny_, ParseAll(deny));
  return policy;
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
  return JudgeParts(Split(module.Key()));
}

PullVerdict PullPolicy::JudgeParts(const std::vector<std::string>& parts) const {
  auto matches = [&parts](const PullPattern& pattern) { return pattern.Matches(parts); };
  auto denied = std::ranges::find_if(deny_, matches);
  if (denied != deny_.end()) return {PullVerdict::Kind::kDenied, denied->text()};
  // Rules for providers say nothing of modules, and the other way round.
  auto same_sort = [&parts](const PullPattern& pattern) { return pattern.size() == parts.size(); };
  if (std::ranges::none_of(allow_, same_sort)) return {};
  auto allowed = std::ranges::find_if(allow_, matches);
  if (allowed == allow_.end()) return {PullVerdict::Kind::kNotListed, ""};
  return {PullVerdict::Kind::kAllowed, allowed->text()};
}

}  // namespace koya::service
