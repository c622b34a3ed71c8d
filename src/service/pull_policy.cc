#include "service/pull_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/glob.h"
#include "base/text.h"

namespace koya::service {
namespace {

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t end = std::min(text.find('/', begin), text.size());
    parts.push_back(AsciiLower(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

Result<std::vector<PullPattern>> ParseAll(const std::vector<std::string>& texts) {
  std::vector<PullPattern> patterns;
  for (const std::string& text : texts) {
    ASSIGN_OR_RETURN(PullPattern pattern, PullPattern::Parse(text));
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

}  // namespace

Result<PullPattern> PullPattern::Parse(std::string_view text) {
  PullPattern pattern;
  pattern.text_ = text;
  pattern.parts_ = Split(text);
  bool whole = std::ranges::none_of(pattern.parts_, &std::string::empty);
  if ((pattern.parts_.size() == 3 || pattern.parts_.size() == 4) && whole && IsPlainText(text)) {
    return pattern;
  }
  return Fail(ErrorKind::kInvalid,
              fmt::format("\"{}\" is not a pattern of what may be pulled: write "
                          "HOST/NAMESPACE/TYPE for providers or HOST/NAMESPACE/NAME/SYSTEM for "
                          "modules, with \"*\" for any characters",
                          Printable(text, 80)));
}

bool PullPattern::Matches(const std::vector<std::string>& parts) const {
  return std::ranges::equal(parts_, parts, MatchesGlob);
}

Result<PullPolicy> PullPolicy::Make(const std::vector<std::string>& allow,
                                    const std::vector<std::string>& deny) {
  PullPolicy policy;
  ASSIGN_OR_RETURN(policy.allow_, ParseAll(allow));
  ASSIGN_OR_RETURN(policy.deny_, ParseAll(deny));
  return policy;
}

Status PullPolicy::Check(const UpstreamProvider& provider) const {
  return CheckParts({provider.host.ascii(), provider.address.ns(), provider.address.type()},
                    provider.Key());
}

Status PullPolicy::Check(const UpstreamModule& module) const {
  return CheckParts(Split(module.Key()), module.Key());
}

Status PullPolicy::CheckParts(std::vector<std::string> parts, std::string_view name) const {
  auto matches = [&parts](const PullPattern& pattern) { return pattern.Matches(parts); };
  auto denied = std::ranges::find_if(deny_, matches);
  if (denied != deny_.end()) {
    return Fail(ErrorKind::kForbidden,
                fmt::format("{} is not mirrored here: the rule policy.deny \"{}\" forbids it; ask "
                            "the administrators of this registry",
                            name, denied->text()));
  }
  // Rules for providers say nothing of modules, and the other way round.
  auto same_sort = [&parts](const PullPattern& pattern) { return pattern.size() == parts.size(); };
  if (std::ranges::none_of(allow_, same_sort) || std::ranges::any_of(allow_, matches)) return {};
  return Fail(ErrorKind::kForbidden,
              fmt::format("{} is not mirrored here: no rule of policy.allow lets it through; ask "
                          "the administrators of this registry",
                          name));
}

}  // namespace koya::service
