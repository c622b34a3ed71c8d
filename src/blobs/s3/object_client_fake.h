// For tests: a store of objects in memory, on threads of its own, with faults that are asked for.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/offload.h"
#include "blobs/s3/object_client.h"

namespace koya {

// Threads: any.
class FakeObjectClient final : public ObjectClient {
 public:
  struct Counts {
    int puts = 0, gets = 0, sizes = 0, deletes = 0, aborts = 0, lists = 0, presigned = 0;
  };
  // What happens to the next Get that finds it; each happens once.
  struct GetFault {
    std::optional<std::uint64_t> cut_after{};  // so many bytes of this transfer: kUnavailable
    std::optional<std::uint64_t> flip_at{};    // offset in the object
    bool missing = false;
    bool too_long = false;                  // a byte more than there is
    std::shared_ptr<std::latch> begun{};    // counted down when bytes may be sent
    std::shared_ptr<std::latch> go_on{};    // waited for before the first byte
    std::shared_ptr<std::latch> halfway{};  // waited for in the middle, or until the stop
  };
  enum class PutFault { kBeforeTheAct, kAfterTheAct };

  void FailGet(GetFault fault) {
    std::lock_guard lock(mutex_);
    get_faults_.push_back(std::move(fault));
  }
  void FailPut(PutFault fault) {
    std::lock_guard lock(mutex_);
    put_faults_.push_back(fault);
  }
  // Nothing can be reached, from now on.
  void SetDown(bool down, ErrorKind how = ErrorKind::kUnavailable) {
    std::lock_guard lock(mutex_);
    down_ = down;
    how_ = how;
  }
  // Called on the client's thread in each Put, before the act.
  void OnPut(std::function<void()> watch) {
    std::lock_guard lock(mutex_);
    on_put_ = std::move(watch);
  }
  // Deletes of this name fail.
  void Protect(std::string name) {
    std::lock_guard lock(mutex_);
    protected_ = std::move(name);
  }
  void Set(const std::string& name, std::string content) {
    std::lock_guard lock(mutex_);
    objects_[name] = std::move(content);
  }
  void Erase(const std::string& name) {
    std::lock_guard lock(mutex_);
    objects_.erase(name);
  }
  std::vector<std::string> Names() const {
    std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [name, content] : objects_) names.push_back(name);
    return names;
  }
  Counts counts() const {
    std::lock_guard lock(mutex_);
    return counts_;
  }
  // Where each Get began.
  std::vector<std::uint64_t> GetOffsets() const {
    std::lock_guard lock(mutex_);
    return offsets_;
  }
  int most_puts_at_once() const {
    std::lock_guard lock(mutex_);
    return most_puts_;
  }

  Task<void> Put(std::string name, ObjectBody body) override {
    auto work = [this, &name, &body] { return PutNow(name, body); };
    co_return co_await Offload(pool_, std::move(work));
  }
  Task<void> Get(std::string name, ObjectRest rest, ObjectSink sink,
                 std::stop_token stop) override {
    auto work = [&] { return GetNow(name, rest.offset, sink, stop); };
    co_return co_await Offload(pool_, std::move(work));
  }
  Task<std::uint64_t> SizeOf(std::string name, RetryTimeout /*patience*/) override {
    auto work = [&]() -> Result<std::uint64_t> {
      std::lock_guard lock(mutex_);
      ++counts_.sizes;
      if (down_) return Down();
      auto found = objects_.find(name);
      if (found == objects_.end()) return Missing(name);
      return found->second.size();
    };
    co_return co_await Offload(pool_, std::move(work));
  }
  Task<void> Delete(std::string name) override {
    auto work = [&]() -> Status {
      std::lock_guard lock(mutex_);
      ++counts_.deletes;
      if (down_ || name == protected_) return Down();
      objects_.erase(name);
      return {};
    };
    co_return co_await Offload(pool_, std::move(work));
  }
  Task<void> AbortUploads(std::string /*name*/) override {
    auto work = [&]() -> Status {
      std::lock_guard lock(mutex_);
      ++counts_.aborts;
      if (down_) return Down();
      return {};
    };
    co_return co_await Offload(pool_, std::move(work));
  }
  Task<std::vector<ObjectInfo>> List(std::string prefix, std::string after) override {
    auto work = [&] { return ListNow(prefix, after); };
    co_return co_await Offload(pool_, std::move(work));
  }
  Task<std::string> PresignGet(std::string name, std::chrono::seconds ttl) override {
    std::lock_guard lock(mutex_);
    ++counts_.presigned;
    if (down_) co_return Down();
    co_return "https://store.test/" + name + "?ttl=" + std::to_string(ttl.count());
  }

 private:
  static constexpr std::size_t kPiece = 64 * 1024;

  // Under the lock, as everything that calls it.
  Failure Down() const { return Fail(how_, "the object store cannot be reached"); }
  static Failure Broken() { return FailUnavailable("the transfer broke"); }
  static Failure Missing(const std::string& name) {
    return Fail(ErrorKind::kNotFound, "the store has no object " + name);
  }
  static Result<std::string> ReadFile(const ObjectBody& body) {
    std::string content(body.size, '\0');
    ssize_t got = ::pread(body.descriptor, content.data(), content.size(), 0);
    if (got != static_cast<ssize_t>(body.size) || Digest::Of(content) != body.digest) {
      return FailInternal("the file is not what its digest says");
    }
    return content;
  }

  Status PutNow(const std::string& name, const ObjectBody& body) {
    std::optional<PutFault> fault;
    std::function<void()> watch;
    {
      std::lock_guard lock(mutex_);
      ++counts_.puts;
      most_puts_ = std::max(most_puts_, ++puts_now_);
      if (!put_faults_.empty()) {
        fault = put_faults_.front();
        put_faults_.erase(put_faults_.begin());
      }
      if (down_) fault = PutFault::kBeforeTheAct;
      watch = on_put_;
    }
    if (watch) watch();
    Result<std::string> content = ReadFile(body);
    std::lock_guard lock(mutex_);
    --puts_now_;
    if (!content) return Failure(content.error());
    if (fault == PutFault::kBeforeTheAct) return Down();
    objects_[name] = *std::move(content);
    if (fault == PutFault::kAfterTheAct) return Down();
    return {};
  }

  Status GetNow(const std::string& name, std::uint64_t offset, const ObjectSink& sink,
                const std::stop_token& stop) {
    GetFault fault;
    std::string content;
    {
      std::lock_guard lock(mutex_);
      ++counts_.gets;
      offsets_.push_back(offset);
      if (down_) return Down();
      if (!get_faults_.empty()) {
        fault = std::move(get_faults_.front());
        get_faults_.erase(get_faults_.begin());
      }
      auto found = objects_.find(name);
      if (fault.missing || found == objects_.end()) return Missing(name);
      content = found->second;
    }
    if (fault.begun) fault.begun->count_down();
    if (fault.go_on) fault.go_on->wait();
    if (fault.flip_at) content.at(*fault.flip_at) ^= 1;
    if (fault.too_long) content += '!';
    return Send(std::string_view(content).substr(offset), fault, sink, stop);
  }

  static Status Send(std::string_view rest, const GetFault& fault, const ObjectSink& sink,
                     const std::stop_token& stop) {
    const std::size_t half = rest.size() / 2;
    bool waited = !fault.halfway;
    std::uint64_t left = fault.cut_after.value_or(UINT64_MAX);
    for (std::size_t sent = 0; sent < rest.size();) {
      if (left == 0) return Broken();
      if (!waited && sent >= half) {
        while (!fault.halfway->try_wait() && !stop.stop_requested()) std::this_thread::yield();
        waited = true;
      }
      if (stop.stop_requested()) return Broken();
      std::size_t most = waited ? kPiece : std::min(kPiece, half - sent);
      std::size_t count = std::min<std::uint64_t>({most, rest.size() - sent, left});
      std::string_view piece = rest.substr(sent, count);
      RETURN_IF_ERROR(sink(std::as_bytes(std::span(piece))));
      sent += count;
      left -= count;
    }
    return {};
  }

  Result<std::vector<ObjectInfo>> ListNow(const std::string& prefix, const std::string& after) {
    std::lock_guard lock(mutex_);
    ++counts_.lists;
    if (down_) return Down();
    std::vector<ObjectInfo> page;
    for (const auto& [name, content] : objects_) {
      if (name.starts_with(prefix) && name > after) page.push_back({name, content.size()});
      if (page.size() == 1000) break;
    }
    return page;
  }

  mutable std::mutex mutex_;
  std::map<std::string, std::string> objects_;
  std::vector<GetFault> get_faults_;
  std::vector<PutFault> put_faults_;
  std::function<void()> on_put_;
  std::string protected_;
  bool down_ = false;
  ErrorKind how_ = ErrorKind::kUnavailable;
  int puts_now_ = 0;
  int most_puts_ = 0;
  Counts counts_;
  std::vector<std::uint64_t> offsets_;
  WorkerPool pool_{8};  // last: its work ends before its dependencies are destroyed
};

}  // namespace koya
