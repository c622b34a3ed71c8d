// What the catalog's conformance suites share. A backend is a type with `Catalog& catalog()`; it
// runs each suite:
//
//   INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, CatalogSuite, SqliteBackend);
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/run_task.h"
#include "catalog/change_log.h"
#include "domain/audit_record.h"
#include "domain/module_address.h"
#include "domain/version.h"

namespace koya {

class Catalog;

using Texts = std::vector<std::string>;

// Of the catalogs in these tests: they are about what is right, however slow the machine.
inline constexpr std::chrono::minutes kPatience{10};

inline constexpr UnixSeconds kSuiteNow = 1'700'000'000;

// Who changes things in these tests.
inline Actor Tester() { return {.name = "user:tester", .request_id = "of the test"}; }

inline ModuleAddress Address(std::string_view text) { return *ModuleAddress::Parse(text); }
inline Version V(std::string_view text) { return *Version::Parse(text); }

template <class T>
ErrorKind CatalogErrorOf(const Result<T>& result) {
  EXPECT_FALSE(result.has_value());
  if (result) return ErrorKind::kInternal;
  EXPECT_NE(result.error().message, "");
  return result.error().kind;
}

// Tasks that run at the same time, from one thread, on as many connections as the catalog has.
class Racers {
 public:
  template <class T>
  void Add(Task<T> task, std::vector<Result<T>>* results) {
    boost::asio::co_spawn(loop_, Collect(std::move(task), results),
                          [](const std::exception_ptr& error) { EXPECT_FALSE(error); });
  }
  void Run() { loop_.run(); }
  void RunOne() { loop_.run_one(); }

 private:
  template <class T>
  static Awaitable<void> Collect(Task<T> task, std::vector<Result<T>>* results) {
    Result<T> result = co_await std::move(task);
    results->push_back(std::move(result));
  }
  boost::asio::io_context loop_{1};
};

template <class Backend>
class CatalogSuiteBase : public ::testing::Test {
 protected:
  // For backends that may be absent: their reason to be skipped.
  void SetUp() override {
    if (std::string reason = backend_.SkipReason(); !reason.empty()) GTEST_SKIP() << reason;
  }

  Catalog& catalog() { return backend_.catalog(); }

  Texts TopicsSince(const ChangePosition& after) {
    Texts topics;
    auto changes = RunTask(catalog().ChangesSince(after));
    EXPECT_TRUE(changes);
    std::int64_t sequence = after.sequence;
    for (const Change& change : *changes) {
      EXPECT_GT(change.sequence, sequence);
      sequence = change.sequence;
      topics.push_back(change.topic);
    }
    return topics;
  }

  bool IsReferenced(const Digest& digest) {
    auto unneeded = RunTask(catalog().FindUnreferenced({digest}));
    EXPECT_TRUE(unneeded) << unneeded.error().message << unneeded.error().detail;
    return unneeded && unneeded->empty();
  }
  // By what is published here, or by a draft.
  bool IsPublished(const Digest& digest) {
    auto unneeded = RunTask(catalog().FindUnpublished({digest}));
    EXPECT_TRUE(unneeded) << unneeded.error().message << unneeded.error().detail;
    return unneeded && unneeded->empty();
  }

  // Whether `result` failed with `kind` and says `words` to the user.
  template <class T>
  static void ExpectFails(const Result<T>& result, ErrorKind kind, std::string_view words) {
    ASSERT_FALSE(result.has_value()) << "expected: " << words;
    EXPECT_EQ(result.error().kind, kind) << result.error().message << result.error().detail;
    EXPECT_NE(result.error().message.find(words), std::string::npos) << result.error().message;
  }

 private:
  Backend backend_;
};

}  // namespace koya
