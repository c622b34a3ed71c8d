// For tests of stores and for the ledger's model: a ledger in memory, with a clock that is set by
// hand and with references that the test names. Threads: any; each method is one step.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "catalog/blob_ledger.h"
#include "domain/storage_record.h"

namespace koya {

class FakeBlobLedger : public virtual BlobLedger {
 public:
  enum class State { kArriving, kStored, kLost, kLeaving };
  struct Row {
    BlobObject object;
    State state = State::kArriving;
    UnixSeconds at = 0;
    friend bool operator==(const Row&, const Row&) = default;
  };

  FakeBlobLedger() = default;
  // As it is now.
  FakeBlobLedger(const FakeBlobLedger& other) {
    std::lock_guard lock(other.mutex_);
    now_ = other.now_;
    rows_ = other.rows_;
    is_referenced_ = other.is_referenced_;
    failure_ = other.failure_;
  }
  FakeBlobLedger& operator=(const FakeBlobLedger&) = delete;

  // The database's clock. It stands still in between.
  void Advance(std::chrono::seconds by) {
    std::lock_guard lock(mutex_);
    now_ += by.count();
  }
  // Which digests something refers to. None, until this is called.
  void SetReferenced(std::function<bool(const Digest&)> is_referenced) {
    std::lock_guard lock(mutex_);
    is_referenced_ = std::move(is_referenced);
  }
  // Every method fails with it, and does nothing; none: they work again.
  void SetFailure(std::optional<Error> failure) {
    std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
  }
  // What a transaction does that records references to `digests`: it renews their stored objects.
  // Fails: kUnavailable when one has none; then nothing is to be recorded.
  Status Renew(const std::vector<Digest>& digests) {
    std::lock_guard lock(mutex_);
    if (failure_) return Failure(*failure_);
    std::set<Row*> rows;
    for (const Digest& digest : digests) rows.insert(Stored(digest));
    if (rows.contains(nullptr)) return GoneMeanwhile();
    for (Row* row : rows) row->at = now_;
    return {};
  }
  // All rows, by name.
  std::vector<Row> Rows() const {
    std::lock_guard lock(mutex_);
    std::vector<Row> rows;
    for (const auto& [name, row] : rows_) rows.push_back(row);
    return rows;
  }
  std::optional<State> StateOf(const std::string& name) const {
    std::lock_guard lock(mutex_);
    auto found = rows_.find(name);
    return found == rows_.end() ? std::nullopt : std::optional(found->second.state);
  }

  Task<std::optional<BlobObject>> Arrive(BlobObject object) override {
    std::lock_guard lock(mutex_);
    if (failure_) co_return Failure(*failure_);
    if (Row* stored = Stored(object.digest)) {
      stored->at = now_;
      co_return stored->object;
    }
    const std::string name = object.name;
    const bool is_new =
        rows_.try_emplace(name, Row{std::move(object), State::kArriving, now_}).second;
    if (!is_new) co_return Fail(ErrorKind::kInternal, "an object's name was used twice", name);
    co_return std::nullopt;
  }

  Task<BlobObject> CompleteUpload(std::string name) override {
    std::lock_guard lock(mutex_);
    if (failure_) co_return Failure(*failure_);
    auto found = rows_.find(name);
    if (found == rows_.end()) co_return GivenUp();
    Row& row = found->second;
    if (row.state != State::kArriving && row.state != State::kStored) co_return GivenUp();
    co_return Hold(row);
  }

  Task<BlobObject> FindStored(Digest digest) override {
    std::lock_guard lock(mutex_);
    if (failure_) co_return Failure(*failure_);
    if (const Row* stored = Stored(digest)) co_return stored->object;
    if (const Row* lost = Find(digest, State::kLost)) {
      BlobObject object = lost->object;
      object.lost = true;
      co_return object;
    }
    co_return Fail(ErrorKind::kNotFound, "no object is stored of " + digest.ToString());
  }

  Task<std::vector<BlobObject>> ListStored(std::optional<Digest> after,
                                           std::size_t limit) override {
    std::lock_guard lock(mutex_);
    if (failure_) co_return Failure(*failure_);
    std::vector<BlobObject> objects;
    for (const auto& [name, row] : rows_) {
      if (MayLeave(row) && (!after || row.object.digest > *after)) objects.push_back(row.object);
    }
    std::ranges::sort(objects, {}, [](const BlobObject& object) {
      return std::pair(object.digest, object.name);
    });
    Cut(objects, limit);
    co_return objects;
  }

  Task<void> Lose(std::string name) override {
    std::lock_guard lock(mutex_);
    if (failure_) co_return Failure(*failure_);
    auto found = rows_.find(name);
    if (found != rows_.end() && found->second.state == State::kStored) {
      Become(State::kLost, found->second);
    }
    co_return Status();
  }

  Task<void> Regain(std::string name) override {
    std::lock_guard lock(mutex_);
    if (failure_) co_return Failure(*failure_);
    auto found = rows_.find(name);
    if (found != rows_.end() && found->second.state == State::kLost) Hold(found->second);
    co_return Status();
  }

  Task<std::vector<Digest>> MarkLeaving(std::vector<Digest> digests,
                                        std::chrono::seconds grace) override {
    std::lock_guard lock(mutex_);
    if (failure_) co_return Failure(*failure_);
    const std::set<Digest> asked(digests.begin(), digests.end());
    std::set<Digest> left;
    for (auto& [name, row] : rows_) {
      const Digest digest = row.object.digest;
      const bool goes = asked.contains(digest) && MayLeave(row) && IsOlder(row, grace) &&
                        !(is_referenced_ && is_referenced_(digest));
      if (!goes) continue;
      Become(State::kLeaving, row);
      left.insert(digest);
    }
    co_return std::vector<Digest>(left.begin(), left.end());
  }

  Task<std::vector<Digest>> FindOlder(std::vector<Digest> digests,
                                      std::chrono::seconds grace) override {
    std::lock_guard lock(mutex_);
    if (failure_) co_return Failure(*failure_);
    const std::set<Digest> asked(digests.begin(), digests.end());
    std::set<Digest> older;
    for (const auto& [name, row] : rows_) {
      const Digest digest = row.object.digest;
      if (asked.contains(digest) && MayLeave(row) && IsOlder(row, grace)) older.insert(digest);
    }
    co_return std::vector<Digest>(older.begin(), older.end());
  }

  Task<std::uint64_t> GiveUpArrivals(std::chrono::seconds grace) override {
    std::lock_guard lock(mutex_);
    if (failure_) co_return Failure(*failure_);
    std::uint64_t given_up = 0;
    for (auto& [name, row] : rows_) {
      if (row.state != State::kArriving || !IsOlder(row, grace)) continue;
      Become(State::kLeaving, row);
      ++given_up;
    }
    co_return given_up;
  }

  Task<std::vector<BlobObject>> ListLeaving(std::chrono::seconds trash_for,
                                            std::size_t limit) override {
    std::lock_guard lock(mutex_);
    if (failure_) co_return Failure(*failure_);
    std::vector<std::pair<UnixSeconds, BlobObject>> found;
    for (const auto& [name, row] : rows_) {
      const bool is_due = row.state == State::kLeaving && IsOlder(row, trash_for);
      if (is_due) found.emplace_back(row.at, row.object);
    }
    std::ranges::sort(found, {},
                      [](const auto& each) { return std::pair(each.first, each.second.name); });
    std::vector<BlobObject> objects;
    for (auto& [at, object] : found) objects.push_back(std::move(object));
    Cut(objects, limit);
    co_return objects;
  }

  Task<std::vector<std::string>> FindUnknown(std::vector<std::string> names) override {
    std::lock_guard lock(mutex_);
    if (failure_) co_return Failure(*failure_);
    std::erase_if(names, [this](const std::string& name) { return rows_.contains(name); });
    co_return names;
  }

  Task<void> DeleteRow(std::string name) override {
    std::lock_guard lock(mutex_);
    if (failure_) co_return Failure(*failure_);
    auto found = rows_.find(name);
    if (found != rows_.end() && found->second.state == State::kLeaving) rows_.erase(found);
    co_return Status();
  }

 private:
  static Failure GoneMeanwhile() {
    return FailUnavailable(
        "the bytes were removed as unused before they were recorded: repeat the command");
  }
  static Failure GivenUp() {
    Failure failure = GoneMeanwhile();
    failure.error().kind = ErrorKind::kNotFound;
    return failure;
  }
  static bool MayLeave(const Row& row) {
    return row.state == State::kStored || row.state == State::kLost;
  }
  static void Cut(std::vector<BlobObject>& objects, std::size_t limit) {
    const std::size_t most = std::min<std::size_t>(limit, 1000);
    if (objects.size() > most) objects.erase(objects.begin() + std::ptrdiff_t(most), objects.end());
  }
  bool IsOlder(const Row& row, std::chrono::seconds age) const {
    return row.at < now_ - age.count();
  }
  void Become(State state, Row& row) {
    row.state = state;
    row.at = now_;
  }
  Row* Find(const Digest& digest, State state) {
    auto found = std::ranges::find_if(rows_, [&](const auto& each) {
      return each.second.object.digest == digest && each.second.state == state;
    });
    return found == rows_.end() ? nullptr : &found->second;
  }
  Row* Stored(const Digest& digest) { return Find(digest, State::kStored); }
  // The row holds its digest from now on, or is leaving because another one does.
  BlobObject Hold(Row& row) {
    Row* stored = Stored(row.object.digest);
    if (stored == nullptr) stored = &row;
    if (stored == &row) {
      row.state = State::kStored;
    } else {
      Become(State::kLeaving, row);
    }
    stored->at = now_;
    for (auto& [other, each] : rows_) {
      const bool is_lost = each.state == State::kLost && each.object.digest == row.object.digest;
      if (is_lost) Become(State::kLeaving, each);
    }
    return stored->object;
  }

  mutable std::mutex mutex_;
  UnixSeconds now_ = 1'700'000'000;
  std::map<std::string, Row> rows_;  // by name
  std::function<bool(const Digest&)> is_referenced_;
  std::optional<Error> failure_;
};

}  // namespace koya
