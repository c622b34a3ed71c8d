// A pool of HTTP clients for many threads: each client belongs to one exchange at a time and keeps
// its connections for the next.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "http/client/client.h"

namespace koya::http {

// Thread-safe. Creates as many clients as are in use at once, and keeps kMaxIdle of them.
class ClientPool {
 public:
  static constexpr std::size_t kMaxIdle = 32;

  explicit ClientPool(ClientOptions options) : options_(std::move(options)) {}

  // Returns the client to the pool when destroyed.
  class Lease {
   public:
    Lease(ClientPool& pool, std::unique_ptr<Client> client)
        : pool_(pool), client_(std::move(client)) {}
    ~Lease() { pool_.GiveBack(std::move(client_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Client& operator*() { return *client_; }
    Client* operator->() { return client_.get(); }

   private:
    ClientPool& pool_;
    std::unique_ptr<Client> client_;
  };

  Lease Take() {
    std::unique_lock lock(mutex_);
    if (idle_.empty()) {
      lock.unlock();
      return Lease(*this, std::make_unique<Client>(options_));
    }
    // The client used last: its connections are most likely still open.
    std::unique_ptr<Client> client = std::move(idle_.back());
    idle_.pop_back();
    return Lease(*this, std::move(client));
  }

 private:
  void GiveBack(std::unique_ptr<Client> client) {
    std::lock_guard lock(mutex_);
    if (idle_.size() < kMaxIdle) idle_.push_back(std::move(client));
  }

  const ClientOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Client>> idle_;
};

}  // namespace koya::http
