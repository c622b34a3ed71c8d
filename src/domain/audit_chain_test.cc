#include "domain/audit_record.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

namespace koya {
namespace {

AuditEntry Sample() {
  return {.kind = AuditKind::kChange,
          .at = 1'700'000'000,
          .by = {.name = "user:ada",
                 .token = "laptop",
                 .address = "192.0.2.1",
                 .user_agent = "tofu/1.9",
                 .request_id = "r1"},
          .action = "module.publish",
          .target = "module:acme/vpc/aws@1.0.0",
          .ns = "acme",
          .before = R"({"a":1})",
          .after = R"({"a":2})",
          .count = 1};
}

struct Alteration {
  const char* what;
  std::function<void(AuditEntry&)> alter;
};

const std::vector<Alteration>& Alterations() {
  static const std::vector<Alteration> kAlterations{
      {"kind", [](AuditEntry& e) { e.kind = AuditKind::kDenied; }},
      {"time", [](AuditEntry& e) { e.at += 1; }},
      {"time of before 1970", [](AuditEntry& e) { e.at = -e.at; }},
      {"actor", [](AuditEntry& e) { e.by.name = "user:eve"; }},
      {"a letter's case", [](AuditEntry& e) { e.by.name = "user:Ada"; }},
      {"no actor", [](AuditEntry& e) { e.by.name = ""; }},
      {"token", [](AuditEntry& e) { e.by.token = "other"; }},
      {"address", [](AuditEntry& e) { e.by.address = "192.0.2.2"; }},
      {"user agent", [](AuditEntry& e) { e.by.user_agent += " "; }},
      {"request id", [](AuditEntry& e) { e.by.request_id = "r2"; }},
      {"action", [](AuditEntry& e) { e.action = "module.withdraw"; }},
      {"target", [](AuditEntry& e) { e.target += "0"; }},
      {"namespace", [](AuditEntry& e) { e.ns = ""; }},
      {"before", [](AuditEntry& e) { e.before = ""; }},
      {"after", [](AuditEntry& e) { e.after = ""; }},
      {"before and after", [](AuditEntry& e) { std::swap(e.before, e.after); }},
      {"count", [](AuditEntry& e) { e.count = 2; }},
      {"a letter that went to the next field",
       [](AuditEntry& e) {
         e.action = "module.publis";
         e.target = "h" + e.target;
       }},
      {"a letter that came from the next field",
       [](AuditEntry& e) {
         e.by.name += "l";
         e.by.token = "aptop";
       }},
      {"neighbours", [](AuditEntry& e) { std::swap(e.by.address, e.by.user_agent); }},
  };
  return kAlterations;
}

TEST(AuditChainTest, WhateverIsAlteredAltersTheHash) {
  std::set<Digest> hashes{AuditHash({}, Sample())};
  for (const Alteration& each : Alterations()) {
    AuditEntry entry = Sample();
    each.alter(entry);
    EXPECT_TRUE(hashes.insert(AuditHash({}, entry)).second) << each.what;
  }
  EXPECT_TRUE(hashes.insert(AuditHash({.sequence = 1}, Sample())).second) << "another sequence";
  EXPECT_TRUE(hashes.insert(AuditHash({.hash = Digest::Of("")}, Sample())).second)
      << "another hash before it";
}

TEST(AuditChainTest, TheSameIsTheSame) {
  EXPECT_EQ(AuditHash({}, Sample()), AuditHash({}, Sample()));
  EXPECT_EQ(AuditAnchor().hash.hex(), std::string(64, '0'));
}

// Hashes that operators stored are compared with hashes that later versions compute.
TEST(AuditChainTest, TheEncodingStaysAsItIs) {
  EXPECT_EQ(AuditHash({}, Sample()).hex(),
            "1ba190d4de4173bf35436fcd241caec65913af24402b3d5e06decb11cbd497c6");
}

TEST(AuditChainTest, AnotherOrderIsAnotherChain) {
  AuditEntry first = Sample();
  AuditEntry second = Sample();
  second.action = "module.withdraw";
  const AuditAnchor one = NextAuditLink(NextAuditLink({}, first), second);
  const AuditAnchor other = NextAuditLink(NextAuditLink({}, second), first);
  EXPECT_EQ(one.sequence, 2);
  EXPECT_EQ(other.sequence, 2);
  EXPECT_NE(one.hash, other.hash);
}

}  // namespace
}  // namespace koya
