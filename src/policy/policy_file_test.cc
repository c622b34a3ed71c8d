#include "policy/policy_file.h"

#include <gtest/gtest.h>

namespace koya::policy {
namespace {

constexpr std::string_view kWhole = R"(version = 1
believe_times_of = ["Registry.Example", "other.example:8443"]

[[rule]]
name = "cool-down"
match = ["*/*/*", "*/*/*/*"]
minimum_age = "7d"
except = ["*/acme/*"]
age_from = "first-seen"

[[rule]]
name = "no-old-aws"
match = ["*/hashicorp/aws"]
versions = "< 5.0"
deny = true

[[rule]]
name = "ours"
match = ["*/acme/*", "*/hashicorp/*"]
only = true
admitted = "note"
where = ["pull"]

[[rule]]
name = "stable"
match = ["*/*/*"]
prereleases = "refuse"

[[rule]]
name = "signed"
match = ["*/*/*"]
signature = "required"

[[rule]]
name = "known-signers"
match = ["registry.opentofu.org/*/*"]
signature = "pinned"

[[rule]]
name = "proofs"
match = ["*/*/*"]
proof = "no-downgrade"

[[exception]]
rules = ["cool-down", "known-signers"]
match = ["*/hashicorp/aws"]
versions = ["6.1.1", "6.1.2"]
until = 2026-12-31
reason = "fixes CVE-2026-0001"

[[exception]]
rules = ["stable"]
match = ["*/hashicorp/aws"]
versions = "7.0.0-beta1"
until = 2026-12-31T12:00:00+02:00
reason = "tried in a sandbox"
)";

const Rule& RuleOf(const Policy& policy, std::string_view name) {
  const auto found = std::ranges::find(policy.rules(), name, &Rule::name);
  EXPECT_NE(found, policy.rules().end()) << name;
  return *found;
}

TEST(PolicyFile, SaysEveryRuleAndException) {
  const auto policy = ParsePolicy(kWhole);
  ASSERT_TRUE(policy) << policy.error().at(0).text;
  ASSERT_EQ(policy->rules().size(), 7U);
  const Rule& cool_down = RuleOf(*policy, "cool-down");
  EXPECT_EQ(cool_down.condition, Condition::kMinimumAge);
  EXPECT_EQ(cool_down.minimum_age, std::chrono::days(7));
  EXPECT_FALSE(cool_down.age_by_registry);
  EXPECT_EQ(cool_down.admitted, AdmittedEffect::kKeep);
  EXPECT_EQ(cool_down.except.at(0).text(), "*/acme/*");
  EXPECT_TRUE(cool_down.on_pull && cool_down.on_import);
  EXPECT_EQ(RuleOf(*policy, "no-old-aws").condition, Condition::kDeny);
  EXPECT_EQ(RuleOf(*policy, "no-old-aws").admitted, AdmittedEffect::kRefuse);
  EXPECT_EQ(RuleOf(*policy, "no-old-aws").versions->text(), "< 5.0");
  EXPECT_EQ(RuleOf(*policy, "ours").condition, Condition::kOnly);
  EXPECT_EQ(RuleOf(*policy, "ours").admitted, AdmittedEffect::kNote);
  EXPECT_FALSE(RuleOf(*policy, "ours").on_import);
  EXPECT_EQ(RuleOf(*policy, "stable").condition, Condition::kPrereleases);
  EXPECT_EQ(RuleOf(*policy, "signed").condition, Condition::kSignature);
  EXPECT_EQ(RuleOf(*policy, "known-signers").condition, Condition::kPinnedKey);
  EXPECT_EQ(RuleOf(*policy, "proofs").condition, Condition::kNoLessProof);
  ASSERT_EQ(policy->exceptions().size(), 2U);
  const auto by_reason = [&](std::string_view reason) {
    return *std::ranges::find(policy->exceptions(), reason, &Exception::reason);
  };
  EXPECT_EQ(by_reason("fixes CVE-2026-0001").until, *ParseRfc3339("2026-12-31T00:00:00Z"));
  EXPECT_EQ(by_reason("fixes CVE-2026-0001").versions.size(), 2U);
  EXPECT_EQ(by_reason("tried in a sandbox").until, *ParseRfc3339("2026-12-31T10:00:00Z"));
}

TEST(PolicyFile, BelievesTheHostsThatItNames) {
  const auto policy = ParsePolicy(
      "version = 1\nbelieve_times_of = [\"Registry.Example\"]\n[[rule]]\nname = \"a\"\n"
      "match = [\"*/*/*\"]\nminimum_age = \"7d\"\n");
  ASSERT_TRUE(policy);
  Facts facts{.version = *Version::Parse("1.0.0"), .seen = 2'000'000, .stated = 1'000'000};
  for (const auto& [host, believed] :
       {std::pair{"registry.example", true}, std::pair{"registry.opentofu.org", true},
        std::pair{"another.example", false}}) {
    const AddressPolicy address = policy->ForAddress(std::string(host) + "/acme/demo");
    EXPECT_EQ(address.Judge(facts, 2'000'001).Admits(), believed) << host;
  }
}

TEST(PolicyFile, AnEmptyPolicyAllowsEverything) {
  const auto policy = ParsePolicy("version = 1\n");
  ASSERT_TRUE(policy);
  EXPECT_TRUE(policy->rules().empty());
}

// A rule, with `lines` in place of its condition.
std::string RuleWith(std::string_view lines) {
  return "version = 1\n[[rule]]\nname = \"a\"\nmatch = [\"*/*/*\"]\n" + std::string(lines) + "\n";
}
std::string ExceptionWith(std::string_view lines) {
  return RuleWith("deny = true") + "[[exception]]\n" + std::string(lines) + "\n";
}
constexpr std::string_view kRest = "reason = \"r\"\nuntil = 2026-12-31\n";

struct Refused {
  std::string file;
  std::uint32_t line;
  std::uint32_t column;
  std::string_view says;
};

TEST(PolicyFile, SaysWhatIsWrongAndWhere) {
  const std::string match = "rules = [\"a\"]\nmatch = [\"*/*/*\"]\n";
  const Refused rows[] = {
      {"version = ", 1, 11, "this is not TOML"},
      {"version = 1\n[[rule]\n", 2, 8, "this is not TOML"},
      {"", 1, 1, "version = 1"},
      {"version = 2\n", 1, 11, "only version = 1"},
      {"version = \"1\"\n", 1, 11, "only version = 1"},
      {"version = 1\nnotes = \"held\"\n", 2, 1, "\"notes\" is unknown"},
      {"version = 1\nfour_eyes = true\n", 2, 1, "\"four_eyes\" is unknown"},
      {"version = 1\nrules = []\n", 2, 1, "did you mean rule?"},
      {"version = 1\nrule = 5\n", 2, 8, "begin each with [[rule]]"},
      {"version = 1\nbelieve_times_of = \"a\"\n", 2, 20, "list of texts"},
      {"version = 1\nbelieve_times_of = [5]\n", 2, 21, "list of texts"},
      {"version = 1\nbelieve_times_of = [\"a b\"]\n", 2, 21, "believe_times_of: "},
      {RuleWith(""), 2, 1, "no condition"},
      {RuleWith("deny = true\nonly = true"), 2, 1, "2 conditions (deny, only)"},
      {RuleWith("minimum_age = 7"), 5, 15, "must be a text"},
      {RuleWith("minimum_age = \"7\""), 5, 15, "\"7d\""},
      {RuleWith("minimum_age = \"0d\""), 5, 15, "\"7d\""},
      {RuleWith("minimum_age = \"-7d\""), 5, 15, "\"7d\""},
      {RuleWith("minimum_age = \"4000d\""), 5, 15, "3650d"},
      {RuleWith("minimum_age_fix = \"1d\""), 5, 1, "\"minimum_age_fix\" is unknown"},
      {RuleWith("deny = false"), 5, 8, "one value, true"},
      {RuleWith("deny = 1"), 5, 8, "one value, true"},
      {RuleWith("only = \"true\""), 5, 8, "one value, true"},
      {RuleWith("prereleases = \"allow\""), 5, 15, "write one of refuse"},
      {RuleWith("signature = \"author\""), 5, 13, "required, pinned"},
      {RuleWith("signature = [\"AAAA\"]"), 5, 13, "must be a text"},
      {RuleWith("proof = \"any\""), 5, 9, "no-downgrade"},
      {RuleWith("approval = \"first\""), 5, 1, "\"approval\" is unknown"},
      {RuleWith("advisories = \"high\""), 5, 1, "\"advisories\" is unknown"},
      {RuleWith("licences = {}"), 5, 1, "\"licences\" is unknown"},
      {RuleWith("gone = \"note\""), 5, 1, "\"gone\" is unknown"},
      {RuleWith("semver = \"note\""), 5, 1, "\"semver\" is unknown"},
      {RuleWith("deny = true\nversions = \"abc\""), 6, 12, "abc"},
      {RuleWith("deny = true\nversions = 5"), 6, 12, "must be a text"},
      {RuleWith("deny = true\nadmitted = \"maybe\""), 6, 12, "keep, note, refuse"},
      {RuleWith("deny = true\nwhere = []"), 6, 9, "list of texts"},
      {RuleWith("deny = true\nwhere = [\"publish\"]"), 6, 10, "pull, import, or both"},
      {RuleWith("deny = true\nage_from = \"registry\""), 6, 12, "belongs to a rule with"},
      {RuleWith("minimum_age = \"7d\"\nage_from = \"git\""), 6, 12, "registry, first-seen"},
      {RuleWith("deny = true\nexcept = [\"a\"]"), 6, 11, "HOST/NAMESPACE/TYPE"},
      {"version = 1\n[[rule]]\nname = \"a\"\ndeny = true\n", 2, 1, "match is missing"},
      {"version = 1\n[[rule]]\nname = \"a\"\nmatch = []\ndeny = true\n", 4, 9, "list of texts"},
      {"version = 1\n[[rule]]\nmatch = [\"*/*/*\"]\ndeny = true\n", 2, 1, "name is missing"},
      {"version = 1\n[[rule]]\nname = \"A b\"\nmatch = [\"*/*/*\"]\ndeny = true\n", 3, 8,
       "a name has"},
      {"version = 1\n[[rule]]\nname = \"\"\nmatch = [\"*/*/*\"]\ndeny = true\n", 3, 8,
       "a name has"},
      {"version = 1\n[[rule]]\nname = \"policy.deny\"\nmatch = [\"*/*/*\"]\ndeny = true\n", 3, 8,
       "is a setting"},
      {RuleWith("deny = true") + "[[rule]]\nname = \"a\"\nmatch = [\"*/*/*\"]\ndeny = true\n", 7, 8,
       "another rule"},
      {ExceptionWith(match + "versions = \"1.0.0\"\nreason = \"r\"\n"), 6, 1, "until says"},
      {ExceptionWith(match + "versions = \"1.0.0\"\nreason = \"r\"\nuntil = \"2026-12-31\"\n"), 11,
       9, "without quotation marks"},
      {ExceptionWith(match + "versions = \"1.0.0\"\nreason = \"r\"\nuntil = 2026-12-31T00:00:00\n"),
       11, 9, "until says"},
      {ExceptionWith(match + "versions = \"1.0.0\"\nuntil = 2026-12-31\n"), 6, 1,
       "reason is missing"},
      {ExceptionWith(match + "versions = \"1.0.0\"\nuntil = 2026-12-31\nreason = \"\"\n"), 11, 10,
       "reason is a text"},
      {ExceptionWith(match + std::string(kRest)), 6, 1, "versions is missing"},
      {ExceptionWith(match + "versions = \">= 1.0\"\n" + std::string(kRest)), 9, 12,
       "exact versions"},
      {ExceptionWith(match + "versions = [\"1.0\"]\n" + std::string(kRest)), 9, 13,
       "exact versions"},
      {ExceptionWith("rules = [\"b\"]\nmatch = [\"*/*/*\"]\nversions = \"1.0.0\"\n" +
                     std::string(kRest)),
       7, 10, "no rule \"b\""},
      {ExceptionWith("rules = [\"policy.deny\"]\nmatch = [\"*/*/*\"]\nversions = \"1.0.0\"\n" +
                     std::string(kRest)),
       7, 10, "no rule \"policy.deny\""},
      {ExceptionWith("rules = []\nmatch = [\"*/*/*\"]\nversions = \"1.0.0\"\n" +
                     std::string(kRest)),
       7, 9, "list of texts"},
      {ExceptionWith(match + "versions = \"1.0.0\"\nby = \"me\"\n" + std::string(kRest)), 10, 1,
       "\"by\" is unknown"},
  };
  for (const Refused& row : rows) {
    const auto policy = ParsePolicy(row.file);
    ASSERT_FALSE(policy) << row.file;
    const Problem& first = policy.error().front();
    EXPECT_TRUE(std::ranges::any_of(policy.error(),
                                    [&](const Problem& problem) {
                                      return problem.text.contains(row.says) &&
                                             problem.line == row.line &&
                                             problem.column == row.column;
                                    }))
        << row.file << "\nsays at " << first.line << ":" << first.column << ": " << first.text;
  }
}

TEST(PolicyFile, SaysAllThatIsWrongAtOnce) {
  const auto policy = ParsePolicy(
      "version = 3\nnote = 1\n[[rule]]\nname = \"a\"\nmatch = [\"x\"]\ndeny = 1\n"
      "[[exception]]\nrules = [\"z\"]\n");
  ASSERT_FALSE(policy);
  std::vector<std::uint32_t> lines;
  for (const Problem& problem : policy.error()) lines.push_back(problem.line);
  EXPECT_EQ(lines, (std::vector<std::uint32_t>{1, 2, 5, 6, 7, 7, 7, 7, 8}));
}

TEST(PolicyFile, HasLineEndsOfAnySystemAndNoOtherControlCharacters) {
  auto policy = ParsePolicy("version = 1\r\n# a\tb\r\n[[rule]]\r\nname = 1\r\n");
  ASSERT_FALSE(policy);
  EXPECT_EQ(policy.error()[0].line, 3U);
  EXPECT_EQ(policy.error().back().line, 4U);
  EXPECT_TRUE(ParsePolicy("version = 1\r\n# a\r\n"));
  for (const char* text : {"version = 1\n# \x01", "version = 1\n\x01", "version = 1\n# \x7f"}) {
    policy = ParsePolicy(text);
    ASSERT_FALSE(policy) << text;
    EXPECT_EQ(policy.error()[0].line, 2U) << policy.error()[0].text;
  }
}

TEST(PolicyFile, HasBounds) {
  std::string many = "version = 1\n";
  for (int i = 0; i < 1001; ++i) many += "[[rule]]\nname = \"r\"\n";
  auto policy = ParsePolicy(many);
  ASSERT_FALSE(policy);
  EXPECT_EQ(policy.error().size(), 1U);
  EXPECT_TRUE(policy.error()[0].text.contains("at most 1000")) << policy.error()[0].text;
  policy = ParsePolicy(std::string(kMostPolicyBytes + 1, '#'));
  ASSERT_FALSE(policy);
  EXPECT_EQ(policy.error()[0].text, "a policy has at most 1 MiB");
  policy = ParsePolicy(std::string("version = 1\0", 12));
  ASSERT_FALSE(policy);
  policy = ParsePolicy("version = 1\n# \xff");
  ASSERT_FALSE(policy);
  std::string faults = "version = 1\n";
  for (int i = 0; i < 500; ++i) faults += "[[rule]]\n";
  policy = ParsePolicy(faults);
  ASSERT_FALSE(policy);
  EXPECT_EQ(policy.error().size(), 100U);
  policy = ParsePolicy("version = 1\na = " + std::string(100'000, '['));
  ASSERT_FALSE(policy);
}

TEST(PolicyFile, TheCoolDownHoldsWhatIsNew) {
  const auto policy = ParsePolicy(CoolDownPolicy(std::chrono::days(7)));
  ASSERT_TRUE(policy) << policy.error().at(0).text;
  for (const char* key : {"registry.opentofu.org/hashicorp/aws", "a.example/acme/vpc/aws"}) {
    Facts facts{.version = *Version::Parse("1.0.0"), .seen = 1'000'000};
    const AddressPolicy address = policy->ForAddress(key);
    EXPECT_EQ(address.Judge(facts, 1'000'001).until, 1'000'000 + 7 * 86'400);
    EXPECT_TRUE(address.Judge(facts, 1'000'000 + 7 * 86'400).Admits());
    facts.admitted = true;
    EXPECT_TRUE(address.Judge(facts, 1'000'001).Admits());
  }
  EXPECT_TRUE(CoolDownPolicy(std::chrono::hours(12)).contains("minimum_age = \"12h\""));
}

}  // namespace
}  // namespace koya::policy
