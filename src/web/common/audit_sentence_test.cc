#include "web/common/audit_sentence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>

#include "domain/audit_record.h"
#include "web/common/embedded.h"
#include "web/common/words.h"

namespace koya::web {
namespace {

struct SentenceCase {
  std::string_view action;
  std::string_view target;
  std::string_view before;
  std::string_view after;
  std::string_view sentence;
};

AuditEntry EntryOf(const SentenceCase& each) {
  return {.action = std::string(each.action),
          .target = std::string(each.target),
          .ns = "edge",
          .before = std::string(each.before),
          .after = std::string(each.after)};
}

TEST(AuditSentenceTest, NamesAllThatAnEntryIsAbout) {
  const SentenceCase kCases[] = {
      {"grant.put", "user:chiyo", "", R"({"role":"publisher"})",
       "Granted publisher in edge to user:chiyo"},
      {"grant.put", "group:ops", R"({"role":"reader"})", R"({"role":"owner"})",
       "Changed the role of group:ops in edge from reader to owner"},
      {"grant.remove", "user:chiyo", R"({"role":"owner"})", "",
       "Removed the role owner in edge from user:chiyo"},
      {"group.add", "group:dev", "", R"({"member":"user:ann"})", "Added user:ann to the group dev"},
      {"module.withdraw", "module:edge/waf/aws@1.0.0", "",
       R"({"reason":"leaks a \"key\"","successor":"1.1.0"})",
       "Withdrew the module edge/waf/aws@1.0.0: leaks a \"key\""},
      {"module.deprecate", "module:edge/waf/aws@1.0.0", "", R"({"deprecation":"use 2.0.0"})",
       "Deprecated the module edge/waf/aws@1.0.0: use 2.0.0"},
      {"module.deprecate", "module:edge/waf/aws@1.0.0", R"({"deprecation":"use 2.0.0"})", "",
       "Removed the deprecation of the module edge/waf/aws@1.0.0"},
      {"token.create", "token:ci", "", R"({"scope":"publish","namespaces":["edge"]})",
       "Created the token ci with scope publish"},
      {"token.create", "token:ci", "", R"({"scope":"read","account":"service:bot"})",
       "Created the token ci of service:bot with scope read"},
      {"policy.rollback", "policy", "", R"({"revision":7,"reason":"too strict","copy_of":5})",
       "Restored revision 5 of the mirror policy as revision 7: too strict"},
      {"session.end", "user:ann", R"({"sessions":3})", "", "Ended 3 sessions of user:ann"},
      {"session.end", "user:ann", R"({"session":"a1"})", "", "Ended a session of user:ann"},
      // What no word knows: actions of later versions, and facts that are not written here.
      {"module.paint", "module:edge/waf/aws", "", "", "module.paint: module:edge/waf/aws"},
      {"server.paint", "", "", "{", "server.paint"},
      {"grant.put", "user:chiyo", "", R"(["role"])", "grant.put: user:chiyo"},
      {"grant.put", "user:chiyo", "", R"({"role":{"a":1}})", "grant.put: user:chiyo"},
      {"grant.put", "user:chiyo", "", R"({"role":"own)", "grant.put: user:chiyo"},
  };
  for (const SentenceCase& each : kCases) {
    EXPECT_EQ(AuditSentence(Language::kEnglish, EntryOf(each)), each.sentence);
  }
}

TEST(AuditSentenceTest, DenialsHaveTheirPathAndNumber) {
  AuditEntry entry{.kind = AuditKind::kDenied,
                   .action = "PUT /api/v1/modules/{namespace}/{name}/{system}/{version}",
                   .after = R"({"status":403,"path":"/api/v1/modules/edge/waf/aws/1.0.0"})"};
  EXPECT_EQ(AuditSentence(Language::kEnglish, entry),
            "Denied: /api/v1/modules/edge/waf/aws/1.0.0 (403)");
  entry.count = 3;
  EXPECT_EQ(AuditSentence(Language::kEnglish, entry),
            "Denied 3 attempts in one minute: /api/v1/modules/edge/waf/aws/1.0.0 (403)");
  entry.after = R"({"status":403})";
  EXPECT_EQ(AuditSentence(Language::kEnglish, entry),
            "Denied 3 attempts in one minute: " + entry.action);
}

TEST(AuditSentenceTest, LongValuesAreCut) {
  const std::string reason(500, 'x');
  const AuditEntry entry{.action = "server.freeze", .after = R"({"reason":")" + reason + "\"}"};
  EXPECT_LT(AuditSentence(Language::kEnglish, entry).size(), 240U);
}

// docs/audit.md lists all actions in its table.
TEST(AuditSentenceTest, EveryActionHasASentence) {
  const auto docs = EmbeddedDocs();
  const auto page = std::ranges::find(docs, "audit.md", &EmbeddedFile::name);
  ASSERT_NE(page, docs.end());
  std::istringstream file{std::string(page->bytes)};
  int actions = 0;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `")) continue;
    const std::string cell = line.substr(0, line.find('|', 1));
    static const std::regex kAction("`([a-z]+\\.[a-z_]+)`");
    for (std::sregex_iterator it(cell.begin(), cell.end(), kAction), end; it != end; ++it) {
      ++actions;
      for (const Language language : kLanguages) {
        EXPECT_TRUE(WordsOf(language).contains("did." + (*it)[1].str())) << (*it)[1];
      }
    }
  }
  EXPECT_GT(actions, 50);
}

}  // namespace
}  // namespace koya::web
