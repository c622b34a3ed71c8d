#include "catalog/sql/engine/database_circuit_breaker.h"

#include <gtest/gtest.h>

namespace koya::sql {
namespace {

using Decision = DatabaseCircuitBreaker::Decision;
using std::chrono::milliseconds;

constexpr DatabaseCircuitBreaker::Time At(int ms) {
  return DatabaseCircuitBreaker::Time(milliseconds(1'000'000 + ms));
}
const Error kDown{.kind = ErrorKind::kUnavailable, .message = "down"};

TEST(CircuitBreakerTest, AdmitsAllWhileClosed) {
  DatabaseCircuitBreaker breaker;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(breaker.Admit(At(i)).decision, Decision::kAdmit);
  EXPECT_FALSE(breaker.is_open());
}

TEST(CircuitBreakerTest, AdmitsOneProbeASecondWhileOpen) {
  DatabaseCircuitBreaker breaker;
  breaker.Open(At(0), kDown);
  EXPECT_EQ(breaker.why(), kDown);
  EXPECT_EQ(breaker.Admit(At(0)).decision, Decision::kReject);
  EXPECT_EQ(breaker.Admit(At(999)).decision, Decision::kReject);
  EXPECT_EQ(breaker.Admit(At(1000)).decision, Decision::kProbe);
  // It may take its time: there is never a second one.
  EXPECT_EQ(breaker.Admit(At(1001)).decision, Decision::kReject);
  EXPECT_EQ(breaker.Admit(At(9000)).decision, Decision::kReject);
  breaker.Open(At(9000), kDown);
  EXPECT_EQ(breaker.Admit(At(9999)).decision, Decision::kReject);
  EXPECT_EQ(breaker.Admit(At(10'000)).decision, Decision::kProbe);
  breaker.Close();
  EXPECT_FALSE(breaker.is_open());
  EXPECT_EQ(breaker.Admit(At(10'001)).decision, Decision::kAdmit);
}

TEST(CircuitBreakerTest, ProbesOnlyWhileAnotherBreakerIsOpen) {
  DatabaseCircuitBreaker breaker;
  EXPECT_EQ(breaker.Admit(At(0), true).decision, Decision::kProbe);
  EXPECT_EQ(breaker.Admit(At(0), true).decision, Decision::kReject);
  breaker.Close();
  EXPECT_EQ(breaker.Admit(At(1), true).decision, Decision::kReject);
  EXPECT_EQ(breaker.Admit(At(1), false).decision, Decision::kAdmit);
  EXPECT_EQ(breaker.Admit(At(1000), true).decision, Decision::kProbe);
}

// Who admission for the reason afterwards found the breaker closed already, and none.
TEST(CircuitBreakerTest, TheReasonComesWithTheRejection) {
  DatabaseCircuitBreaker breaker;
  breaker.Open(At(0), kDown);
  DatabaseCircuitBreaker::Admission admission = breaker.Admit(At(1));
  breaker.Close();
  EXPECT_EQ(admission.decision, Decision::kReject);
  EXPECT_EQ(admission.why, kDown);
  EXPECT_EQ(breaker.Admit(At(2)).why, std::nullopt);
}

TEST(CircuitBreakerTest, TheReasonOfAnotherBreakerIsThere) {
  DatabaseCircuitBreaker breaker;
  EXPECT_EQ(breaker.Admit(At(0), true).decision, Decision::kProbe);
  DatabaseCircuitBreaker::Admission admission = breaker.Admit(At(0), true);
  EXPECT_EQ(admission.decision, Decision::kReject);
  EXPECT_EQ(admission.why, std::nullopt);
  breaker.Open(At(1), kDown);
  EXPECT_EQ(breaker.Admit(At(2), true).why, kDown) << "this one is open, too";
}

}  // namespace
}  // namespace koya::sql
