// What the suites about ledgers of a remote store's objects share. A suite is a source of its own,
// compiled once; an engine's tests register it:
//
//   INSTANTIATE_TEST_SUITE_P(Memory, BlobLedgerSuite,
//   ::testing::Values(&MakeLedger<MemoryLedgerBackend>));
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/blob_ledger.h"
#include "catalog/catalog_suite_base.h"
#include "domain/blob_object.h"
#include "domain/digest.h"

namespace koya {

using std::chrono::seconds;

// An object that holds the bytes that `content` stands for.
inline BlobObject Object(std::string name, const std::string& content) {
  return {.name = std::move(name), .digest = Digest::Of(content), .size = content.size()};
}

// How tests call a ledger. Whatever is not asked to fail must not.
class LedgerUser {
 public:
  explicit LedgerUser(BlobLedger& ledger) : ledger_(ledger) {}

  // The name of the object that is stored already, or "".
  std::string Arrive(const std::string& name, const std::string& content = "content") {
    auto stored = RunTask(ledger_.Arrive(Object(name, content)));
    EXPECT_TRUE(stored) << stored.error().message << stored.error().detail;
    if (!stored || !*stored) return "";
    EXPECT_EQ((*stored)->digest, Digest::Of(content));
    EXPECT_EQ((*stored)->size, content.size());
    return (*stored)->name;
  }
  // The name of the object that holds the bytes now, or the kind of failure.
  std::string Settle(const std::string& name) {
    auto settled = RunTask(ledger_.CompleteUpload(name));
    if (settled) return settled->name;
    EXPECT_NE(settled.error().message.find("repeat"), std::string::npos)
        << settled.error().message << settled.error().detail;
    return std::string(ErrorKindName(settled.error().kind));
  }
  void Store(const std::string& name, const std::string& content = "content") {
    EXPECT_EQ(Arrive(name, content), "");
    EXPECT_EQ(Settle(name), name);
  }
  std::string Find(const std::string& content = "content") {
    auto found = RunTask(ledger_.FindStored(Digest::Of(content)));
    return found ? found->name : std::string(ErrorKindName(found.error().kind));
  }
  void Lose(const std::string& name) { EXPECT_TRUE(RunTask(ledger_.Lose(name))); }
  void Regain(const std::string& name) { EXPECT_TRUE(RunTask(ledger_.Regain(name))); }
  // Whether the object that it is read from was lost.
  bool IsLost(const std::string& content = "content") {
    auto found = RunTask(ledger_.FindStored(Digest::Of(content)));
    return found && found->lost;
  }
  void Forget(const std::string& name) { EXPECT_TRUE(RunTask(ledger_.DeleteRow(name))); }
  std::vector<Digest> LeaveAll(std::vector<Digest> digests, seconds grace) {
    auto left = RunTask(ledger_.MarkLeaving(std::move(digests), grace));
    EXPECT_TRUE(left) << left.error().message << left.error().detail;
    return left ? *left : std::vector<Digest>();
  }
  bool Leave(const std::string& content, seconds grace) {
    return LeaveAll({Digest::Of(content)}, grace) == std::vector{Digest::Of(content)};
  }
  std::uint64_t GiveUp(seconds grace) { return RunTask(ledger_.GiveUpArrivals(grace)).value(); }
  Texts Leaving(seconds trash_for = seconds(-1000), std::size_t limit = 100) {
    return NamesOf(RunTask(ledger_.ListLeaving(trash_for, limit)));
  }
  Texts Stored(std::optional<Digest> after = std::nullopt, std::size_t limit = 100) {
    return NamesOf(RunTask(ledger_.ListStored(after, limit)));
  }

 private:
  static Texts NamesOf(const Result<std::vector<BlobObject>>& objects) {
    Texts names;
    EXPECT_TRUE(objects) << objects.error().message << objects.error().detail;
    if (!objects) return names;
    for (const BlobObject& object : *objects) names.push_back(object.name);
    return names;
  }

  BlobLedger& ledger_;
};

// An empty ledger for one test, and what time does to it.
class LedgerBackend {
 public:
  virtual ~LedgerBackend() = default;

  // Why this machine cannot run it: then the test is skipped. "": it can, and there is a ledger.
  virtual std::string SkipReason() const { return ""; }
  virtual BlobLedger& ledger() = 0;
  // Makes everything in it so much older.
  virtual void Age(seconds by) = 0;
};

template <class Backend>
std::unique_ptr<LedgerBackend> MakeLedger() {
  return std::make_unique<Backend>();
}

class BlobLedgerSuite : public ::testing::TestWithParam<std::unique_ptr<LedgerBackend> (*)()> {
 protected:
  void SetUp() override {
    if (std::string reason = backend_->SkipReason(); !reason.empty()) {
      GTEST_SKIP() << reason;
    }
    user_.emplace(backend_->ledger());
  }
  LedgerUser& user() { return *user_; }
  void Age(seconds by) { backend_->Age(by); }
  BlobLedger& ledger() { return backend_->ledger(); }

 private:
  const std::unique_ptr<LedgerBackend> backend_ = GetParam()();
  std::optional<LedgerUser> user_;
};
}  // namespace koya
