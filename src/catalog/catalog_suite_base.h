// What the catalog's conformance suites share. A suite is a source of its own, compiled once; a
// program that links some of them says with CatalogEngines() what they run on.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/run_task.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/change_log.h"
#include "catalog/storage_catalog.h"
#include "domain/audit_record.h"
#include "domain/module_address.h"
#include "domain/version.h"

namespace koya {

using Texts = std::vector<std::string>;

// The timeout of catalogs in these tests, which check correctness, however slow the machine.
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

// An empty catalog for one test.
class CatalogBackend {
 public:
  virtual ~CatalogBackend() = default;

  // Why this machine cannot run it: then the test is skipped. "": it can, and there is a catalog.
  virtual std::string SkipReason() const { return ""; }
  virtual Catalog& catalog() = 0;
};

// What a catalog runs on; its name ends the names of its tests.
struct CatalogEngine {
  std::string name;
  std::function<std::unique_ptr<CatalogBackend>()> make_backend;

  friend void PrintTo(const CatalogEngine& engine, std::ostream* out) { *out << engine.name; }
};

// Each program defines it.
std::vector<CatalogEngine> CatalogEngines();

#define INSTANTIATE_CATALOG_SUITE(suite)                                          \
  INSTANTIATE_TEST_SUITE_P(Engines, suite, ::testing::ValuesIn(CatalogEngines()), \
                           ::testing::PrintToStringParamName())

// The catalog's parts are methods of each test.
class CatalogSuiteBase : public ::testing::TestWithParam<CatalogEngine>, protected CatalogParts {
 protected:
  void SetUp() override {
    if (std::string reason = backend_->SkipReason(); !reason.empty()) GTEST_SKIP() << reason;
    static_cast<CatalogParts&>(*this) = CatalogParts(backend_->catalog());
  }

  const CatalogParts& catalog() const { return *this; }

  Texts TopicsSince(const ChangePosition& after) {
    Texts topics;
    auto changes = RunTask(this->changes().ChangesSince(after));
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
    auto unneeded = RunTask(blob_references().FindUnreferenced({digest}));
    EXPECT_TRUE(unneeded) << unneeded.error().message << unneeded.error().detail;
    return unneeded && unneeded->empty();
  }
  // By a version that is published here, or by a draft.
  bool IsPublished(const Digest& digest) {
    auto unneeded = RunTask(blob_references().FindUnpublished({digest}));
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
  const std::unique_ptr<CatalogBackend> backend_ = GetParam().make_backend();
};

}  // namespace koya
