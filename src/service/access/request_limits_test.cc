#include "service/access/request_limits.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "auth/principal.h"
#include "base/manual_clock_fake.h"
#include "base/run_task.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/usage_catalog.h"
#include "obs/log.h"
#include "obs/log_capture_fake.h"

namespace koya::service {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

class FailingSums final : public SentBytesCatalog {
 public:
  Task<std::vector<std::uint64_t>> AddSentBytes(std::int64_t, std::vector<SentBytes>) override {
    co_return FailUnavailable("the database is away");
  }
};

class RequestLimitsTest : public ::testing::Test {
 protected:
  RequestLimitsTest() {
    clock_.now = SystemClock().Now();  // the catalog's
  }

  std::unique_ptr<RequestLimits> Make(RequestAllowances allowances) {
    return std::make_unique<RequestLimits>(catalog_, log_, clock_, allowances,
                                           [this] { return now_; });
  }
  static auth::Principal Token(std::string name) {
    return {.name = std::move(name), .scope = Scope::kRead, .namespaces = {}};
  }
  // Counts a request whose answer takes so many bytes.
  static Status Ask(RequestLimits& limits, const auth::Principal* who, std::string_view address,
                    std::uint64_t bytes = 0) {
    ASSIGN_OR_RETURN(RequestLimits::Meter meter, limits.Count(who, address));
    if (meter) *meter += bytes;
    return {};
  }
  static void ExpectThrottled(const Status& status, std::string_view limit,
                              std::string_view words) {
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().kind, ErrorKind::kThrottled);
    EXPECT_EQ(status.error().limit.text(), limit);
    EXPECT_NE(status.error().message.find(words), std::string::npos) << status.error().message;
    EXPECT_NE(status.error().message.find(limit), std::string::npos) << status.error().message;
    EXPECT_GE(status.error().retry_after, 1U);
  }

  ManualClock clock_;
  std::chrono::nanoseconds now_ = std::chrono::hours(1);
  LogCapture captured_;
  Logger log_{captured_.writer(), LogLevel::kInfo};
  TestCatalog catalog_;
  const auth::Principal ci_ = Token("ci");
};

TEST_F(RequestLimitsTest, NobodyIsLimitedUnlessItIsSaid) {
  auto limits = Make({});
  EXPECT_FALSE(limits->on());
  for (int i = 0; i < 1'000; ++i) EXPECT_TRUE(Ask(*limits, nullptr, "192.0.2.7", kMiB));
  RunTask(limits->Share());
  EXPECT_EQ(limits->known(), 0U);
}

TEST_F(RequestLimitsTest, ATokenIsCountedForItselfAndNotForItsAddress) {
  auto limits = Make({.token = {.requests = 3}, .address = {.requests = 1}});
  const auth::Principal other = Token("other");
  const auth::Principal stranger;
  EXPECT_TRUE(Ask(*limits, nullptr, "192.0.2.7"));
  ExpectThrottled(Ask(*limits, nullptr, "192.0.2.7"), "limits.address_requests", "this address");
  ExpectThrottled(Ask(*limits, &stranger, "192.0.2.7"), "limits.address_requests", "in 1 s");
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Ask(*limits, &ci_, "192.0.2.7")) << i;
  ExpectThrottled(Ask(*limits, &ci_, "192.0.2.8"), "limits.token_requests", "3 requests a second");
  EXPECT_TRUE(Ask(*limits, &other, "192.0.2.7"));
  EXPECT_TRUE(Ask(*limits, nullptr, "192.0.2.8"));
  now_ += milliseconds(334);
  EXPECT_TRUE(Ask(*limits, &ci_, "192.0.2.7"));
  EXPECT_FALSE(Ask(*limits, &ci_, "192.0.2.7"));
}

TEST_F(RequestLimitsTest, OneKindMayBeLimitedAlone) {
  auto tokens = Make({.token = {.requests = 1}, .address = {}});
  EXPECT_TRUE(Ask(*tokens, &ci_, "192.0.2.7"));
  EXPECT_FALSE(Ask(*tokens, &ci_, "192.0.2.7"));
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(Ask(*tokens, nullptr, "192.0.2.7", kMiB));
  auto addresses = Make({.token = {}, .address = {.bytes_per_day = kMiB}});
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(Ask(*addresses, &ci_, "192.0.2.7", kMiB));
  EXPECT_TRUE(Ask(*addresses, nullptr, "192.0.2.7", kMiB));
  EXPECT_FALSE(Ask(*addresses, nullptr, "192.0.2.7"));
}

TEST_F(RequestLimitsTest, AnIpv6NetworkIsOneAddress) {
  auto limits = Make({.token = {}, .address = {.requests = 2}});
  EXPECT_TRUE(Ask(*limits, nullptr, "2001:db8::1"));
  EXPECT_TRUE(Ask(*limits, nullptr, "2001:db8::2"));
  EXPECT_FALSE(Ask(*limits, nullptr, "2001:db8::3"));
  EXPECT_TRUE(Ask(*limits, nullptr, "2001:db8:0:1::3"));
  EXPECT_TRUE(Ask(*limits, nullptr, "192.0.2.7"));
  EXPECT_TRUE(Ask(*limits, nullptr, "::ffff:192.0.2.7"));
  EXPECT_FALSE(Ask(*limits, nullptr, "192.0.2.7"));
}

TEST_F(RequestLimitsTest, WhoHasHadADaysBytesWaitsForTheNext) {
  clock_.now = clock_.now / 86'400 * 86'400 + 86'390;
  auto limits = Make({.token = {.bytes_per_day = kMiB}, .address = {}});
  EXPECT_TRUE(Ask(*limits, &ci_, "", kMiB - 1));
  EXPECT_TRUE(Ask(*limits, &ci_, "", kMiB)) << "what is under way is not cut off";
  Status refused = Ask(*limits, &ci_, "");
  ExpectThrottled(refused, "limits.token_bytes_per_day", "1MiB");
  EXPECT_EQ(refused.error().retry_after, 10U);
  EXPECT_NE(refused.error().message.find("T00:00:00Z"), std::string::npos);
  clock_.now += 10;
  EXPECT_TRUE(Ask(*limits, &ci_, ""));
}

TEST_F(RequestLimitsTest, ServersKnowEachOthersBytes) {
  const RequestAllowances allowances{.token = {.bytes_per_day = kMiB},
                                     .address = {.bytes_per_day = 2 * kMiB}};
  auto one = Make(allowances);
  auto two = Make(allowances);
  EXPECT_TRUE(Ask(*one, &ci_, "", kMiB / 2));
  EXPECT_TRUE(Ask(*one, nullptr, "2001:db8::1", kMiB));
  EXPECT_TRUE(Ask(*two, &ci_, "", kMiB / 2));
  EXPECT_TRUE(Ask(*two, nullptr, "2001:db8::2", kMiB));
  EXPECT_TRUE(Ask(*two, &ci_, ""));
  RunTask(one->Share());
  RunTask(two->Share());
  EXPECT_FALSE(Ask(*two, &ci_, ""));
  EXPECT_FALSE(Ask(*two, nullptr, "2001:db8::3"));
  EXPECT_TRUE(Ask(*one, &ci_, "")) << "it has not heard yet";
  RunTask(one->Share());
  EXPECT_FALSE(Ask(*one, &ci_, ""));
  auto begun_anew = Make(allowances);
  EXPECT_TRUE(Ask(*begun_anew, &ci_, ""));
  RunTask(begun_anew->Share());
  EXPECT_FALSE(Ask(*begun_anew, &ci_, ""));
}

TEST_F(RequestLimitsTest, AFloodOfAddressesFillsNeitherMemoryNorTheCatalog) {
  auto limits = Make({.token = {}, .address = {.requests = 1, .bytes_per_day = 256 * 1'000}});
  for (int i = 0; i < 100'000; ++i) {
    EXPECT_TRUE(Ask(*limits, nullptr, "10.0." + std::to_string(i), 999));
  }
  EXPECT_LE(limits->known(), RequestLimits::kMostKnown);
  for (int i = 0; i < 3; ++i) RunTask(limits->Share());
  auto sums =
      RunTask(catalog_.sent_bytes().AddSentBytes(clock_.now / 86'400, {{"address:10.0.99999", 0}}));
  EXPECT_EQ(sums.value(), std::vector<std::uint64_t>{0});
}

TEST_F(RequestLimitsTest, WithoutTheCatalogEachServerCountsAlone) {
  FailingSums away;
  RequestLimits limits(away, log_, clock_, {.token = {.bytes_per_day = kMiB}, .address = {}});
  EXPECT_TRUE(Ask(limits, &ci_, "", kMiB / 2));
  for (int i = 0; i < 3; ++i) RunTask(limits.Share());
  EXPECT_TRUE(Ask(limits, &ci_, "", kMiB / 2));
  EXPECT_FALSE(Ask(limits, &ci_, ""));
  RunTask(limits.Share());
  EXPECT_FALSE(Ask(limits, &ci_, ""));
}

}  // namespace
}  // namespace koya::service
