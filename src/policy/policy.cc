#include "policy/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "domain/host_name.h"
#include "domain/provider_address.h"

namespace koya::policy {
namespace {

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

}  // namespace

std::vector<std::string> AddressParts(std::string_view key) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= key.size();) {
    std::size_t end = std::min(key.find('/', begin), key.size());
    parts.emplace_back(key.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

Result<PullPattern> PullPattern::Parse(std::string_view text) {
  PullPattern pattern;
  pattern.text_ = text;
  pattern.parts_ = AddressParts(text);
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

namespace {

bool MatchesAny(const std::vector<PullPattern>& patterns, const std::vector<std::string>& parts) {
  return std::ranges::any_of(patterns,
                             [&](const PullPattern& each) { return each.Matches(parts); });
}

// A rule of patterns for providers says nothing of modules, and the other way round.
bool IsOfSort(const Rule& rule, std::size_t parts) {
  return std::ranges::any_of(rule.match,
                             [&](const PullPattern& each) { return each.size() == parts; });
}

bool Concerns(const Rule& rule, const Version& version) {
  if (!rule.versions || rule.versions->Allows(version)) return true;
  // "< 2.0" does not allow 1.9.0-rc1 in a configuration, but a rule about 1.9.0 means it, too.
  if (!version.is_prerelease()) return false;
  const Result<Version> release =
      Version::Parse(fmt::format("{}.{}.{}", version.major(), version.minor(), version.patch()));
  return release && rule.versions->Allows(*release);
}

Verdict VerdictOnAdmitted(const Rule& rule, Verdict otherwise) {
  switch (rule.admitted) {
    case AdmittedEffect::kKeep:
      return Verdict::kAllow;
    case AdmittedEffect::kNote:
      return Verdict::kNote;
    case AdmittedEffect::kRefuse:
      break;
  }
  return otherwise;
}

bool HasLessProof(const Proof& proof, const Proof& before) {
  if (!before.key.empty() && proof.key != before.key) return true;
  return !std::ranges::includes(proof.attachments, before.attachments);
}

bool Stops(const Rule& rule, const Facts& facts) {
  switch (rule.condition) {
    case Condition::kDeny:
      return true;
    case Condition::kPrereleases:
      return facts.version.is_prerelease();
    case Condition::kSignature:
      return facts.proof && facts.proof->key.empty();
    case Condition::kPinnedKey:
      return facts.proof && (facts.proof->key.empty() || !facts.key_known);
    case Condition::kNoLessProof:
      return facts.proof && facts.proof_before && HasLessProof(*facts.proof, *facts.proof_before);
    case Condition::kMinimumAge:  // by its time
    case Condition::kOnly:        // by its group
      break;
  }
  return false;
}

bool IsOn(const Rule& rule, Way way) { return way == Way::kPull ? rule.on_pull : rule.on_import; }

bool Refuses(Condition condition) {
  return condition == Condition::kDeny || condition == Condition::kOnly ||
         condition == Condition::kPrereleases;
}

void TakeEarlier(std::optional<UnixSeconds>& earliest, UnixSeconds time) {
  if (!earliest || time < *earliest) earliest = time;
}

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kAllow:
      return "allow";
    case Verdict::kNote:
      return "note";
    case Verdict::kHold:
      return "hold";
    case Verdict::kRefuse:
      break;
  }
  return "refuse";
}

const std::vector<std::string>& Policy::PublicRegistries() {
  static const std::vector<std::string> hosts{"registry.opentofu.org", "registry.terraform.io"};
  return hosts;
}

Policy::Policy(std::vector<Rule> rules, std::vector<Exception> exceptions,
               std::vector<std::string> believed)
    : rules_(std::move(rules)), exceptions_(std::move(exceptions)), believed_(std::move(believed)) {
  std::ranges::sort(rules_, {}, &Rule::name);
  // The one that lifts longest comes first, whatever the order in the file.
  std::ranges::sort(exceptions_, [](const Exception& a, const Exception& b) {
    return std::tie(b.until, a.reason) < std::tie(a.until, b.reason);
  });
}

Policy Policy::With(std::vector<Rule> rules) const {
  rules.insert(rules.end(), rules_.begin(), rules_.end());
  return Policy(std::move(rules), exceptions_, believed_);
}

AddressPolicy Policy::ForAddress(std::string_view key) const {
  const std::vector<std::string> parts = AddressParts(key);
  AddressPolicy out;
  for (const Rule& rule : rules_) {
    const bool matches = MatchesAny(rule.match, parts) && !MatchesAny(rule.except, parts);
    if (rule.condition != Condition::kOnly) {
      if (matches) out.rules_.push_back(&rule);
    } else if (IsOfSort(rule, parts.size())) {
      out.only_.rules.push_back(&rule);
      if (matches) out.only_.matching.push_back(&rule);
    }
  }
  for (const Exception& exception : exceptions_) {
    if (MatchesAny(exception.match, parts)) out.exceptions_.push_back(&exception);
  }
  auto is_host = [&](const std::string& host) { return host == parts.front(); };
  out.believes_registry_ =
      std::ranges::any_of(PublicRegistries(), is_host) || std::ranges::any_of(believed_, is_host);
  return out;
}

bool AddressPolicy::AllowsAll() const {
  auto allows_all = [](const Rule* rule) {
    return !rule->versions && rule->on_pull && rule->on_import;
  };
  return rules_.empty() && (only_.rules.empty() || std::ranges::any_of(only_.matching, allows_all));
}

bool AddressPolicy::has_age_rules() const {
  return std::ranges::count(rules_, Condition::kMinimumAge, &Rule::condition) > 0;
}

bool AddressPolicy::has_key_rules() const {
  return std::ranges::count(rules_, Condition::kPinnedKey, &Rule::condition) > 0;
}

Judgement AddressPolicy::Judge(const Facts& facts, UnixSeconds now) const {
  Judgement out;
  out.reasons.reserve(rules_.size() + 1);
  bool ends = true;  // all holds end by themselves
  auto add = [&](Reason reason) {
    Lift(reason, facts, now, out);
    if (reason.verdict != Verdict::kAllow && reason.until)
      TakeEarlier(out.changes_at, *reason.until);
    if (reason.verdict == Verdict::kHold) {
      ends = ends && reason.until.has_value();
      if (reason.until) out.until = std::max(out.until.value_or(0), *reason.until);
    }
    out.verdict = std::max(out.verdict, reason.verdict);
    out.reasons.push_back(reason);
  };
  std::optional<Reason> only = JudgeOnly(facts);
  for (const Rule* rule : rules_) {
    if (only && only->rule->name < rule->name) add(*std::exchange(only, std::nullopt));
    if (IsOn(*rule, facts.way) && Concerns(*rule, facts.version)) {
      add(JudgeRule(*rule, facts, now));
    }
  }
  if (only) add(*only);
  out.changed = facts.changed && !facts.admitted;
  if (out.changed) out.verdict = Verdict::kRefuse;
  if (out.verdict != Verdict::kHold || !ends) out.until.reset();
  return out;
}

Reason AddressPolicy::JudgeRule(const Rule& rule, const Facts& facts, UnixSeconds now) const {
  Reason reason{.rule = &rule};
  if (rule.condition == Condition::kMinimumAge) {
    reason.from_registry =
        facts.stated && believes_registry_ && rule.age_by_registry && *facts.stated <= facts.seen;
    reason.from = reason.from_registry ? *facts.stated : facts.seen;
    reason.until = *reason.from + rule.minimum_age.count();
    if (*reason.until > now) reason.verdict = Verdict::kHold;
  } else if (Stops(rule, facts)) {
    reason.verdict = Refuses(rule.condition) ? Verdict::kRefuse : Verdict::kHold;
  }
  if (facts.admitted && reason.verdict != Verdict::kAllow) {
    reason.verdict = VerdictOnAdmitted(rule, reason.verdict);
  }
  return reason;
}

std::optional<Reason> AddressPolicy::JudgeOnly(const Facts& facts) const {
  const Rule* first = nullptr;
  const Rule* strictest = nullptr;  // on admitted releases
  for (const Rule* rule : only_.rules) {
    if (!IsOn(*rule, facts.way)) continue;
    if (first == nullptr) first = rule;
    if (strictest == nullptr || rule->admitted > strictest->admitted) strictest = rule;
    const bool matches = std::ranges::find(only_.matching, rule) != only_.matching.end();
    if (matches && Concerns(*rule, facts.version)) return Reason{.rule = rule};
  }
  if (first == nullptr) return std::nullopt;
  const Verdict verdict =
      facts.admitted ? VerdictOnAdmitted(*strictest, Verdict::kRefuse) : Verdict::kRefuse;
  return Reason{.rule = first, .verdict = verdict};
}

void AddressPolicy::Lift(Reason& reason, const Facts& facts, UnixSeconds now,
                         Judgement& judgement) const {
  if (reason.verdict == Verdict::kAllow) return;
  const Exception* exception = FindException(reason, facts.version, now);
  if (exception == nullptr) return;
  reason.lifted_by = exception;
  reason.verdict = Verdict::kAllow;
  TakeEarlier(judgement.changes_at,
              std::min(exception->until, reason.until.value_or(exception->until)));
}

const Exception* AddressPolicy::FindException(const Reason& reason, const Version& version,
                                              UnixSeconds now) const {
  auto found = std::ranges::find_if(exceptions_, [&](const Exception* each) {
    return each->until > now &&
           std::ranges::find(each->versions, version) != each->versions.end() &&
           Names(*each, *reason.rule);
  });
  return found == exceptions_.end() ? nullptr : *found;
}

bool AddressPolicy::Names(const Exception& exception, const Rule& rule) const {
  auto named = [&](const Rule& each) {
    return std::ranges::find(exception.rules, each.name) != exception.rules.end();
  };
  if (rule.condition != Condition::kOnly) return named(rule);
  return std::ranges::any_of(only_.rules, [&](const Rule* each) { return named(*each); });
}

const Rule* AddressPolicy::FindDenial(UnixSeconds now, Way way) const {
  auto lifted = [&](const Rule& rule) {
    return std::ranges::any_of(exceptions_, [&](const Exception* each) {
      return each->until > now && Names(*each, rule);
    });
  };
  auto denies = [&](const Rule& rule) {
    return rule.admitted == AdmittedEffect::kRefuse && IsOn(rule, way) && !lifted(rule);
  };
  for (const Rule* rule : rules_) {
    if (rule->condition == Condition::kDeny && !rule->versions && denies(*rule)) return rule;
  }
  const bool listed = only_.rules.empty() || !only_.matching.empty();
  if (!listed &&
      std::ranges::any_of(only_.rules, [&](const Rule* each) { return denies(*each); })) {
    return only_.rules.front();
  }
  return nullptr;
}

}  // namespace koya::policy
