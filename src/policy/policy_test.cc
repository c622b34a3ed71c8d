#include "policy/policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace koya::policy {
namespace {

constexpr UnixSeconds kDay = 86'400;
constexpr UnixSeconds kNow = 1'800'000'000;
constexpr const char* kAws = "registry.opentofu.org/hashicorp/aws";
constexpr const char* kVpc = "registry.opentofu.org/acme/vpc/aws";

std::vector<PullPattern> Patterns(std::initializer_list<const char*> texts) {
  std::vector<PullPattern> out;
  for (const char* text : texts) out.push_back(*PullPattern::Parse(text));
  return out;
}

Rule MakeRule(std::string name, Condition condition) {
  return {.name = std::move(name), .condition = condition, .match = Patterns({"*/*/*", "*/*/*/*"})};
}

Rule Age(std::string name, int days) {
  Rule rule = MakeRule(std::move(name), Condition::kMinimumAge);
  rule.minimum_age = std::chrono::days(days);
  return rule;
}

Facts At(const char* version, UnixSeconds seen) {
  return {.version = *Version::Parse(version), .seen = seen};
}

Judgement JudgeBy(const Policy& policy, const Facts& facts, UnixSeconds now = kNow,
                  std::string_view key = kAws) {
  Judgement judgement = policy.ForAddress(key).Judge(facts, now);
  return judgement;
}

// ---- every condition × every fact that it looks at × admitted × what it does to that

enum class ProofOf { kUnknown, kNone, kKnownKey, kNewKey };
enum class Before { kNone, kUnsigned, kSigned, kAttested };

// The verdict by the words of the design, written apart from Judge.
Verdict Expected(Condition condition, bool prerelease, ProofOf proof, Before before, bool young) {
  const bool known = proof != ProofOf::kUnknown;
  switch (condition) {
    case Condition::kDeny:
      return Verdict::kRefuse;
    case Condition::kOnly:
      return Verdict::kAllow;
    case Condition::kPrereleases:
      return prerelease ? Verdict::kRefuse : Verdict::kAllow;
    case Condition::kMinimumAge:
      return young ? Verdict::kHold : Verdict::kAllow;
    case Condition::kSignature:
      return proof == ProofOf::kNone ? Verdict::kHold : Verdict::kAllow;
    case Condition::kPinnedKey:
      return known && proof != ProofOf::kKnownKey ? Verdict::kHold : Verdict::kAllow;
    case Condition::kNoLessProof:
      break;
  }
  if (!known || before == Before::kNone) return Verdict::kAllow;
  // No release of this table has an attachment.
  if (before == Before::kAttested) return Verdict::kHold;
  if (before == Before::kSigned && proof != ProofOf::kKnownKey) return Verdict::kHold;
  return Verdict::kAllow;
}

Facts FactsOf(bool prerelease, ProofOf proof, Before before, bool young, bool admitted) {
  Facts facts = At(prerelease ? "2.0.0-rc1" : "2.0.0", kNow - (young ? 2 : 30) * kDay);
  facts.admitted = admitted;
  if (proof == ProofOf::kNone) facts.proof = Proof{};
  if (proof == ProofOf::kKnownKey) facts.proof = Proof{.key = "AAAA"};
  if (proof == ProofOf::kNewKey) facts.proof = Proof{.key = "BBBB"};
  facts.key_known = proof == ProofOf::kKnownKey;
  if (before == Before::kUnsigned) facts.proof_before = Proof{};
  if (before == Before::kSigned) facts.proof_before = Proof{.key = "AAAA"};
  if (before == Before::kAttested) {
    facts.proof_before = Proof{.key = "AAAA", .attachments = {"sigstore.json"}};
  }
  return facts;
}

constexpr Condition kConditions[] = {
    Condition::kMinimumAge, Condition::kDeny,      Condition::kOnly,       Condition::kPrereleases,
    Condition::kSignature,  Condition::kPinnedKey, Condition::kNoLessProof};
constexpr AdmittedEffect kEffects[] = {AdmittedEffect::kKeep, AdmittedEffect::kNote,
                                       AdmittedEffect::kRefuse};

// Calls `visit` with all facts of the table.
template <class Visit>
void ForAllFacts(Visit visit) {
  for (const bool prerelease : {false, true}) {
    for (const ProofOf proof :
         {ProofOf::kUnknown, ProofOf::kNone, ProofOf::kKnownKey, ProofOf::kNewKey}) {
      for (const Before before :
           {Before::kNone, Before::kUnsigned, Before::kSigned, Before::kAttested}) {
        for (const bool young : {false, true}) visit(prerelease, proof, before, young);
      }
    }
  }
}

TEST(PolicyTable, EveryConditionOnAllFacts) {
  int allowed = 0;
  int stopped = 0;
  for (const Condition condition : kConditions) {
    for (const AdmittedEffect effect : kEffects) {
      Rule rule = MakeRule("rule", condition);
      rule.minimum_age = std::chrono::days(7);
      rule.admitted = effect;
      const Policy policy({rule}, {}, {});
      ForAllFacts([&](bool prerelease, ProofOf proof, Before before, bool young) {
        const Verdict fresh = Expected(condition, prerelease, proof, before, young);
        Verdict admitted = fresh;
        if (fresh != Verdict::kAllow && effect == AdmittedEffect::kKeep) admitted = Verdict::kAllow;
        if (fresh != Verdict::kAllow && effect == AdmittedEffect::kNote) admitted = Verdict::kNote;
        for (const bool is_admitted : {false, true}) {
          const Judgement judgement =
              JudgeBy(policy, FactsOf(prerelease, proof, before, young, is_admitted));
          const Verdict expected = is_admitted ? admitted : fresh;
          EXPECT_EQ(judgement.verdict, expected)
              << "condition " << static_cast<int>(condition) << " prerelease " << prerelease
              << " proof " << static_cast<int>(proof) << " before " << static_cast<int>(before)
              << " young " << young << " admitted " << is_admitted;
          ASSERT_EQ(judgement.reasons.size(), 1U);
          EXPECT_EQ(judgement.Admits(), expected < Verdict::kHold);
          const bool ends = expected == Verdict::kHold && condition == Condition::kMinimumAge;
          EXPECT_EQ(judgement.until.has_value(), ends);
          ++(judgement.Admits() ? allowed : stopped);
        }
      });
    }
  }
  EXPECT_GE(allowed, 200);
  EXPECT_GE(stopped, 200);
}

// ---- ages

TEST(PolicyAge, CountsFromTheEarlierOfFirstSightAndABelievedStatement) {
  struct Row {
    const char* key;
    UnixSeconds seen;
    std::optional<UnixSeconds> stated;
    bool by_registry;  // of the rule
    UnixSeconds from;
    bool from_registry;
  };
  const UnixSeconds old = kNow - 30 * kDay;
  const Row rows[] = {
      {kAws, kNow - 100, std::nullopt, true, kNow - 100, false},
      {kAws, kNow - 100, old, true, old, true},
      {"registry.terraform.io/hashicorp/aws", kNow - 100, old, true, old, true},
      {kAws, kNow - 100, old, false, kNow - 100, false},
      {"registry.example/hashicorp/aws", kNow - 100, old, true, kNow - 100, false},
      {"believed.example/hashicorp/aws", kNow - 100, old, true, old, true},
      // A statement that lies after the first sight, or in the future, makes nothing younger.
      {kAws, old, kNow - 100, true, old, false},
      {kAws, kNow - 100, kNow + kDay, true, kNow - 100, false},
      {kAws, kNow - 100, kNow - 100, true, kNow - 100, true},
      {kVpc, kNow - 100, old, true, old, true},
  };
  for (const Row& row : rows) {
    Rule rule = Age("cool-down", 7);
    rule.age_by_registry = row.by_registry;
    const Policy policy({rule}, {}, {"believed.example"});
    Facts facts = At("6.1.0", row.seen);
    facts.stated = row.stated;
    const Judgement judgement = JudgeBy(policy, facts, kNow, row.key);
    ASSERT_EQ(judgement.reasons.size(), 1U);
    EXPECT_EQ(judgement.reasons[0].from, row.from) << row.key;
    EXPECT_EQ(judgement.reasons[0].from_registry, row.from_registry) << row.key;
    EXPECT_EQ(judgement.reasons[0].until, row.from + 7 * kDay) << row.key;
    EXPECT_EQ(judgement.verdict, row.from == old ? Verdict::kAllow : Verdict::kHold) << row.key;
  }
}

TEST(PolicyAge, EndsToTheSecond) {
  const Policy policy({Age("a", 7), Age("b", 3)}, {}, {});
  const Facts facts = At("6.1.0", kNow);
  const Judgement held = JudgeBy(policy, facts, kNow + 7 * kDay - 1);
  EXPECT_EQ(held.verdict, Verdict::kHold);
  EXPECT_EQ(held.until, kNow + 7 * kDay);
  EXPECT_EQ(held.changes_at, kNow + 7 * kDay);
  EXPECT_EQ(JudgeBy(policy, facts, kNow).changes_at, kNow + 3 * kDay) << "the first that ends";
  EXPECT_EQ(JudgeBy(policy, facts, kNow).until, kNow + 7 * kDay) << "all have ended";
  const Judgement allowed = JudgeBy(policy, facts, kNow + 7 * kDay);
  EXPECT_EQ(allowed.verdict, Verdict::kAllow);
  EXPECT_EQ(allowed.until, std::nullopt);
  EXPECT_EQ(allowed.changes_at, std::nullopt);
}

TEST(PolicyAge, AHoldThatNeverEndsHasNoEndBesideOneThatDoes) {
  const Policy policy({Age("age", 7), MakeRule("signed", Condition::kSignature)}, {}, {});
  Facts facts = At("6.1.0", kNow);
  facts.proof = Proof{};
  const Judgement held = JudgeBy(policy, facts);
  EXPECT_EQ(held.verdict, Verdict::kHold);
  EXPECT_EQ(held.until, std::nullopt);
  EXPECT_EQ(held.changes_at, kNow + 7 * kDay);
  EXPECT_EQ(held.reasons.size(), 2U);
}

// ---- what a rule concerns

TEST(PolicyRules, ConcernWhatTheyMatch) {
  struct Row {
    std::vector<PullPattern> match;
    std::vector<PullPattern> except;
    const char* versions;  // nullptr: all
    bool aws_1_9, aws_2_0_rc, aws_2_0, vpc_2_0;
  };
  const Row rows[] = {
      {Patterns({"*/*/*", "*/*/*/*"}), {}, nullptr, true, true, true, true},
      {Patterns({"*/*/*"}), {}, nullptr, true, true, true, false},
      {Patterns({"*/*/*/*"}), {}, nullptr, false, false, false, true},
      {Patterns({"*/hashicorp/*"}), Patterns({"*/*/aws"}), nullptr, false, false, false, false},
      {Patterns({"*/hashicorp/*"}), Patterns({"*/*/google"}), nullptr, true, true, true, false},
      {Patterns({"other.example/*/*"}), {}, nullptr, false, false, false, false},
      {Patterns({"*/*/*", "*/*/*/*"}), {}, "< 2.0.0", true, false, false, false},
      {Patterns({"*/*/*", "*/*/*/*"}), {}, ">= 2.0.0", false, true, true, true},
      {Patterns({"*/*/*", "*/*/*/*"}), {}, "= 2.0.0-rc1", false, true, false, false},
      {Patterns({"*/*/*", "*/*/*/*"}), {}, "~> 1.8", true, false, false, false},
  };
  for (const Row& row : rows) {
    Rule rule = MakeRule("deny", Condition::kDeny);
    rule.match = row.match;
    rule.except = row.except;
    if (row.versions != nullptr) rule.versions = *VersionConstraint::Parse(row.versions);
    const Policy policy({rule}, {}, {});
    const char* words = row.versions == nullptr ? "all" : row.versions;
    EXPECT_EQ(!JudgeBy(policy, At("1.9.0", 0)).Admits(), row.aws_1_9) << words;
    EXPECT_EQ(!JudgeBy(policy, At("2.0.0-rc1", 0)).Admits(), row.aws_2_0_rc) << words;
    EXPECT_EQ(!JudgeBy(policy, At("2.0.0", 0)).Admits(), row.aws_2_0) << words;
    EXPECT_EQ(!JudgeBy(policy, At("2.0.0", 0), kNow, kVpc).Admits(), row.vpc_2_0) << words;
  }
}

TEST(PolicyRules, ConcernTheWaysThatTheyName) {
  for (const bool pull : {false, true}) {
    for (const bool import : {false, true}) {
      for (const Condition condition : {Condition::kDeny, Condition::kOnly}) {
        Rule rule = MakeRule("rule", condition);
        if (condition == Condition::kOnly) rule.match = Patterns({"*/other/*"});
        rule.on_pull = pull;
        rule.on_import = import;
        const Policy policy({rule}, {}, {});
        Facts facts = At("1.0.0", 0);
        EXPECT_EQ(JudgeBy(policy, facts).Admits(), !pull);
        facts.way = Way::kImport;
        EXPECT_EQ(JudgeBy(policy, facts).Admits(), !import);
      }
    }
  }
}

TEST(PolicyRules, AllowListsOfASortAreOneRule) {
  Rule ours = MakeRule("ours", Condition::kOnly);
  ours.match = Patterns({"*/acme/*"});
  Rule clouds = MakeRule("clouds", Condition::kOnly);
  clouds.match = Patterns({"*/hashicorp/aws"});
  clouds.versions = *VersionConstraint::Parse(">= 5.0");
  const Policy policy({ours, clouds}, {}, {});
  const Judgement matched = JudgeBy(policy, At("6.0.0", 0));
  EXPECT_EQ(matched.verdict, Verdict::kAllow);
  ASSERT_EQ(matched.reasons.size(), 1U);
  EXPECT_EQ(matched.reasons[0].rule->name, "clouds");
  const Judgement other_version = JudgeBy(policy, At("4.9.0", 0));
  EXPECT_EQ(other_version.verdict, Verdict::kRefuse);
  EXPECT_EQ(other_version.reasons[0].rule->name, "clouds") << "the first by name speaks for all";
  EXPECT_EQ(JudgeBy(policy, At("1.0.0", 0), kNow, "registry.opentofu.org/other/x").verdict,
            Verdict::kRefuse);
  EXPECT_EQ(JudgeBy(policy, At("1.0.0", 0), kNow, "registry.opentofu.org/acme/x").verdict,
            Verdict::kAllow);
  EXPECT_TRUE(JudgeBy(policy, At("1.0.0", 0), kNow, kVpc).reasons.empty()) << "another sort";
  // An exception that names one of them lifts them together.
  const Policy lifted({ours, clouds},
                      {{.rules = {"ours"},
                        .match = Patterns({"*/hashicorp/aws"}),
                        .versions = {*Version::Parse("4.9.0")},
                        .until = kNow + 1,
                        .reason = "x"}},
                      {});
  EXPECT_EQ(JudgeBy(lifted, At("4.9.0", 0)).verdict, Verdict::kAllow);
  EXPECT_EQ(JudgeBy(lifted, At("4.8.0", 0)).verdict, Verdict::kRefuse);
}

TEST(PolicyRules, ADeniedAddressHasNoVersionsAtAll) {
  Rule deny = MakeRule("deny", Condition::kDeny);
  deny.match = Patterns({"*/hashicorp/*"});
  deny.admitted = AdmittedEffect::kRefuse;
  auto denial = [](const Policy& policy, const char* key = kAws) {
    return policy.ForAddress(key).FindDenial(kNow) != nullptr;
  };
  EXPECT_TRUE(denial(Policy({deny}, {}, {})));
  EXPECT_FALSE(denial(Policy({deny}, {}, {}), "registry.opentofu.org/acme/demo"));
  EXPECT_FALSE(denial(Policy({deny}, {}, {}), kVpc));
  Rule some = deny;
  some.versions = *VersionConstraint::Parse("< 5.0");
  EXPECT_FALSE(denial(Policy({some}, {}, {})));
  Rule keeps = deny;
  keeps.admitted = AdmittedEffect::kKeep;
  EXPECT_FALSE(denial(Policy({keeps}, {}, {}))) << "what was admitted stays";
  Rule imports = deny;
  imports.on_pull = false;
  EXPECT_FALSE(denial(Policy({imports}, {}, {})));
  Exception exception{.rules = {"deny"},
                      .match = Patterns({"*/hashicorp/aws"}),
                      .versions = {*Version::Parse("5.0.0")},
                      .until = kNow + 1,
                      .reason = "x"};
  EXPECT_FALSE(denial(Policy({deny}, {exception}, {}))) << "one version is excepted";
  exception.until = kNow;
  EXPECT_TRUE(denial(Policy({deny}, {exception}, {}))) << "the exception has ended";
  Rule only = MakeRule("only", Condition::kOnly);
  only.match = Patterns({"*/acme/*"});
  EXPECT_FALSE(denial(Policy({only}, {}, {}))) << "what was admitted stays";
  only.admitted = AdmittedEffect::kRefuse;
  EXPECT_TRUE(denial(Policy({only}, {}, {})));
  EXPECT_FALSE(denial(Policy({only}, {}, {}), "registry.opentofu.org/acme/demo"));
  EXPECT_EQ(Policy().ForAddress(kAws).FindDenial(kNow), nullptr);
}

// ---- exceptions

TEST(PolicyExceptions, LiftTheNamedRulesForExactVersionsUntilTheyEnd) {
  struct Row {
    std::vector<std::string> rules;
    const char* match;
    const char* version;
    UnixSeconds until;
    bool lifts;
  };
  const Row rows[] = {
      {{"cool-down"}, "*/hashicorp/aws", "6.1.1", kNow + kDay, true},
      {{"other", "cool-down"}, "*/hashicorp/aws", "6.1.1", kNow + kDay, true},
      {{"cool-down"}, "*/*/*", "6.1.1", kNow + 1, true},
      {{"other"}, "*/hashicorp/aws", "6.1.1", kNow + kDay, false},
      {{"cool-down"}, "*/hashicorp/google", "6.1.1", kNow + kDay, false},
      {{"cool-down"}, "*/*/*/*", "6.1.1", kNow + kDay, false},
      {{"cool-down"}, "*/hashicorp/aws", "6.1.2", kNow + kDay, false},
      {{"cool-down"}, "*/hashicorp/aws", "6.1.1-rc1", kNow + kDay, false},
      {{"cool-down"}, "*/hashicorp/aws", "6.1.1", kNow, false},
      {{"cool-down"}, "*/hashicorp/aws", "6.1.1", kNow - kDay, false},
  };
  for (const Row& row : rows) {
    const Policy policy({Age("cool-down", 7), Age("other", 0)},
                        {{.rules = row.rules,
                          .match = Patterns({row.match}),
                          .versions = {*Version::Parse(row.version)},
                          .until = row.until,
                          .reason = "fixes a hole"}},
                        {});
    const Judgement judgement = JudgeBy(policy, At("6.1.1", kNow - kDay));
    EXPECT_EQ(judgement.verdict, row.lifts ? Verdict::kAllow : Verdict::kHold) << row.match;
    const Reason& reason = judgement.reasons.at(0);
    EXPECT_EQ(reason.rule->name, "cool-down");
    EXPECT_EQ(reason.lifted_by != nullptr, row.lifts) << row.match;
    EXPECT_EQ(judgement.changes_at,
              row.lifts ? std::min(row.until, kNow + 6 * kDay) : kNow + 6 * kDay);
  }
}

// ---- properties, on random policies

class RandomPolicies : public testing::TestWithParam<unsigned> {
 protected:
  unsigned Pick(unsigned below) { return static_cast<unsigned>(random_() % below); }

  Rule RandomRule(int number) {
    Rule rule =
        MakeRule("rule-" + std::to_string(number), kConditions[Pick(std::size(kConditions))]);
    if (Pick(3) == 0) rule.match = Patterns({"*/hashicorp/*"});
    if (Pick(4) == 0) rule.except = Patterns({"*/hashicorp/aws"});
    if (Pick(4) == 0) rule.versions = *VersionConstraint::Parse(Pick(2) == 0 ? "< 2.0" : ">= 2.0");
    rule.minimum_age = std::chrono::days(Pick(40));
    rule.age_by_registry = Pick(2) == 0;
    rule.admitted = kEffects[Pick(3)];
    return rule;
  }

  Exception RandomException(const std::vector<Rule>& rules) {
    return {.rules = {rules[Pick(static_cast<unsigned>(rules.size()))].name},
            .match = Patterns({Pick(2) == 0 ? "*/*/*" : "*/hashicorp/aws"}),
            .versions = {*Version::Parse(Pick(2) == 0 ? "2.0.0" : "2.0.0-rc1")},
            .until = kNow + static_cast<UnixSeconds>(Pick(3)) * kDay - kDay / 2,
            .reason = std::to_string(Pick(1000))};
  }

  // Calls `visit` with the judgements of two policies on the same facts.
  template <class Visit>
  static void Compare(const Policy& a, const Policy& b, Visit visit) {
    ForAllFacts([&](bool prerelease, ProofOf proof, Before before, bool young) {
      for (const bool admitted : {false, true}) {
        const Facts facts = FactsOf(prerelease, proof, before, young, admitted);
        visit(JudgeBy(a, facts), JudgeBy(b, facts));
      }
    });
  }

  std::mt19937 random_{GetParam()};
};

TEST_P(RandomPolicies, OrderMeansNothingARuleTightensAnExceptionLoosens) {
  std::vector<Rule> rules;
  for (int i = 0; i < 1 + static_cast<int>(Pick(6)); ++i) rules.push_back(RandomRule(i));
  std::vector<Exception> exceptions;
  for (unsigned i = Pick(4); i > 0; --i) exceptions.push_back(RandomException(rules));
  const Policy policy(rules, exceptions, {});

  std::vector<Rule> shuffled = rules;
  std::ranges::shuffle(shuffled, random_);
  std::vector<Exception> others = exceptions;
  std::ranges::shuffle(others, random_);
  Compare(policy, Policy(shuffled, others, {}), [](const Judgement& a, const Judgement& b) {
    EXPECT_EQ(a.verdict, b.verdict);
    EXPECT_EQ(a.until, b.until);
    EXPECT_EQ(a.changes_at, b.changes_at);
    ASSERT_EQ(a.reasons.size(), b.reasons.size());
    for (std::size_t i = 0; i < a.reasons.size(); ++i) {
      EXPECT_EQ(a.reasons[i].rule->name, b.reasons[i].rule->name);
      EXPECT_EQ(a.reasons[i].verdict, b.reasons[i].verdict);
    }
  });

  Rule more = RandomRule(100);
  // A further allow-list belongs to the one rule that they are together: it widens that one.
  if (more.condition == Condition::kOnly) more.condition = Condition::kDeny;
  std::vector<Rule> with_more = rules;
  with_more.push_back(more);
  Compare(policy, Policy(with_more, exceptions, {}), [](const Judgement& a, const Judgement& b) {
    EXPECT_GE(b.verdict, a.verdict);
    if (a.verdict == Verdict::kHold && b.verdict == Verdict::kHold && b.until) {
      ASSERT_TRUE(a.until);
      EXPECT_GE(*b.until, *a.until);
    }
  });

  std::vector<Exception> with_exception = exceptions;
  with_exception.push_back(RandomException(rules));
  Compare(policy, Policy(rules, with_exception, {}),
          [](const Judgement& a, const Judgement& b) { EXPECT_LE(b.verdict, a.verdict); });
}

// Until `changes_at`, time changes nothing.
TEST_P(RandomPolicies, NothingChangesBeforeItIsSaidTo) {
  std::vector<Rule> rules;
  for (int i = 0; i < 3; ++i) rules.push_back(RandomRule(i));
  const Policy policy(rules, {RandomException(rules), RandomException(rules)}, {});
  ForAllFacts([&](bool prerelease, ProofOf proof, Before before, bool young) {
    const Facts facts = FactsOf(prerelease, proof, before, young, Pick(2) == 0);
    const Judgement judgement = JudgeBy(policy, facts);
    const UnixSeconds change = judgement.changes_at.value_or(kNow + 4000 * kDay);
    EXPECT_GT(change, kNow);
    for (const UnixSeconds time : {kNow + 1, (kNow + change) / 2, change - 1}) {
      EXPECT_EQ(JudgeBy(policy, facts, std::max(time, kNow)).verdict, judgement.verdict);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPolicies, testing::Range(1U, 80U));

}  // namespace
}  // namespace koya::policy
