#include "service/sign_in/password_work.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <charconv>
#include <filesystem>
#include <map>
#include <string>

#include "auth/password.h"
#include "base/run_task.h"

namespace koya::service {
namespace {

// How many threads of this process there are of each priority.
std::map<int, int> ThreadsByNice() {
  std::map<int, int> threads;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    const std::string name = entry.path().filename();
    id_t thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    ++threads[::getpriority(PRIO_PROCESS, thread)];
  }
  return threads;
}

TEST(PasswordWorkTest, VerifiesWhatItHashed) {
  PasswordWork work;
  const std::string hash = RunTask(work.Hash("correct horse battery")).value();
  EXPECT_TRUE(RunTask(work.Verify(hash, "correct horse battery")));
  for (const char* wrong :
       {"", "correct horse", "Correct horse battery", "correct horse battery "}) {
    EXPECT_EQ(RunTask(work.Verify(hash, wrong)).error().kind, ErrorKind::kUnauthenticated);
  }
  EXPECT_EQ(RunTask(work.Verify(std::nullopt, "")).error().kind, ErrorKind::kUnauthenticated);
  EXPECT_EQ(RunTask(work.Verify("no hash", "x")).error().kind, ErrorKind::kCorrupt);
}

TEST(PasswordWorkTest, ItsThreadsStandBackBehindAllOthers) {
  std::map<int, int> before = ThreadsByNice();
  PasswordWork work;
  std::map<int, int> now = ThreadsByNice();
  EXPECT_EQ(now[PasswordWork::kNice] - before[PasswordWork::kNice],
            static_cast<int>(PasswordWork::kThreads));
  before.erase(PasswordWork::kNice);
  now.erase(PasswordWork::kNice);
  ++before[::getpriority(PRIO_PROCESS, 0)];  // the one that hands back what they have done
  EXPECT_EQ(now, before) << "nobody else does";
}

struct Outcomes {
  std::size_t judged = 0;
  std::size_t refused = 0;
};

// Of some password, at the least cost that there is.
constexpr const char* kCheapHash =
    "$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA"
    "$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

Awaitable<void> VerifyInto(PasswordWork& work, Outcomes& outcomes) {
  Status verified = co_await work.Verify(kCheapHash, "correct horse battery");
  EXPECT_FALSE(verified);
  if (verified || verified.error().kind == ErrorKind::kUnauthenticated) {
    ++outcomes.judged;
    co_return;
  }
  EXPECT_EQ(verified.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(verified.error().retry_after, 2U);
  EXPECT_EQ(verified.error().limit, LimitName("fixed.passwords_at_once"));
  ++outcomes.refused;
}

// One loop: all have begun before it hears of the first that is done.
TEST(PasswordWorkTest, RefusesMoreAtOnceThanItsBound) {
  PasswordWork work;
  Outcomes outcomes;
  boost::asio::io_context loop(1);
  for (std::size_t i = 0; i < PasswordWork::kMost + 10; ++i) {
    boost::asio::co_spawn(loop, VerifyInto(work, outcomes),
                          [](std::exception_ptr failure) { EXPECT_FALSE(failure); });
  }
  loop.run();
  EXPECT_EQ(outcomes.judged, PasswordWork::kMost);
  EXPECT_EQ(outcomes.refused, 10U);
  EXPECT_EQ(RunTask(work.Verify(kCheapHash, "x")).error().kind, ErrorKind::kUnauthenticated)
      << "there is room again";
}

}  // namespace
}  // namespace koya::service
