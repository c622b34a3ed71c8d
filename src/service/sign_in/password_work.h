// Hashes and verifies passwords on few threads of its own at low priority: each hash takes 32 MiB
// and some 60 ms of a core, which must not delay other work. The threads still get a tenth of a
// busy core, so that people can sign in to a busy server. Threads: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "auth/password.h"
#include "base/offload.h"
#include "base/task.h"

namespace koya::service {

class PasswordWork {
 public:
  static constexpr std::size_t kThreads = 2;
  static constexpr int kNice = 10;  // as of nice(2)
  // Limit of running and waiting calls; beyond it kUnavailable, to be retried soon.
  static constexpr std::size_t kMost = 64;

  // `cost`: tests that do not check the cost use a lower one.
  explicit PasswordWork(auth::PasswordCost cost = {}) : cost_(cost) {}

  // As auth::NeedsRehash.
  bool NeedsRehash(std::string_view hash) const { return auth::NeedsRehash(hash, cost_); }
  // As auth::VerifyPassword and auth::HashPassword; wipe the text when they are done. Fail:
  // kUnavailable (too many at once).
  Task<void> Verify(std::optional<std::string> hash, std::string text);
  Task<std::string> Hash(std::string text);

 private:
  class Place;
  const auth::PasswordCost cost_;
  std::atomic<std::size_t> taken_ = 0;
  WorkerPool threads_{kThreads, kNice};
};

}  // namespace koya::service
