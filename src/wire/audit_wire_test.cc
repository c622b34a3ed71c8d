// Documents of the audit log.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "wire/audit.h"
#include "wire/document_refusal_fake.h"

namespace koya::wire {
namespace {

AuditEntry WholeEntry() {
  return {.id = 7,
          .time = "2026-11-21T16:41:10Z",
          .kind = "change",
          .actor = "user:ada",
          .token = "laptop",
          .address = "192.0.2.1",
          .user_agent = "tofu/1.9 \"x\"",
          .request_id = "r1",
          .action = "namespace.visibility",
          .target = "namespace:acme",
          .ns = "acme",
          .before = {R"({"visibility":"private"})"},
          .after = {R"({"visibility":"public"})"},
          .count = 3,
          .chain = {.sequence = 5, .hash = "ab"}};
}

AuditEntry BareEntry() {
  return {.id = 1, .time = "2026-11-21T16:41:10Z", .kind = "denied", .action = "GET /"};
}

TEST(AuditDocumentsTest, ReadWhatTheyWrite) {
  for (const AuditEntry& entry : {WholeEntry(), BareEntry()}) {
    EXPECT_EQ(Decode<AuditEntry>(Encode(entry)), entry);
    EXPECT_FALSE(Encode(entry).contains('\n'));
  }
  const AuditPage page{{WholeEntry(), BareEntry()}, "1"};
  EXPECT_EQ(Decode<AuditPage>(Encode(page)), page);
  EXPECT_EQ(Decode<AuditPage>(Encode<AuditPage>({})), AuditPage());
  const AuditReport whole{
      .whole = true, .checked = 3, .anchor = {0, "00"}, .head = {3, "ab"}, .damage = {}};
  EXPECT_EQ(Decode<AuditReport>(Encode(whole)), whole);
  AuditReport damaged = whole;
  damaged.whole = false;
  damaged.damage = {2, "entry 2 is missing"};
  EXPECT_EQ(Decode<AuditReport>(Encode(damaged)), damaged);
}

TEST(AuditDocumentsTest, SayWhatIsNotThereAsNull) {
  EXPECT_EQ(
      Encode(BareEntry()),
      R"({"id":1,"time":"2026-11-21T16:41:10Z","kind":"denied","actor":null,"token":null,)"
      R"("address":null,"user_agent":null,"request_id":null,"action":"GET /","sentence":"","target":null,)"
      R"("namespace":null,"before":null,"after":null,"count":1,"chain":null})");
  EXPECT_EQ(Encode<AuditPage>({}), R"({"entries":[],"next":null})");
}

TEST(AuditDocumentsTest, ShowFactsAsTheObjectsThatTheyAre) {
  EXPECT_TRUE(Encode(WholeEntry()).contains(R"("before":{"visibility":"private"})"));
  AuditEntry strange = WholeEntry();
  strange.before.text = "{no JSON";
  EXPECT_TRUE(Encode(strange).contains(R"("before":"{no JSON")"));
}

TEST(AuditDocumentsTest, AreRefusedWithTheirPlace) {
  auto line = OnlyError(Decode<AuditEntry>);
  auto page = OnlyError(Decode<AuditPage>);
  auto report = OnlyError(Decode<AuditReport>);
  const DocumentRefusal kRefusals[] = {
      {"no JSON", line, "x", "the audit entry"},
      {"no object", line, "[]", "the audit entry"},
      {"no time", line, R"({"kind":"change","action":"a"})", "\"time\""},
      {"no kind", line, R"({"time":"t","action":"a"})", "\"kind\""},
      {"no action", line, R"({"time":"t","kind":"change"})", "\"action\""},
      {"facts of another type", line,
       R"({"time":"t","kind":"change","action":"a","before":"text"})", "\"before\""},
      {"a chain of another type", line, R"({"time":"t","kind":"c","action":"a","chain":5})",
       "\"chain\""},
      {"a chain without its hash", line, R"({"time":"t","kind":"c","action":"a","chain":{}})",
       "\"hash\""},
      {"a negative count", line, R"({"time":"t","kind":"c","action":"a","count":-1})", "\"count\""},
      {"no entries", page, "{}", "\"entries\""},
      {"entries of another type", page, R"({"entries":[1]})", "\"entries\""},
      {"a next of another type", page, R"({"entries":[],"next":5})", "\"next\""},
      {"no anchor", report, R"({"head":{"hash":"a"}})", "\"anchor\""},
      {"no head", report, R"({"anchor":{"hash":"a"}})", "\"head\""},
      {"damage of another type", report,
       R"({"anchor":{"hash":"a"},"head":{"hash":"a"},"damage":true})", "\"damage\""},
      {"damage without words", report, R"({"anchor":{"hash":"a"},"head":{"hash":"a"},"damage":{}})",
       "\"problem\""},
  };
  for (const DocumentRefusal& each : kRefusals) {
    Status status = each.decode(each.body);
    ASSERT_FALSE(status) << each.name;
    EXPECT_EQ(status.error().kind, ErrorKind::kInvalid) << each.name;
    EXPECT_TRUE(status.error().message.contains(each.message_part)) << status.error().message;
  }
}

}  // namespace
}  // namespace koya::wire
