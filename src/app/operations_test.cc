#include "app/operations.h"

#include <gtest/gtest.h>

#include <optional>
#include <variant>

#include "base/run_task.h"
#include "base/text_source_fake.h"

namespace koya {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Reasons = std::vector<std::string>;

struct Case {
  ServingPhase phase;
  milliseconds silence;
  bool ready;
  bool ready_degraded;
  Reasons reasons;
};

TEST(ReadinessTest, ACatalogThatIsSilentForFiveSecondsIsAReasonUnlessWhatIsHeldWillDo) {
  const Case kCases[] = {
      {ServingPhase::kServing, milliseconds(0), true, true, {}},
      {ServingPhase::kServing, milliseconds(5000), true, true, {}},
      {ServingPhase::kServing,
       milliseconds(5001),
       false,
       true,
       {"the catalog has not responded for 5 s"}},
      {ServingPhase::kServing,
       milliseconds(60'000),
       false,
       true,
       {"the catalog has not responded for 60 s"}},
      {ServingPhase::kServing,
       milliseconds(60'001),
       false,
       false,
       {"the catalog has not responded for 60 s"}},
      {ServingPhase::kStarting, milliseconds(0), false, false, {"starting"}},
      // It was not asked yet.
      {ServingPhase::kStarting, milliseconds(1'000'000), false, false, {"starting"}},
      {ServingPhase::kStopping, milliseconds(0), false, false, {"stopping"}},
      {ServingPhase::kStopping,
       milliseconds(7000),
       false,
       false,
       {"stopping", "the catalog has not responded for 7 s"}},
  };
  for (const Case& item : kCases) {
    const ServingState state{.phase = item.phase,
                             .waits_for = "",
                             .silence = item.silence,
                             .offline = {.serve_stale = seconds(60), .offline_grace = {}}};
    EXPECT_EQ(ReadinessOf(state, false), (Readiness{item.ready, item.reasons})) << item.silence;
    EXPECT_EQ(ReadinessOf(state, true), (Readiness{item.ready_degraded, item.reasons}))
        << item.silence;
  }
}

TEST(ReadinessTest, WithoutServeStaleNothingIsHeldForAnybody) {
  const ServingState state{
      .phase = ServingPhase::kServing, .waits_for = "", .silence = seconds(6), .offline = {}};
  EXPECT_FALSE(ReadinessOf(state, true).ready);
}

TEST(ReadinessTest, WhatTokensStillCountForIsSaid) {
  const ServingState state{.phase = ServingPhase::kServing,
                           .waits_for = "",
                           .silence = seconds(10),
                           .offline = {.serve_stale = seconds(60), .offline_grace = seconds(15)}};
  EXPECT_EQ(ReadinessOf(state, true).reasons,
            (Reasons{"the catalog has not responded for 10 s",
                     "tokens that were checked stay valid for another 5 s without the catalog"}));
}

class OperationsRoutesTest : public ::testing::Test {
 protected:
  // The status and the body.
  std::string Get(std::string_view path, std::string_view query = "") {
    for (const http::RouteSpec& route : routes_) {
      if (route.pattern != path) continue;
      http::Request request;
      request.path = path;
      request.query = query;
      http::Exchange exchange{request, {}, body_};
      std::optional<http::Response> response;
      RunTask(Store(route.handler(exchange), &response));
      return std::to_string(response->status) + " " + std::get<std::string>(response->body);
    }
    return "no such route";
  }
  static Awaitable<void> Store(Awaitable<http::Response> answer,
                               std::optional<http::Response>* response) {
    *response = co_await std::move(answer);
  }

  Metrics metrics_;
  ServingStatus status_;
  std::vector<http::RouteSpec> routes_ = OperationsRoutes(metrics_, status_);
  TextSource body_{""};
};

TEST_F(OperationsRoutesTest, WhatTheStartWaitsForIsSaidAsJson) {
  EXPECT_EQ(Get("/healthz"), "200 ok\n");
  EXPECT_EQ(Get("/readyz"), "503 {\"ready\":false,\"reasons\":[\"starting\"]}\n");
  status_.SetWaiting("no \"db\"\nhere");
  EXPECT_EQ(Get("/readyz"), R"(503 {"ready":false,"reasons":["starting: no \"db\"\nhere"]})"
                            "\n");
  status_.SetPhase(ServingPhase::kServing);
  EXPECT_EQ(Get("/readyz"), "200 {\"ready\":true,\"reasons\":[]}\n");
}

TEST_F(OperationsRoutesTest, OnlyWhoAsksForItHearsThatWhatIsHeldWillDo) {
  status_.SetPhase(ServingPhase::kServing);
  status_.Follow([] { return seconds(9); }, {.serve_stale = seconds(60), .offline_grace = {}});
  for (const char* query : {"", "degraded", "degraded=0", "degraded=10", "xdegraded=1"}) {
    EXPECT_TRUE(Get("/readyz", query).starts_with("503 ")) << query;
  }
  for (const char* query : {"degraded=1", "a=b&degraded=1", "degraded=1&a=b"}) {
    EXPECT_TRUE(Get("/readyz", query).starts_with("200 {\"ready\":true,")) << query;
  }
}

}  // namespace
}  // namespace koya
