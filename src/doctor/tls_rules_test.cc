#include "doctor/tls_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "doctor/network_probe.h"

namespace koya::doctor {
namespace {

constexpr UnixSeconds kNow = 1'800'000'000;
constexpr UnixSeconds kDay = 24 * 60 * 60;

CertificateFacts Leaf() {
  return {.subject = "CN=a.test",
          .issuer = "CN=Some CA",
          .common_name = "a.test",
          .names = {"a.test", "127.0.0.1"},
          .not_before = kNow - kDay,
          .not_after = kNow + 90 * kDay,
          .self_signed = false};
}

TlsFacts Good() {
  TlsFacts facts;
  facts.protocol = "TLSv1.3";
  facts.chain = {Leaf()};
  facts.name_matches = true;
  facts.common_name_matches = true;
  return facts;
}

struct Case {
  std::string_view what;
  TlsFacts facts;
  Severity severity;
  std::string_view message;
  std::string_view fix;
};

TlsFacts With(ChainProblem problem) {
  TlsFacts facts = Good();
  facts.problems = {problem};
  return facts;
}

std::vector<Case> Cases() {
  std::vector<Case> cases = {{"good", Good(), Severity::kOk, "TLSv1.3", ""}};
  TlsFacts facts;
  facts.handshake_failure = "wrong version number";
  cases.push_back({"no tls", facts, Severity::kFailure, "wrong version number", "only https"});
  facts = With(ChainProblem::kExpired);
  facts.chain[0].not_after = kNow - kDay;
  cases.push_back({"expired", facts, Severity::kFailure, "expired on 2027-01-14", "renew"});
  cases.push_back({"root expired", With(ChainProblem::kExpired), Severity::kFailure,
                   "above the chain", "update"});
  facts = With(ChainProblem::kNotYetValid);
  cases.push_back({"not yet", facts, Severity::kFailure, "not valid before", "clocks"});
  cases.push_back({"self-signed", With(ChainProblem::kSelfSigned), Severity::kFailure,
                   "self-signed", "SSL_CERT_FILE"});
  cases.push_back({"private", With(ChainProblem::kUntrustedRoot), Severity::kFailure,
                   "not trusted here", "SSL_CERT_FILE"});
  cases.push_back({"alone", With(ChainProblem::kIssuerUnknown), Severity::kFailure,
                   "intermediate certificate is missing", "full chain"});
  facts = With(ChainProblem::kIssuerUnknown);
  facts.chain.push_back(
      {.subject = "CN=Some CA", .issuer = "CN=Root", .common_name = "", .names = {}});
  cases.push_back({"no root", facts, Severity::kFailure, "chain of 2", "SSL_CERT_FILE"});
  facts = With(ChainProblem::kOther);
  facts.other_problem = "key too small";
  cases.push_back({"other", facts, Severity::kFailure, "key too small", "new certificate"});
  facts = Good();
  facts.name_matches = false;
  cases.push_back({"name", facts, Severity::kFailure, "valid for a.test, 127.0.0.1, not for",
                   "issued for h.test too"});
  facts.chain[0].names.clear();
  cases.push_back({"common name", facts, Severity::kFailure, "common name", "alternative name"});
  facts = Good();
  facts.chain[0].not_after = kNow + 5 * kDay + 1;
  cases.push_back({"soon", facts, Severity::kWarning, "expires in 5 days", "renew"});
  return cases;
}

TEST(TlsRulesTest, ExplainsWhatIsWrongAndHowToMendIt) {
  for (const Case& each : Cases()) {
    Findings findings = JudgeTls(each.facts, "h.test", kNow);
    ASSERT_EQ(findings.size(), 1u) << each.what;
    EXPECT_EQ(findings[0].severity, each.severity) << each.what;
    EXPECT_NE(findings[0].message.find(each.message), std::string::npos) << findings[0].message;
    EXPECT_NE(findings[0].fix.find(each.fix), std::string::npos) << findings[0].fix;
  }
}

TEST(TlsRulesTest, TellsEveryProblemOfAChain) {
  TlsFacts facts = With(ChainProblem::kExpired);
  facts.problems.push_back(ChainProblem::kSelfSigned);
  facts.name_matches = false;
  EXPECT_EQ(JudgeTls(facts, "h.test", kNow).size(), 3u);
}

struct Network {
  NetworkFacts facts;
  Severity worst;
  std::string_view words;
};

TEST(NetworkRulesTest, ExplainsNamesAndConnections) {
  const std::vector<Network> kNetworks = {
      {{"h.test", 443, "Name or service not known", {}}, Severity::kFailure, "has no address"},
      {{"h.test", 443, "", {}}, Severity::kFailure, "has no address"},
      {{"h.test", 443, "", {{"192.0.2.1", ""}, {"[::1]", ""}}}, Severity::kOk, "192.0.2.1, [::1]"},
      {{"h.test", 444, "", {{"192.0.2.1", "refused"}}}, Severity::kFailure, "port 444"},
      {{"h.test", 443, "", {{"192.0.2.1", ""}, {"[::1]", "unreachable"}}},
       Severity::kWarning,
       "[::1]: unreachable"},
  };
  for (const Network& each : kNetworks) {
    Severity worst = Severity::kOk;
    std::string all;
    for (const Finding& finding : JudgeNetwork(each.facts)) {
      worst = std::max(worst, finding.severity);
      all += finding.message + "\n";
    }
    EXPECT_EQ(worst, each.worst) << all;
    EXPECT_NE(all.find(each.words), std::string::npos) << all;
  }
}

}  // namespace
}  // namespace koya::doctor
