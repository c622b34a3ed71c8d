#include "policy/policy_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "domain/host_name.h"

namespace koya::policy {
namespace {

constexpr std::size_t kMostProblems = 100;
constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestReason = 1000;
constexpr std::chrono::seconds kLongestAge = std::chrono::days(3650);

using Words = std::vector<std::string_view>;

// The words that name a condition, in the order of messages.
const Words& ConditionWords() {
  static const Words words{"minimum_age", "deny", "only", "prereleases", "signature", "proof"};
  return words;
}

bool IsName(std::string_view text) {
  auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  };
  return !text.empty() && text.size() <= kLongestName && std::ranges::all_of(text, fits) &&
         text.front() != '.' && text.front() != '-';
}

std::optional<UnixSeconds> TimeOf(const toml::node& node) {
  if (const auto* date = node.as_date()) {
    const toml::date day = date->get();
    return ParseRfc3339(fmt::format("{:04}-{:02}-{:02}", day.year, day.month, day.day));
  }
  const auto* moment = node.as_date_time();
  // A time without a zone would be another one on every server.
  if (moment == nullptr || moment->get().is_local()) return std::nullopt;
  const toml::date_time& time = moment->get();
  const std::optional<UnixSeconds> seconds = ParseRfc3339(
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", time.date.year, time.date.month,
                  time.date.day, time.time.hour, time.time.minute, time.time.second));
  if (!seconds) return std::nullopt;
  return *seconds - static_cast<UnixSeconds>(time.offset->minutes) * 60;
}

class PolicyReader {
 public:
  std::expected<Policy, std::vector<Problem>> Read(const toml::table& file) {
    CheckKeys(file, {"version", "believe_times_of", "rule", "exception"}, "a policy");
    CheckVersion(file);
    std::vector<std::string> believed = Hosts(file);
    std::vector<Rule> rules;
    for (const toml::table* table : Tables(file, "rule", Policy::kMostRules)) {
      rules.push_back(ReadRule(*table));
    }
    std::vector<Exception> exceptions;
    for (const toml::table* table : Tables(file, "exception", Policy::kMostExceptions)) {
      exceptions.push_back(ReadException(*table, rules));
    }
    if (problems_.empty()) {
      return Policy(std::move(rules), std::move(exceptions), std::move(believed));
    }
    std::ranges::sort(problems_, {}, [](const Problem& problem) {
      return std::tie(problem.line, problem.column, problem.text);
    });
    problems_.resize(std::min(problems_.size(), kMostProblems));
    return std::unexpected(std::move(problems_));
  }

 private:
  void Add(const toml::source_region& place, std::string text) {
    if (problems_.size() >= kMostProblems * 10) return;
    problems_.push_back({place.begin.line, place.begin.column, std::move(text)});
  }
  void Add(const toml::node& node, std::string text) { Add(node.source(), std::move(text)); }

  void CheckKeys(const toml::table& table, const Words& known, std::string_view of) {
    for (const auto& [key, node] : table) {
      if (std::ranges::count(known, key.str()) > 0) continue;
      const std::string_view near = NearestWord(key.str(), known);
      Add(key.source(), fmt::format("\"{}\" is unknown: {} has {}{}", Printable(key.str(), 80), of,
                                    fmt::join(known, ", "),
                                    near.empty() ? "" : fmt::format("; did you mean {}?", near)));
    }
  }

  void CheckVersion(const toml::table& file) {
    const toml::node* version = file.get("version");
    if (version == nullptr) {
      Add(file, "the version is missing: begin the file with version = 1");
    } else if (version->value<std::int64_t>() != 1 || !version->is_integer()) {
      Add(*version, "only version = 1 is known");
    }
  }

  std::vector<std::string> Hosts(const toml::table& file) {
    std::vector<std::string> hosts;
    for (const auto& [text, node] : Texts(file, "believe_times_of", false)) {
      Result<HostName> host = HostName::ParseWire(text);
      if (host) {
        hosts.push_back(host->ascii());
      } else {
        Add(*node, fmt::format("believe_times_of: {}", host.error().message));
      }
    }
    return hosts;
  }

  std::vector<const toml::table*> Tables(const toml::table& file, std::string_view key,
                                         std::size_t most) {
    std::vector<const toml::table*> tables;
    const toml::node* node = file.get(key);
    if (node == nullptr) return tables;
    if (!node->is_array_of_tables()) {
      Add(*node, fmt::format("{} is a list of tables: begin each with [[{}]]", key, key));
      return tables;
    }
    const toml::array& array = *node->as_array();
    if (array.size() > most) {
      Add(array[most], fmt::format("at most {} of [[{}]] are possible", most, key));
      return tables;
    }
    for (const toml::node& each : array) tables.push_back(each.as_table());
    return tables;
  }

  // The texts of a list that may be absent unless `required`, with their places.
  std::vector<std::pair<std::string, const toml::node*>> Texts(const toml::table& table,
                                                               std::string_view key,
                                                               bool required) {
    std::vector<std::pair<std::string, const toml::node*>> texts;
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      if (required) Add(table, fmt::format("{} is missing: write a list of texts", key));
      return texts;
    }
    const toml::array* array = node->as_array();
    if (array == nullptr || (required && array->empty())) {
      Add(*node, fmt::format("{} must be a list of texts: {} = [\"…\"]", key, key));
      return texts;
    }
    for (const toml::node& each : *array) {
      if (const auto* text = each.as_string()) {
        texts.emplace_back(text->get(), &each);
      } else {
        Add(each, fmt::format("{} must be a list of texts", key));
      }
    }
    return texts;
  }

  // nullopt: it is absent, or no text; the latter is a problem, as is the former if `required`.
  std::optional<std::string> Text(const toml::table& table, std::string_view key, bool required) {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      if (required) Add(table, fmt::format("{} is missing", key));
      return std::nullopt;
    }
    if (const auto* text = node->as_string()) return text->get();
    Add(*node, fmt::format("{} must be a text: {} = \"…\"", key, key));
    return std::nullopt;
  }

  std::vector<PullPattern> Patterns(const toml::table& table, std::string_view key, bool required) {
    std::vector<PullPattern> patterns;
    for (const auto& [text, node] : Texts(table, key, required)) {
      if (Result<PullPattern> pattern = PullPattern::Parse(text)) {
        patterns.push_back(*std::move(pattern));
      } else {
        Add(*node, pattern.error().message);
      }
    }
    return patterns;
  }

  // The value of a text that must be one of `values`; its place among them, else 0.
  std::size_t Choice(const toml::table& table, std::string_view key, const Words& values) {
    const std::optional<std::string> text = Text(table, key, false);
    if (!text) return 0;
    const auto found = std::ranges::find(values, *text);
    if (found != values.end()) return static_cast<std::size_t>(found - values.begin());
    Add(*table.get(key), fmt::format("{} = \"{}\" is unknown: write one of {}", key,
                                     Printable(*text, 80), fmt::join(values, ", ")));
    return 0;
  }

  Rule ReadRule(const toml::table& table) {
    Words known{"name", "match", "except", "versions", "admitted", "where", "age_from"};
    known.insert(known.end(), ConditionWords().begin(), ConditionWords().end());
    CheckKeys(table, known, "a rule");
    Rule rule;
    ReadName(table, rule);
    ReadCondition(table, rule);
    rule.match = Patterns(table, "match", true);
    rule.except = Patterns(table, "except", false);
    if (const std::optional<std::string> text = Text(table, "versions", false)) {
      if (Result<VersionConstraint> versions = VersionConstraint::Parse(*text)) {
        rule.versions = *std::move(versions);
      } else {
        Add(*table.get("versions"), versions.error().message);
      }
    }
    ReadAdmitted(table, rule);
    ReadWays(table, rule);
    if (Choice(table, "age_from", {"registry", "first-seen"}) == 1) rule.age_by_registry = false;
    if (table.contains("age_from") && rule.condition != Condition::kMinimumAge) {
      Add(*table.get("age_from"), "age_from belongs to a rule with minimum_age");
    }
    return rule;
  }

  void ReadName(const toml::table& table, Rule& rule) {
    const std::optional<std::string> name = Text(table, "name", true);
    if (!name) return;
    if (*name == "policy.allow" || *name == "policy.deny") {
      Add(*table.get("name"), fmt::format("{} is a setting of the server: name the rule "
                                          "differently",
                                          *name));
    } else if (!IsName(*name)) {
      Add(*table.get("name"),
          "a name has 1 to 64 of a-z, 0-9, \"-\", \"_\" and \".\", and begins "
          "with a letter or digit");
    } else if (!names_.insert(*name).second) {
      Add(*table.get("name"), fmt::format("another rule is named \"{}\" already", *name));
    }
    rule.name = *name;
  }

  void ReadCondition(const toml::table& table, Rule& rule) {
    Words written;
    for (const std::string_view word : ConditionWords()) {
      if (table.contains(word)) written.push_back(word);
    }
    if (written.empty()) {
      Add(table, fmt::format("the rule has no condition: write one of {}",
                             fmt::join(ConditionWords(), ", ")));
    } else if (written.size() > 1) {
      Add(table, fmt::format("the rule has {} conditions ({}): write a rule for each",
                             written.size(), fmt::join(written, ", ")));
    } else if (written[0] == "minimum_age") {
      rule.condition = Condition::kMinimumAge;
      ReadAge(table, rule);
    } else if (written[0] == "deny" || written[0] == "only") {
      rule.condition = written[0] == "deny" ? Condition::kDeny : Condition::kOnly;
      if (table.get(written[0])->value<bool>() == true && table.get(written[0])->is_boolean())
        return;
      Add(*table.get(written[0]),
          fmt::format("{} has one value, true; remove the rule to lift it", written[0]));
    } else if (written[0] == "prereleases") {
      rule.condition = Condition::kPrereleases;
      Choice(table, "prereleases", {"refuse"});
    } else if (written[0] == "signature") {
      rule.condition = Choice(table, "signature", {"required", "pinned"}) == 0
                           ? Condition::kSignature
                           : Condition::kPinnedKey;
    } else {
      rule.condition = Condition::kNoLessProof;
      Choice(table, "proof", {"no-downgrade"});
    }
  }

  void ReadAge(const toml::table& table, Rule& rule) {
    const std::optional<std::string> text = Text(table, "minimum_age", true);
    if (!text) return;
    const std::optional<std::chrono::seconds> age = ParseDuration(*text);
    if (age && age->count() > 0 && *age <= kLongestAge) {
      rule.minimum_age = *age;
    } else {
      Add(*table.get("minimum_age"), "minimum_age is a time of at most 3650d: \"12h\", \"7d\"");
    }
  }

  void ReadAdmitted(const toml::table& table, Rule& rule) {
    if (!table.contains("admitted")) {
      // A denied release does harm; the other conditions look at new ones.
      if (rule.condition == Condition::kDeny) rule.admitted = AdmittedEffect::kRefuse;
      return;
    }
    constexpr std::array kEffects{AdmittedEffect::kKeep, AdmittedEffect::kNote,
                                  AdmittedEffect::kRefuse};
    rule.admitted = kEffects.at(Choice(table, "admitted", {"keep", "note", "refuse"}));
  }

  void ReadWays(const toml::table& table, Rule& rule) {
    if (!table.contains("where")) return;
    rule.on_pull = rule.on_import = false;
    for (const auto& [text, node] : Texts(table, "where", true)) {
      if (text == "pull") {
        rule.on_pull = true;
      } else if (text == "import") {
        rule.on_import = true;
      } else {
        Add(*node, fmt::format("where = \"{}\" is unknown: write pull, import, or both",
                               Printable(text, 80)));
      }
    }
  }

  Exception ReadException(const toml::table& table, const std::vector<Rule>& rules) {
    CheckKeys(table, {"rules", "match", "versions", "until", "reason"}, "an exception");
    Exception exception;
    for (const auto& [name, node] : Texts(table, "rules", true)) {
      if (names_.contains(name)) {
        exception.rules.push_back(name);
        continue;
      }
      Add(*node, fmt::format("there is no rule \"{}\" in this file{}", Printable(name, 80),
                             rules.empty() ? "" : ": an exception names the rules that it lifts"));
    }
    exception.match = Patterns(table, "match", true);
    ReadVersions(table, exception);
    const toml::node* until = table.get("until");
    const std::optional<UnixSeconds> time = until == nullptr ? std::nullopt : TimeOf(*until);
    if (time) {
      exception.until = *time;
    } else {
      Add(until == nullptr ? table : *until,
          "until says when the exception ends: 2026-12-31 (its first second, UTC) or "
          "2026-12-31T12:00:00Z, without quotation marks");
    }
    const std::optional<std::string> reason = Text(table, "reason", true);
    if (reason && (reason->empty() || reason->size() > kLongestReason || !IsPlainText(*reason))) {
      Add(*table.get("reason"), "reason is a text of 1 to 1000 bytes");
    }
    exception.reason = reason.value_or("");
    return exception;
  }

  void ReadVersions(const toml::table& table, Exception& exception) {
    std::vector<std::pair<std::string, const toml::node*>> texts;
    const toml::node* node = table.get("versions");
    if (node != nullptr && node->is_string()) {
      texts.emplace_back(node->as_string()->get(), node);
    } else {
      texts = Texts(table, "versions", true);
    }
    for (const auto& [text, place] : texts) {
      if (Result<Version> version = Version::Parse(text)) {
        exception.versions.push_back(*std::move(version));
      } else {
        Add(*place, fmt::format("an exception names exact versions: {}", version.error().message));
      }
    }
  }

  std::vector<Problem> problems_;
  std::set<std::string, std::less<>> names_;
};

}  // namespace

std::expected<Policy, std::vector<Problem>> ParsePolicy(std::string_view text) {
  if (text.size() > kMostPolicyBytes) {
    return std::unexpected(std::vector<Problem>{{0, 0, "a policy has at most 1 MiB"}});
  }
  // TOML excludes control characters itself, and says where they are.
  if (!IsUtf8(text)) return std::unexpected(std::vector<Problem>{{0, 0, "a policy is UTF-8"}});
  try {
    return PolicyReader().Read(toml::parse(text));
  } catch (const toml::parse_error& error) {
    return std::unexpected(std::vector<Problem>{
        {error.source().begin.line, error.source().begin.column,
         fmt::format("this is not TOML: {}", Printable(error.description()))}});
  }
}

std::string CoolDownPolicy(std::chrono::seconds age) {
  return fmt::format(
      R"(# New releases of other registries wait for {0} before they are handed out here. Most poisoned
# releases are found and removed within a week.
#
# Releases that were handed out before stay, so nothing that works stops working.
version = 1

[[rule]]
name = "cool-down"
match = ["*/*/*", "*/*/*/*"]  # all providers (HOST/NAMESPACE/TYPE), all modules (…/NAME/SYSTEM)
minimum_age = "{0}"

# A release that cannot wait, for example because it fixes a vulnerability:
#
# [[exception]]
# rules = ["cool-down"]
# match = ["*/hashicorp/aws"]
# versions = ["6.1.1"]
# until = 2026-12-31
# reason = "fixes CVE-2026-0001"
)",
      FormatDuration(age));
}

}  // namespace koya::policy
