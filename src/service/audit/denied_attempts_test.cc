#include "service/audit/denied_attempts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "base/run_task.h"
#include "obs/log.h"
#include "obs/log_capture_fake.h"
#include "service/audit/audit_catalog_fake.h"

namespace koya::service {
namespace {

constexpr UnixSeconds kStart = 1'700'000'040;  // a minute begins
constexpr const char* kRoute = "GET /api/v1/tokens";

Actor From(std::string address, std::string name = "") {
  return {.name = std::move(name), .address = std::move(address), .request_id = "r"};
}

class DeniedAttemptsTest : public ::testing::Test {
 protected:
  std::uint64_t Attempts() const {
    std::uint64_t attempts = 0;
    for (const AuditRecord& record : catalog_.records) attempts += record.entry.count;
    return attempts;
  }
  // "name address route status: count" for each entry.
  std::vector<std::string> Entries() const {
    std::vector<std::string> texts;
    for (const AuditRecord& record : catalog_.records) {
      const AuditEntry& e = record.entry;
      texts.push_back(e.by.name + " " + e.by.address + " " + e.action + " " + e.after + ": " +
                      std::to_string(e.count));
    }
    return texts;
  }

  AuditCatalogFake catalog_;
  LogCapture captured_;
  Logger log_{captured_.writer(), LogLevel::kInfo};
  DeniedAttempts denied_{catalog_, log_};
};

TEST_F(DeniedAttemptsTest, AttemptsOnDifferentThingsAreDifferentEntries) {
  const std::string kPattern = "PUT /api/v1/modules/{namespace}/{name}/{system}/{version}";
  for (const char* path : {"/api/v1/modules/a/b/c/1.0.0", "/api/v1/modules/d/e/f/1.0.0"}) {
    denied_.RecordAttempt(From("a", "user:ada"), kPattern, 403, kStart, "", path);
    denied_.RecordAttempt(From("192.0.2.1"), kPattern, 401, kStart, "", path);
  }
  denied_.RecordAttempt(From("a", "user:ada"), kPattern, 403, kStart, "", std::string(5000, 'x'));
  RunTask(denied_.WriteAll());
  std::vector<std::string> facts;
  for (const AuditRecord& record : catalog_.records) facts.push_back(record.entry.after);
  EXPECT_EQ(facts,
            (std::vector<std::string>{
                R"({"status":401})", R"({"status":403,"path":"/api/v1/modules/a/b/c/1.0.0"})",
                R"({"status":403,"path":"/api/v1/modules/d/e/f/1.0.0"})",
                R"({"status":403,"path":")" + std::string(256, 'x') + "\"}"}));
}

TEST_F(DeniedAttemptsTest, TheSameInOneMinuteIsOneEntry) {
  for (int i = 0; i < 100; ++i)
    denied_.RecordAttempt(From("a", "user:ada"), kRoute, 403, kStart + i % 60);
  denied_.RecordAttempt(From("a"), kRoute, 401, kStart);
  denied_.RecordAttempt(From("b", "user:ada"), kRoute, 403, kStart);
  denied_.RecordAttempt(From("a", "user:ada"), "GET /", 403, kStart);
  denied_.RecordAttempt(From("a", "user:ada"), kRoute, 403, kStart + 60);
  RunTask(denied_.Write(kStart + 59));
  EXPECT_EQ(catalog_.calls, 0) << "the minute is not over";
  RunTask(denied_.Write(kStart + 60));
  EXPECT_EQ(Entries(),
            (std::vector<std::string>{" a GET /api/v1/tokens {\"status\":401}: 1",
                                      "user:ada a GET / {\"status\":403}: 1",
                                      "user:ada a GET /api/v1/tokens {\"status\":403}: 100",
                                      "user:ada b GET /api/v1/tokens {\"status\":403}: 1"}));
  EXPECT_EQ(catalog_.calls, 1) << "one batch";
  const AuditEntry& entry = catalog_.records[0].entry;
  EXPECT_EQ(entry.kind, AuditKind::kDenied);
  EXPECT_EQ(entry.at, kStart);
  EXPECT_EQ(entry.by.request_id, "r");
  RunTask(denied_.WriteAll());
  EXPECT_EQ(Attempts(), 104U);
  RunTask(denied_.WriteAll());
  EXPECT_EQ(Attempts(), 104U);
}

TEST_F(DeniedAttemptsTest, AFloodIsAFewEntries) {
  constexpr int kFlood = 20'000;
  for (int i = 0; i < kFlood; ++i) {
    denied_.RecordAttempt(From("a", fmt::format("user:{}", i)), i % 2 == 0 ? kRoute : "GET /", 401,
                          kStart);
  }
  RunTask(denied_.Write(kStart + 60));
  EXPECT_EQ(catalog_.records.size(), DeniedAttempts::kMostSums + 2);
  EXPECT_EQ(Attempts(), std::uint64_t{kFlood}) << "all are counted";
  int of_others = 0;
  for (const AuditRecord& record : catalog_.records) {
    if (record.entry.by.name != DeniedAttempts::kOthers) continue;
    ++of_others;
    EXPECT_EQ(record.entry.by, (Actor{.name = DeniedAttempts::kOthers})) << "nobody's address";
  }
  EXPECT_EQ(of_others, 2);
  denied_.RecordAttempt(From("a"), kRoute, 401, kStart + 60);
  RunTask(denied_.WriteAll());
  EXPECT_EQ(catalog_.records.back().entry.by.address, "a") << "another minute, another bound";
}

// Bug: 688 requests a minute without a token, of 86 routes from 8 addresses, were 586 entries.
TEST_F(DeniedAttemptsTest, StrangersFillNoLog) {
  for (int i = 0; i < 20'000; ++i) {
    denied_.RecordAttempt(From(fmt::format("10.{}.{}.1", i % 200, i % 256)),
                          fmt::format("GET /{}/{{namespace}}", i % 86), 401, kStart,
                          i % 3 == 0 ? "acme" : "");
  }
  RunTask(denied_.WriteAll());
  EXPECT_EQ(catalog_.records.size(), DeniedAttempts::kMostAnonymous + 1);
  EXPECT_EQ(Attempts(), 20'000U) << "all are counted";
  std::size_t of_others = 0;
  for (const AuditRecord& record : catalog_.records) {
    if (record.entry.by.name != DeniedAttempts::kOthers) continue;
    ++of_others;
    EXPECT_EQ(record.entry.action, DeniedAttempts::kOthers);
    EXPECT_EQ(record.entry.after, "");
    EXPECT_EQ(record.entry.ns + record.entry.target, "");
  }
  EXPECT_EQ(of_others, 1U);
}

TEST_F(DeniedAttemptsTest, StrangersAreSummedByNetworkKindOfRouteAndNamespace) {
  for (const char* address : {"192.0.2.1", "192.0.2.254", "::ffff:192.0.2.7"}) {
    denied_.RecordAttempt(From(address), "GET /v1/modules/{namespace}/{name}/{system}/versions",
                          401, kStart, "acme");
    denied_.RecordAttempt(From(address), "GET /v1/modules/{namespace}", 401, kStart, "acme");
  }
  denied_.RecordAttempt(From("192.0.2.1"), "GET /v1/modules/{namespace}", 401, kStart, "beta");
  denied_.RecordAttempt(From("192.0.3.1"), "POST /api/v1/oidc/exchange", 401, kStart);
  denied_.RecordAttempt(From("2001:db8:1:2::1"), "GET /", 401, kStart);
  denied_.RecordAttempt(From("2001:db8:1:2::2"), "GET /", 401, kStart);
  denied_.RecordAttempt(From("2001:db8:1:3::2"), "elsewhere", 401, kStart);
  RunTask(denied_.WriteAll());
  EXPECT_EQ(Entries(),
            (std::vector<std::string>{" 192.0.2.0/24 GET /v1/modules/… {\"status\":401}: 6",
                                      " 192.0.2.0/24 GET /v1/modules/… {\"status\":401}: 1",
                                      " 192.0.3.0/24 POST /api/v1/oidc/… {\"status\":401}: 1",
                                      " 2001:db8:1:2::/64 GET / {\"status\":401}: 2",
                                      " 2001:db8:1:3::/64 elsewhere {\"status\":401}: 1"}));
  EXPECT_EQ(catalog_.records[0].entry.ns, "acme");
  EXPECT_EQ(catalog_.records[1].entry.ns, "beta");
  EXPECT_EQ(catalog_.records[1].entry.target, "namespace:beta");
}

TEST_F(DeniedAttemptsTest, AnOutageOfTheCatalogIsOutlasted) {
  denied_.RecordAttempt(From("a"), kRoute, 401, kStart);
  catalog_.away = true;
  RunTask(denied_.Write(kStart + 60));
  denied_.RecordAttempt(From("a"), kRoute, 401, kStart + 59);  // it was answered a moment ago
  catalog_.away = false;
  RunTask(denied_.Write(kStart + 61));
  EXPECT_EQ(Entries(), (std::vector<std::string>{" a GET /api/v1/tokens {\"status\":401}: 2"}));
}

TEST_F(DeniedAttemptsTest, ALongOutageIsForgottenAndTold) {
  catalog_.away = true;
  const auto minutes = static_cast<UnixSeconds>(DeniedAttempts::kMostMinutes);
  for (UnixSeconds minute = 0; minute < minutes + 5; ++minute) {
    denied_.RecordAttempt(From("a"), kRoute, 401, kStart + minute * 60);
    RunTask(denied_.Write(kStart + minute * 60));
  }
  catalog_.away = false;
  RunTask(denied_.WriteAll());
  EXPECT_EQ(catalog_.records.size(), DeniedAttempts::kMostMinutes);
  std::int64_t forgotten = 0;
  for (const auto& line : captured_.Lines()) forgotten += line.at("attempts").to_number<int>();
  EXPECT_EQ(forgotten, 5);
}

TEST_F(DeniedAttemptsTest, ManyThreadsNoteAtOnce) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this] {
      for (int i = 0; i < 1000; ++i)
        denied_.RecordAttempt(From(std::to_string(i % 7)), kRoute, 401, kStart);
    });
  }
  threads.clear();
  RunTask(denied_.WriteAll());
  EXPECT_EQ(catalog_.records.size(), 7U);
  EXPECT_EQ(Attempts(), 4000U);
}

}  // namespace
}  // namespace koya::service
