// Prints what it costs to judge all versions of a provider by a policy, as a list is rendered:
// milliseconds of CPU, one line each time, for `make bench`.
//
// usage: judge_policy RULES VERSIONS TIMES
#include <fmt/core.h>

#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "policy/policy_file.h"

namespace {

constexpr koya::UnixSeconds kNow = 1'800'000'000;

double CpuMilliseconds() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// Rules of every condition, all of which concern the provider.
std::string PolicyText(int rules) {
  constexpr const char* kConditions[] = {"minimum_age = \"7d\"", "prereleases = \"refuse\"",
                                         "signature = \"required\"", "proof = \"no-downgrade\"",
                                         "deny = true\nversions = \"< 0.1\""};
  std::string text = "version = 1\n";
  for (int i = 0; i < rules; ++i) {
    text +=
        fmt::format("[[rule]]\nname = \"rule-{}\"\nmatch = [\"*/*/*\", \"*/hashicorp/*\"]\n{}\n", i,
                    kConditions[i % 5]);
  }
  return text;
}

std::vector<koya::policy::Facts> FactsOf(int versions) {
  std::vector<koya::policy::Facts> facts;
  for (int i = 0; i < versions; ++i) {
    const std::string text = fmt::format("{}.{}.0", 1 + i / 100, i % 100);
    const koya::policy::Proof proof{.key = "34365D9472D7468F"};
    facts.push_back({.version = *koya::Version::Parse(text),
                     .seen = kNow - i * 3600,
                     .admitted = i % 3 == 0,
                     .proof = proof,
                     .proof_before = proof});
  }
  return facts;
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return 2;
  const auto policy = koya::policy::ParsePolicy(PolicyText(std::atoi(words[1])));
  if (!policy) return 1;
  const std::vector<koya::policy::Facts> facts = FactsOf(std::atoi(words[2]));
  for (int i = std::atoi(words[3]); i > 0; --i) {
    const double begin = CpuMilliseconds();
    const koya::policy::AddressPolicy address =
        policy->ForAddress("registry.example.org/hashicorp/aws");
    std::size_t admitted = 0;
    for (const koya::policy::Facts& each : facts) {
      admitted += address.Judge(each, kNow).Admits() ? 1 : 0;
    }
    fmt::print("{:.3f}\n", CpuMilliseconds() - begin);
    if (admitted == 0 || admitted == facts.size()) return 1;
  }
  return 0;
}
